#include "base/check.h"
#include "base/text.h"
#include "extract/passes.h"
#include "extract/rewriter.h"

#include <algorithm>

namespace tessera {
namespace {

/// (x W + b) * factor with constants, the bias perhaps absent: a MatMul and the Add behind it, or a
/// Gemm, and a product with a number.
struct Product {
  ValueId x, weights, bias;
  double factor = 1;
  ValueId result;
};

/// Columns of a product that are one value.
struct Piece {
  Product product;
  std::int64_t begin = 0;
  ValueId result;
};

/// Pieces of equal width that become one product.
struct Stack {
  std::int64_t width = 0;
  std::vector<Piece> pieces;
};

class StackProducts {
 public:
  explicit StackProducts(Graph& graph) : rewriter_(graph) {}

  void run() {
    find_products_of_one_value();
    find_columns_of_one_product();
    std::vector<Node> added;
    for (const Stack& stack : stacks_)
      for (Node& node : stacked(stack)) added.push_back(std::move(node));
    if (added.empty()) return;
    Graph& graph = rewriter_.graph();
    std::set<ValueId> replaced;
    for (const Stack& stack : stacks_)
      for (const Piece& piece : stack.pieces) replaced.insert(piece.result);
    std::erase_if(graph.nodes,
                  [&](const Node& node) { return replaced.contains(node.outputs.front()); });
    graph.nodes.insert(graph.nodes.end(), added.begin(), added.end());
    check(sort_nodes(graph).has_value(), "no cycle among stacked products");
    drop_dead(graph);
  }

 private:
  /// The product that makes a value, if it is one by constants.
  std::optional<Product> product_of(const ValueId& value) const {
    if (const Node* scale = rewriter_.maker(value, {"Mul"})) return scaled_product_of(*scale);
    Product out{.x = {}, .weights = {}, .bias = {}, .factor = 1, .result = value};
    const Node* node = rewriter_.maker(value, {"Add", "MatMul", "Gemm"});
    if (node != nullptr && node->op == "Add") {
      const std::size_t at = rewriter_.constant(node->inputs[0]) != nullptr ? 0 : 1;
      out.bias = node->inputs[at];
      if (!rewriter_.has_one_reader(node->inputs[1 - at])) return std::nullopt;
      node = rewriter_.maker(node->inputs[1 - at], {"MatMul"});
    } else if (node != nullptr && node->op == "Gemm") {
      if (!is_plain_gemm(*node)) return std::nullopt;
      if (node->inputs.size() > 2) out.bias = node->inputs[2];
    }
    if (node == nullptr) return std::nullopt;
    out.x = node->inputs[0];
    out.weights = node->inputs[1];
    return is_sound(out) ? std::optional(out) : std::nullopt;
  }

  std::optional<Product> scaled_product_of(const Node& scale) const {
    for (const std::size_t at : {0U, 1U}) {
      const auto factor = rewriter_.scalar(scale.inputs[at]);
      const ValueId& unscaled = scale.inputs[1 - at];
      if (!factor || rewriter_.shape(unscaled) != rewriter_.shape(scale.outputs[0]) ||
          !rewriter_.has_one_reader(unscaled))
        continue;
      std::optional<Product> product = product_of(unscaled);
      if (!product) return std::nullopt;
      product->factor *= *factor;
      product->result = scale.outputs[0];
      return product;
    }
    return std::nullopt;
  }

  bool is_sound(const Product& product) const {
    const Constant* weights = rewriter_.constant(product.weights);
    const Shape& x = rewriter_.shape(product.x);
    if (weights == nullptr || weights->type.shape.size() != 2 ||
        dtype_of(weights->type.element) != DType::F32 || x.size() < 2 || element_count(x) == 0)
      return false;
    const Constant* bias = rewriter_.constant(product.bias);
    return product.bias.empty() ||
           (bias != nullptr && bias->type.shape == Shape{weights->type.shape[1]});
  }

