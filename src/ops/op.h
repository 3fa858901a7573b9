#pragma once

#include "ops/builder.h"
#include "ops/constants.h"
#include "ops/node_view.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// The operators of graphs. Each is a row of a list, and its meaning is one function of one of
/// three kinds. Shapes and types need no function of their own: they are those of what is built.
namespace tessera::ops {

/// A node on its way into a Computation: appends the stages of its operator.
class Definition : public NodeView {
 public:
  /// `inputs`: the tensor of each input in the builder; empty where absent or without elements.
  Definition(const NodeView& view, ComputationBuilder& builder, std::vector<TensorId> inputs)
      : NodeView(view), b(builder), inputs_(std::move(inputs)) {}

  /// Refuses when there is none.
  TensorId input(std::size_t n) const;
  std::vector<TensorId> all_inputs() const;
  /// Adds the next output. Its element type is that of the first input with the same dtype, or the
  /// dtype's own, unless given.
  void output(const TensorId& tensor, std::optional<ElementType> element = std::nullopt);
  /// Adds the next output, which has no elements: `shape` has a zero. All outputs must be such. Its
  /// element type is that of the first input unless given.
  void output_empty(Shape shape, std::optional<ElementType> element = std::nullopt) {
    empty_outputs_.push_back({element.value_or(type(0).element), std::move(shape)});
  }
  void refuse(std::string_view message) { output(b.refuse(node().title(), message)); }

  struct Output {
    TensorId tensor;
    ElementType element;
  };
  const std::vector<Output>& outputs() const { return outputs_; }
  const std::vector<ValueType>& empty_outputs() const { return empty_outputs_; }

  ComputationBuilder& b;

 private:
  std::vector<TensorId> inputs_;
  std::vector<Output> outputs_;
  std::vector<ValueType> empty_outputs_;
};

/// Simpler nodes that together do what a node does.
class Expansion : public NodeView {
 public:
  explicit Expansion(const NodeView& view) : NodeView(view) {}
  /// What is read, where a name below means what is made.
  const NodeView& view() const { return *this; }

  using Attributes = std::map<std::string, Attribute>;
  /// Refuses when there is none.
  ValueId input(std::size_t n);
  /// Appends a node of the given operator, in the newest version known here; gives its only, or its
  /// first, output.
  ValueId add(std::string_view op, std::vector<ValueId> inputs, Attributes attributes = {});
  std::vector<ValueId> add_many(std::string_view op, std::vector<ValueId> inputs, std::size_t count,
                                Attributes attributes = {});
  ValueId constant(Constant value);
  ValueId constant(ElementType element, Shape shape, const std::vector<double>& values) {
    return constant(constant_of(element, std::move(shape), values));
  }
  ValueId integers(const std::vector<std::int64_t>& values) {
    return constant(integer_list(values));
  }
  ValueId zeros(ElementType element, Shape shape) {
    const std::vector<double> values(static_cast<std::size_t>(element_count(shape)), 0);
    return constant(element, std::move(shape), values);
  }
  ValueId real(double value) { return constant(ElementType::Float, {}, {value}); }
  /// Says which value is the next output of the expanded node.
  void output(ValueId value) { outputs.push_back(std::move(value)); }
  void refuse(std::string_view message);

  std::vector<Node> nodes;
  std::map<ValueId, Constant> constants;
  std::vector<ValueId> outputs;
  std::optional<Error> refusal;

 private:
  ValueId fresh_name(std::string_view hint);
};

using Define = void (*)(Definition&);
using Expand = void (*)(Expansion&);
/// Gives the outputs themselves, from shapes and known inputs; needs nothing at run time.
using Evaluate = Result<std::vector<Constant>> (*)(const NodeView&);

struct Op {
  std::string_view domain;
  std::string_view name;
  std::variant<Define, Expand, Evaluate> meaning;
  std::size_t required_inputs = 1;  // the first so many must be present
  bool takes_empty = false;         // those may be without elements
};

/// What a node computes: nothing when its outputs have no elements.
struct NodeComputation {
  Computation computation;
  std::vector<ValueId> operands;   // the node's inputs that are present and not empty
  std::vector<ValueType> outputs;  // as many as the operator gives
};

/// Refuses a node whose operator is not known or not of the kind `Define`.
Result<NodeComputation> define_node(const NodeView& view);

/// Null when there is no such operator.
const Op* find_op(std::string_view domain, std::string_view name);
/// All operators, family by family.
std::vector<std::span<const Op>> op_families();

}  // namespace tessera::ops
