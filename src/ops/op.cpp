#include "ops/op.h"

#include "base/check.h"
#include "ops/nodes/nodes.h"

#include <algorithm>

namespace tessera::ops {
namespace {

/// The newest operator set whose meanings are known here; expansions are written for it.
constexpr std::int64_t newest_version = 23;

}  // namespace

TensorId Definition::input(std::size_t n) const {
  if (n < inputs_.size() && !inputs_[n].empty()) return inputs_[n];
  return b.refuse(node().title(), "input " + std::to_string(n) + " is absent or has no elements");
}

std::vector<TensorId> Definition::all_inputs() const {
  std::vector<TensorId> all;
  for (std::size_t n = 0; n < inputs_.size(); ++n) all.push_back(input(n));
  return all;
}

void Definition::output(const TensorId& tensor, std::optional<ElementType> element) {
  const DType dtype = b.dtype(tensor);
  for (std::size_t n = 0; n < input_count() && !element; ++n)
    if (has_input(n) && dtype_of(type(n).element) == dtype) element = type(n).element;
  outputs_.push_back({tensor, element.value_or(element_type_of(dtype))});
}

Result<NodeComputation> define_node(const NodeView& view) {
  const Op* op = find_op(view.node().domain, view.node().op);
  const Define* define = op == nullptr ? nullptr : std::get_if<Define>(&op->meaning);
  if (define == nullptr) return Error{view.node().title() + ": no Computation stands for it"};
  for (std::size_t n = 0; n < op->required_inputs && !op->takes_empty; ++n)
    if (view.has_input(n) && !view.has_elements(n))
      return Error{view.node().title() + ": input " + std::to_string(n) + " has no elements"};
  ComputationBuilder builder;
  std::vector<ValueId> operands;
  std::vector<TensorId> inputs(view.input_count());
  for (std::size_t n = 0; n < view.input_count(); ++n) {
    if (!view.has_elements(n)) continue;
    operands.push_back(view.node().inputs[n]);
    inputs[n] =
        builder.input("in" + std::to_string(n), view.shape(n), dtype_of(view.type(n).element));
  }
  if (builder.refusal()) return *builder.refusal();
  Definition definition(view, builder, std::move(inputs));
  (*define)(definition);
  if (!definition.empty_outputs().empty()) {
    check(definition.outputs().empty(), "outputs that are all empty, or none of them");
    return NodeComputation{{}, std::move(operands), definition.empty_outputs()};
  }
  std::vector<ValueType> outputs;
  for (const Definition::Output& output : definition.outputs()) {
    builder.output(output.tensor);
    outputs.push_back({output.element, builder.shape(output.tensor)});
  }
  Result<Computation> computation = builder.finish("node");
  if (!computation) return computation.error();
  return NodeComputation{*std::move(computation), std::move(operands), std::move(outputs)};
}

ValueId Expansion::input(std::size_t n) {
  if (has_input(n)) return node().inputs[n];
  refuse("input " + std::to_string(n) + " is absent");
  return {};
}

ValueId Expansion::fresh_name(std::string_view hint) {
  const auto first =
      std::ranges::find_if(node().outputs, [](const ValueId& v) { return !v.empty(); });
  check(first != node().outputs.end(), "a node that gives something");
  return *first + "/" + std::string(hint) + "_" + std::to_string(nodes.size() + constants.size());
}

ValueId Expansion::add(std::string_view op, std::vector<ValueId> inputs, Attributes attributes) {
  return add_many(op, std::move(inputs), 1, std::move(attributes)).front();
}

std::vector<ValueId> Expansion::add_many(std::string_view op, std::vector<ValueId> inputs,
                                         std::size_t count, Attributes attributes) {
  Node added{.name = fresh_name(op),
             .domain = "",
             .op = std::string(op),
             .version = newest_version,
             .inputs = std::move(inputs),
             .outputs = {},
             .attributes = std::move(attributes)};
  for (std::size_t n = 0; n < count; ++n)
    added.outputs.push_back(n == 0 ? added.name : added.name + ":" + std::to_string(n));
  nodes.push_back(added);
  return added.outputs;
}

ValueId Expansion::constant(Constant value) {
  const ValueId name = fresh_name("constant");
  constants.emplace(name, std::move(value));
  return name;
}

void Expansion::refuse(std::string_view message) {
  if (!refusal) refusal = Error{std::string(message)};
}

std::vector<std::span<const Op>> op_families() {
  return {elementwise_nodes(),
          arithmetic_nodes(),
          logic_nodes(),
          activation_nodes(),
          softmax_nodes(),
          reduce_nodes(),
          order_nodes(),
          norm_nodes(),
          skip_norm_nodes(),
          matmul_nodes(),
          einsum_nodes(),
          conv_nodes(),
          deform_conv_nodes(),
          pool_nodes(),
          region_nodes(),
          quantize_nodes(),
          loss_nodes(),
          control_nodes(),
          gather_nodes(),
          pad_nodes(),
          rearrange_nodes(),
          recurrent_nodes(),
          resize_nodes(),
          sample_nodes(),
          scatter_nodes(),
          selection_nodes(),
          shape_nodes(),
          signal_nodes(),
          transformer_nodes(),
          fused_attention_nodes(),
          cached_attention_nodes(),
          linear_attention_nodes(),
          block_quantized_nodes(),
          feature_nodes(),
          ngram_nodes()};
}

const Op* find_op(std::string_view domain, std::string_view name) {
  for (const std::span<const Op> family : op_families())
    for (const Op& op : family)
      if (op.domain == domain && op.name == name) return &op;
  return nullptr;
}

}  // namespace tessera::ops