  /// Whether the product may leave the tile that what follows would run on. Beside a deep one a
  /// pass over its result is short: at a depth of 4096 one call and the pass were faster than two
  /// calls; the limit lies between that and the depths of small transformers.
  bool may_stand_alone(const Product& product) const {
    constexpr std::int64_t deep = 2048;
    const std::vector<const Node*> readers = rewriter_.readers(product.result);
    const bool is_whole = std::none_of(readers.begin(), readers.end(), [&](const Node* reader) {
      return product_of(reader->outputs.front()).has_value();
    });
    return is_only_moved(product.result) ||
           (rewriter_.shape(product.weights)[0] >= deep && is_whole && !readers.empty() &&
            !rewriter_.is_output(product.result));
  }

  /// Nothing runs on the tile of the product behind it: its result is only moved or multiplied.
  bool is_only_moved(const ValueId& value) const {
    static const std::set<std::string> moving{"Reshape",   "Transpose", "Squeeze",
                                              "Unsqueeze", "Flatten",   "MatMul"};
    const std::vector<const Node*> readers = rewriter_.readers(value);
    return !rewriter_.is_output(value) && !readers.empty() &&
           std::all_of(readers.begin(), readers.end(), [](const Node* reader) {
             return reader->domain.empty() && moving.contains(reader->op);
           });
  }

  std::int64_t row_count(const Product& product) const {
    const Shape& shape = rewriter_.shape(product.x);
    return element_count(shape) / shape.back();
  }

  /// Each result begins where vectors can be read.
  bool is_aligned(const Stack& stack) const {
    constexpr std::int64_t multiple = 16;
    return row_count(stack.pieces.front().product) * stack.width % multiple == 0;
  }

  void find_products_of_one_value() {
    std::map<std::string, Stack> alike;
    for (const Node& node : rewriter_.graph().nodes) {
      const auto product = product_of(node.outputs.front());
      if (!product || !may_stand_alone(*product)) continue;
      const Shape& shape = rewriter_.shape(product->weights);
      Stack& stack = alike[product->x + " " + to_text(shape) + (product->bias.empty() ? "" : " b")];
      stack.width = shape[1];
      stack.pieces.push_back({*product, 0, product->result});
    }
    for (auto& [text, stack] : alike)
      if (stack.pieces.size() > 1 && is_aligned(stack)) stacks_.push_back(std::move(stack));
  }

  void find_columns_of_one_product() {
    std::set<ValueId> looked_at;
    for (const Node& node : rewriter_.graph().nodes)
      if (node.domain.empty() && node.op == "Slice" && looked_at.insert(node.inputs[0]).second)
        if (auto stack = columns_of(node.inputs[0])) stacks_.push_back(*std::move(stack));
  }

  /// The slices that cut all columns of a value into equal parts, when a product makes it.
  std::optional<Stack> columns_of(const ValueId& whole) const {
    ValueId made = whole;
    while (const Node* view = rewriter_.maker(made, {"Reshape"})) {
      if (!rewriter_.has_one_reader(view->inputs[0]) || rewriter_.shape(view->inputs[0]).empty() ||
          rewriter_.shape(view->inputs[0]).back() != rewriter_.shape(whole).back())
        return std::nullopt;
      made = view->inputs[0];
    }
    const auto product = product_of(made);
    if (!product || rewriter_.is_output(whole) || row_count(*product) == 1) return std::nullopt;
    const std::vector<const Node*> slices = rewriter_.readers(whole);
    Stack stack{.width = rewriter_.shape(slices.front()->outputs[0]).back(), .pieces = {}};
    if (stack.width * static_cast<std::int64_t>(slices.size()) != rewriter_.shape(whole).back())
      return std::nullopt;
    for (const Node* slice : slices) {
      const auto begin = first_column(*slice, stack.width);
      if (!begin || !is_only_moved(slice->outputs[0])) return std::nullopt;
      stack.pieces.push_back({*product, *begin, slice->outputs[0]});
    }
    return stack.pieces.size() > 1 && is_aligned(stack) ? std::optional(stack) : std::nullopt;
  }

