#include "extract/passes.h"
#include "extract/rewriter.h"

#include <cmath>
#include <numbers>

namespace tessera {
namespace {

bool is_close(double a, double b) { return std::abs(a - b) < 1e-4 * std::abs(b); }

/// A product taken apart: a number times values.
struct Product {
  double number = 1;
  std::vector<ValueId> values;
};

void multiply(const Rewriter& rewriter, const ValueId& value, Product& product) {
  if (const auto number = rewriter.scalar(value)) {
    product.number *= *number;
    return;
  }
  const Node* node = rewriter.maker(value, {"Mul", "Div"});
  const auto divisor =
      node != nullptr && node->op == "Div" ? rewriter.scalar(node->inputs[1]) : std::nullopt;
  if (divisor) {
    multiply(rewriter, node->inputs[0], product);
    product.number /= *divisor;
  } else if (node != nullptr && node->op == "Mul") {
    for (const ValueId& factor : node->inputs) multiply(rewriter, factor, product);
  } else {
    product.values.push_back(value);
  }
}

Product product_of(const Rewriter& rewriter, const ValueId& value) {
  Product product;
  multiply(rewriter, value, product);
  return product;
}

/// Whether `value` is x^3 times `number`.
bool is_cube(const Rewriter& rewriter, const ValueId& value, const ValueId& x, double number) {
  const Product product = product_of(rewriter, value);
  if (!is_close(product.number, number)) return false;
  if (product.values == std::vector<ValueId>{x, x, x}) return true;
  const Node* power =
      product.values.size() == 1 ? rewriter.maker(product.values[0], {"Pow"}) : nullptr;
  return power != nullptr && power->inputs[0] == x && rewriter.scalar(power->inputs[1]) == 3.0;
}

/// What is added to the given number.
std::optional<ValueId> summand(const Rewriter& rewriter, const ValueId& value, double number) {
  const Node* sum = rewriter.maker(value, {"Add"});
  for (const std::size_t at : {0U, 1U})
    if (sum != nullptr && rewriter.scalar(sum->inputs[at]) == number) return sum->inputs[1 - at];
  return std::nullopt;
}

/// `none` when `value` is 1 + erf(x / sqrt(2)), `tanh` for the approximation by one.
std::optional<std::string> approximation(const Rewriter& rewriter, const ValueId& value,
                                         const ValueId& x) {
  const auto bent = summand(rewriter, value, 1);
  const Node* function = bent ? rewriter.maker(*bent, {"Erf", "Tanh"}) : nullptr;
  if (function == nullptr) return std::nullopt;
  const Product inner = product_of(rewriter, function->inputs[0]);
  if (inner.values.size() != 1) return std::nullopt;
  if (function->op == "Erf")
    return inner.values[0] == x && is_close(inner.number, std::numbers::sqrt2 / 2)
               ? std::optional("none")
               : std::nullopt;
  const Node* sum = rewriter.maker(inner.values[0], {"Add"});
  if (sum == nullptr || !is_close(inner.number, std::sqrt(2 / std::numbers::pi)))
    return std::nullopt;
  for (const std::size_t at : {0U, 1U})
    if (sum->inputs[at] == x && is_cube(rewriter, sum->inputs[1 - at], x, 0.044715)) return "tanh";
  return std::nullopt;
}

}  // namespace

void recover_gelu(Graph& graph) {
  Rewriter rewriter(graph);
  std::vector<Node> found;
  for (const Node& node : graph.nodes) {
    if (!node.domain.empty() || node.op != "Mul") continue;
    const Product product = product_of(rewriter, node.outputs[0]);
    if (product.values.size() != 2 || !is_close(product.number, 0.5)) continue;
    for (const std::size_t at : {0U, 1U}) {
      const ValueId& x = product.values[at];
      const auto approximate = approximation(rewriter, product.values[1 - at], x);
      if (approximate && rewriter.shape(x) == rewriter.shape(node.outputs[0]))
        found.push_back({.name = node.name,
                         .domain = "",
                         .op = "Gelu",
                         .version = 20,
                         .inputs = {x},
                         .outputs = node.outputs,
                         .attributes = {{"approximate", *approximate}}});
    }
  }
  for (Node& gelu : found) rewriter.replace(std::move(gelu));
  rewriter.finish();
}

}  // namespace tessera