  /// Where a Slice of so many whole columns begins.
  std::optional<std::int64_t> first_column(const Node& slice, std::int64_t width) const {
    if (!slice.domain.empty() || slice.op != "Slice" || slice.inputs.size() < 3 ||
        slice.inputs.size() > 4)
      return std::nullopt;
    Shape shape = rewriter_.shape(slice.inputs[0]);
    const std::int64_t columns = shape.back();
    shape.back() = width;
    const Constant* start = rewriter_.constant(slice.inputs[1]);
    if (rewriter_.shape(slice.outputs[0]) != shape || width == columns || start == nullptr ||
        start->data->element_count() != 1 || start->data->get_integer(0) < 0)
      return std::nullopt;
    return start->data->get_integer(0);
  }

  /// The weights or biases of the pieces, one behind the other.
  ValueId stacked_constant(const Stack& stack, ValueId Product::* which, Shape shape) {
    const ValueId& first = stack.pieces.front().product.*which;
    HostBuffer all(DType::F32, element_count(shape));
    float* to = all.as<float>().data();
    for (const Piece& piece : stack.pieces) {
      const Constant& constant = *rewriter_.constant(piece.product.*which);
      const std::int64_t columns = constant.type.shape.back();
      const std::int64_t rows = element_count(constant.type.shape) / columns;
      for (std::int64_t row = 0; row < rows; ++row) {
        const float* from = constant.data->as<float>().data() + row * columns + piece.begin;
        to = std::transform(from, from + stack.width, to, [&](float value) {
          return static_cast<float>(value * piece.product.factor);
        });
      }
    }
    return rewriter_.add_constant(first + "/stacked",
                                  {rewriter_.constant(first)->type.element, std::move(shape)},
                                  std::move(all));
  }

  /// The pieces as one product, its result cut into theirs.
  std::vector<Node> stacked(const Stack& stack) {
    const Product& product = stack.pieces.front().product;
    const auto count = static_cast<std::int64_t>(stack.pieces.size());
    const std::int64_t rows = row_count(product), depth = rewriter_.shape(product.x).back();
    std::vector<Node> nodes;
    nodes.push_back(
        rewriter_.reshape(product.x, stack.pieces.front().result + "/rows", {rows, depth}));
    const Shape shape{count, rows, stack.width};
    const ValueId weights = stacked_constant(stack, &Product::weights, {count, depth, stack.width});
    nodes.push_back(node("MatMul", {nodes.back().outputs[0], weights},
                         stack.pieces.front().result + "/product", shape));
    if (!product.bias.empty()) {
      const ValueId bias = stacked_constant(stack, &Product::bias, {count, 1, stack.width});
      nodes.push_back(node("Add", {nodes.back().outputs[0], bias},
                           stack.pieces.front().result + "/stacked", shape));
    }
    const ValueId whole = nodes.back().outputs[0];
    for (std::int64_t n = 0; n < count; ++n) {
      const ValueId& result = stack.pieces[static_cast<std::size_t>(n)].result;
      const ValueId part = result + "/part";
      rewriter_.graph().types[part] = {rewriter_.graph().types.at(result).element,
                                       {1, rows, stack.width}};
      nodes.push_back(rewriter_.slice(whole, part, 0, n, n + 1));
      nodes.push_back(rewriter_.reshape(part, result, rewriter_.shape(result)));
    }
    return nodes;
  }

  Node node(const char* op, std::vector<ValueId> inputs, const ValueId& output, Shape shape) {
    const ElementType element = rewriter_.graph().types.at(inputs[0]).element;
    rewriter_.graph().types[output] = {element, std::move(shape)};
    return {.name = output,
            .domain = "",
            .op = op,
            .version = 14,
            .inputs = std::move(inputs),
            .outputs = {output},
            .attributes = {}};
  }

  Rewriter rewriter_;
  std::vector<Stack> stacks_;
};

}  // namespace

void stack_products(Graph& graph) { StackProducts(graph).run(); }

}  // namespace tessera
