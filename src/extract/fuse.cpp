#include "extract/fuse.h"

#include "base/check.h"
#include "extract/node_shape.h"
#include "extract/permute_result.h"
#include "ir/rewrite.h"
#include "ops/op.h"

#include <algorithm>
#include <optional>
#include <set>

namespace tessera {
namespace {

constexpr std::size_t most_nodes = 64;  // of one call

bool is_view(const Node& node) {
  static const std::set<std::string> views{"Reshape", "Flatten", "Squeeze", "Unsqueeze",
                                           "Identity"};
  return node.domain.empty() && views.contains(node.op);
}

/// The axis of a Concat whose inputs lie one behind the other in its result: all before have one
/// element. Short ones that vectors would straddle are computed instead.
std::optional<std::size_t> join_axis(const Graph& graph, const Node& node) {
  if (!node.domain.empty() || node.op != "Concat") return std::nullopt;
  const ValueType& whole = graph.types.at(node.outputs.front());
  std::int64_t axis = ops::concat_axis(ops::NodeView(graph, node));
  if (axis < 0) axis += static_cast<std::int64_t>(whole.shape.size());
  const auto first = whole.shape.begin(), at = first + axis;
  if (std::any_of(first, at, [](std::int64_t extent) { return extent != 1; })) return std::nullopt;
  constexpr std::int64_t few_elements = 16;
  for (const ValueId& value : node.inputs)
    if (element_count(graph.types.at(value).shape) % few_elements != 0 && whole.shape.size() != 4)
      return std::nullopt;
  return static_cast<std::size_t>(axis);
}

/// Where the result of a Slice lies in what it is cut from, when that is one run in memory that
/// vectors can be read from, also if channels come in blocks.
std::optional<Part> slice_part(const Graph& graph, const Node& node) {
  if (!node.domain.empty() || node.op != "Slice" || node.inputs.size() < 3) return std::nullopt;
  const ValueType& whole = graph.types.at(node.inputs[0]);
  const Shape& part = graph.types.at(node.outputs[0]).shape;
  if (size_bytes(dtype_of(whole.element)) != 4 || graph.constants.contains(node.inputs[0]))
    return std::nullopt;
  const auto [at, part_at] = std::mismatch(whole.shape.begin(), whole.shape.end(), part.begin());
  if (at == whole.shape.end() || !std::equal(at + 1, whole.shape.end(), part_at + 1) ||
      std::any_of(whole.shape.begin(), at, [](std::int64_t extent) { return extent != 1; }))
    return std::nullopt;
  const auto only = [&](std::size_t input, std::int64_t otherwise) -> std::optional<std::int64_t> {
    if (input >= node.inputs.size() || node.inputs[input].empty()) return otherwise;
    const auto found = graph.constants.find(node.inputs[input]);
    if (found == graph.constants.end() || found->second.data->element_count() != 1)
      return std::nullopt;
    return found->second.data->get_integer(0);
  };
  const std::optional<std::int64_t> begin = only(1, 0), step = only(4, 1);
  if (!begin || *begin < 0 || step != 1) return std::nullopt;
  constexpr std::int64_t multiple = 16;
  if (whole.shape.size() == 4 ? *begin % multiple != 0 || *part_at % multiple != 0
                              : *begin * (element_count(part) / *part_at) % multiple != 0)
    return std::nullopt;
  return Part{node.inputs[0], static_cast<std::size_t>(at - whole.shape.begin()), *begin};
}

/// Appends a node's stages to `builder`; `known` maps values to tensors and learns its outputs.
/// Values without elements have no tensor.
void append(const Graph& graph, const Node& node, ComputationBuilder& builder,
            std::map<ValueId, TensorId>& known) {
  const ops::Op* op = ops::find_op(node.domain, node.op);
  check(op != nullptr && std::holds_alternative<ops::Define>(op->meaning),
        "a node that a Computation can express");
  std::vector<TensorId> inputs;
  for (const ValueId& value : node.inputs)
    inputs.push_back(known.contains(value) ? known.at(value) : TensorId());
  ops::Definition definition(ops::NodeView(graph, node), builder, std::move(inputs));
  std::get<ops::Define>(op->meaning)(definition);
  for (std::size_t n = 0; n < node.outputs.size() && n < definition.outputs().size(); ++n)
    known[node.outputs[n]] = definition.outputs()[n].tensor;
}

/// Loads of tables of one element become its value.
Computation with_literals(Computation computation) {
  for (const Table& table : computation.tables)
    if (table.values.size() == 1)
      for (Stage& stage : computation.stages)
        stage.value = replace_loads(stage.value, table.tensor.name, [&](const Load&) {
          return is_float(table.tensor.dtype)
                     ? real(table.values.front())
                     : Expr(ExprNode{Integer{table.tensor.dtype,
                                             static_cast<std::int64_t>(table.values.front())}});
        });
  std::erase_if(computation.tables, [](const Table& t) { return t.values.size() == 1; });
  return computation;
}

/// Drops operands that no stage reads, as shapes that a reshape has taken already.
void drop_unread(Computation& computation, std::vector<ValueId>& inputs) {
  std::set<TensorId> read;
  for (const Stage& stage : computation.stages)
    for (const Load& load : loads_in(stage.value)) read.insert(load.tensor);
  std::vector<Operand> operands;
  std::vector<ValueId> kept;
  for (std::size_t n = 0; n < computation.operands.size(); ++n)
    if (read.contains(computation.operands[n].tensor.name)) {
      operands.push_back(computation.operands[n]);
      kept.push_back(inputs[n]);
    }
  computation.operands = std::move(operands);
  inputs = std::move(kept);
}

class Fusion {
 public:
  explicit Fusion(const Graph& graph) : graph_(graph), group_(graph.nodes.size(), no_group) {
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      for (const ValueId& value : graph.nodes[n].inputs)
        if (!value.empty()) readers_[value].push_back(n);
    }
    is_output_.insert(graph.outputs.begin(), graph.outputs.end());
  }

  Result<Network> run() {
    for (const Node& node : graph_.nodes) {
      Result<NodeShape> shape = classify(node);
      if (!shape) return shape.error();
      shapes_.push_back(*shape);
    }
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      if (group_[n] == no_group && !is_in_place(graph_.nodes[n])) start_group(n);
    for (std::size_t g = groups_.size(); g-- > 0;) join_reader(g);
    return network();
  }

 private:
  bool is_in_place(const Node& node) const {
    return is_view(node) || slice_part(graph_, node).has_value();
  }

  static constexpr std::size_t no_group = static_cast<std::size_t>(-1);
  using Group = std::set<std::size_t>;  // nodes, in order

  Result<NodeShape> classify(const Node& node) const {
    Result<Computation> alone = computation_of({&node}, node.outputs).first;
    if (!alone) return alone.error();
    return shape_of(*alone);
  }

  /// A node and all that follows it element by element.
  void start_group(std::size_t node) {
    Group group{node};
    if (graph_.nodes[node].outputs.size() == 1 && !join_axis(graph_, graph_.nodes[node])) {
      const Shape& shape = graph_.types.at(graph_.nodes[node].outputs.front()).shape;
      absorb_followers(group, graph_.nodes[node].outputs.front(), shape);
    }
    absorb_transpose(group);
    for (const std::size_t member : group) group_[member] = groups_.size();
    groups_.push_back(std::move(group));
  }

  /// Adds the transpose of a contraction that no reader could take in, when vectors of the result
  /// stay vectors.
  void absorb_transpose(Group& group) const {
    if (group.size() != 1 || shapes_[*group.begin()] != NodeShape::Contraction) return;
    const ValueId& made = graph_.nodes[*group.begin()].outputs.front();
    const auto readers = readers_.find(made);
    if (is_output_.contains(made) || readers == readers_.end() || readers->second.size() != 1)
      return;
    const Node& reader = graph_.nodes[readers->second.front()];
    const auto order = reader.attributes.find("perm");
    if (!reader.domain.empty() || reader.op != "Transpose" || order == reader.attributes.end())
      return;
    const auto& axes = std::get<std::vector<std::int64_t>>(order->second);
    const auto next = readers_.find(reader.outputs.front());
    const bool is_taken_in = next != readers_.end() && next->second.size() == 1 &&
                             !is_view(graph_.nodes[next->second[0]]);
    const auto rank = static_cast<std::int64_t>(axes.size());
    if (rank > 1 && axes.back() == rank - 1 && !is_taken_in) group.insert(readers->second.front());
  }

  /// Adds elementwise nodes reached from `value` as far as they come together in one value again.
  void absorb_followers(Group& group, const ValueId& value, const Shape& shape) {
    Group candidate = group;
    std::set<ValueId> open{value};
    for (bool grows = true; grows && candidate.size() < most_nodes;) {
      grows = false;
      for (const ValueId& from : std::set<ValueId>(open)) {
        if (is_output_.contains(from)) continue;
        for (const std::size_t reader : readers_[from]) {
          if (candidate.contains(reader) || !may_follow(reader, shape)) continue;
          candidate.insert(reader);
          open.insert(graph_.nodes[reader].outputs.front());
          grows = true;
        }
      }
      std::erase_if(open, [&](const ValueId& v) { return is_closed(v, candidate); });
      if (open.size() == 1) group = candidate;
    }
  }

  bool may_follow(std::size_t node, const Shape& shape) const {
    return group_[node] == no_group && shapes_[node] == NodeShape::Elementwise &&
           !is_in_place(graph_.nodes[node]) && graph_.nodes[node].outputs.size() == 1 &&
           graph_.types.at(graph_.nodes[node].outputs.front()).shape == shape;
  }

  bool is_closed(const ValueId& value, const Group& group) const {
    if (is_output_.contains(value)) return false;
    const auto readers = readers_.find(value);
    return readers != readers_.end() &&
           std::all_of(readers->second.begin(), readers->second.end(),
                       [&](std::size_t reader) { return group.contains(reader); });
  }

  /// Lets a group without reductions be computed where it is read, if that is one place that suits.
  void join_reader(std::size_t g) {
    const Group& group = groups_[g];
    if (group.empty()) return;
    const std::vector<ValueId> leaving = leaving_values(group);
    if (leaving.size() != 1 || is_output_.contains(leaving.front())) return;
    std::set<std::size_t> reading;
    for (const std::size_t reader : readers_[leaving.front()]) reading.insert(group_[reader]);
    if (reading.size() != 1 || *reading.begin() == no_group || *reading.begin() == g) return;
    Group& into = groups_[*reading.begin()];
    if (into.size() == 1 && join_axis(graph_, graph_.nodes[*into.begin()])) return;
    if (group.size() + into.size() > most_nodes || !suits(group, into)) return;
    for (const std::size_t member : group) group_[member] = *reading.begin();
    into.insert(group.begin(), group.end());
    groups_[g].clear();
  }

  bool suits(const Group& group, const Group& into) const {
    const auto all_are = [&](const Group& nodes, std::initializer_list<NodeShape> shapes) {
      return std::all_of(nodes.begin(), nodes.end(), [&](std::size_t n) {
        return std::find(shapes.begin(), shapes.end(), shapes_[n]) != shapes.end();
      });
    };
    const bool is_moving = all_are(group, {NodeShape::Moving});
    const bool is_plain = all_are(group, {NodeShape::Moving, NodeShape::Elementwise});
    using enum NodeShape;
    if (is_moving && all_are(into, {Contraction, Moving, Elementwise})) return true;
    if (is_plain && all_are(into, {Moving, Elementwise, Rearranging})) return true;
    return all_are(group, {Elementwise}) && all_are(into, {Rows, Elementwise});
  }

  /// What a group makes and others read.
  std::vector<ValueId> leaving_values(const Group& group) const {
    std::vector<ValueId> leaving;
    for (const std::size_t n : group)
      for (const ValueId& value : graph_.nodes[n].outputs)
        if (!value.empty() && !is_closed(value, group) &&
            (is_output_.contains(value) || readers_.contains(value)))
          leaving.push_back(value);
    return leaving;
  }

  /// The Computation of nodes that together give `outputs`, and the values it reads, in order.
  std::pair<Result<Computation>, std::vector<ValueId>> computation_of(
      const std::vector<const Node*>& nodes, const std::vector<ValueId>& outputs) const {
    ComputationBuilder builder;
    std::map<ValueId, TensorId> known;
    std::vector<ValueId> inputs;
    std::set<ValueId> made;
    for (const Node* node : nodes) made.insert(node->outputs.begin(), node->outputs.end());
    for (const Node* node : nodes)
      for (const ValueId& value : node->inputs) {
        if (value.empty() || known.contains(value) || made.contains(value)) continue;
        const ValueType& type = graph_.types.at(value);
        if (element_count(type.shape) == 0) continue;
        const auto constant = graph_.constants.find(value);
        const std::string number = std::to_string(inputs.size());
        const DType dtype = dtype_of(type.element);
        if (constant == graph_.constants.end()) {
          known[value] = builder.input("x" + number, type.shape, dtype);
          inputs.push_back(value);
        } else if (element_count(type.shape) == 1) {
          known[value] = builder.table("t", type.shape, {constant->second.data->get(0)}, dtype);
        } else {
          known[value] = builder.constant("w" + number, type.shape, dtype);
          inputs.push_back(value);
        }
      }
    for (const Node* node : nodes) append(graph_, *node, builder, known);
    for (const ValueId& value : outputs)
      if (known.contains(value)) builder.output(known.at(value));
    Result<Computation> finished = builder.finish("kernel");
    if (!finished) return {finished.error(), inputs};
    drop_unread(*finished, inputs);
    return {permute_result(with_literals(*std::move(finished))), inputs};
  }

  Result<Network> network() const {
    Network out{.name = graph_.name,
                .inputs = graph_.inputs,
                .outputs = {},
                .constants = graph_.constants,
                .types = graph_.types,
                .calls = {},
                .views = {},
                .layouts = {}};
    for (const ValueId& value : graph_.outputs) out.outputs.push_back({value, value});
    for (const Node& node : graph_.nodes)
      if (is_view(node))
        out.views[node.outputs.front()] = node.inputs.front();
      else if (const auto part = slice_part(graph_, node))
        out.parts[node.outputs.front()] = *part;
    std::map<std::size_t, const Group*> by_end;  // a group runs where its last node stood
    for (const Group& group : groups_)
      if (!group.empty()) by_end[*group.rbegin()] = &group;
    for (const auto& [end, group] : by_end) {
      std::vector<const Node*> nodes;
      std::string title;
      for (const std::size_t n : *group) {
        nodes.push_back(&graph_.nodes[n]);
        title += (title.empty() ? "" : "+") + graph_.nodes[n].op;
      }
      Call call{.computation = {}, .inputs = {}, .outputs = leaving_values(*group), .title = title};
      auto [computation, inputs] = computation_of(nodes, call.outputs);
      if (!computation) return Error{title + ": " + computation.error().message};
      call.computation = *std::move(computation);
      call.inputs = std::move(inputs);
      if (nodes.size() == 1 && call.inputs == nodes.front()->inputs)
        call.joins = join_axis(graph_, *nodes.front());
      out.calls.push_back(std::move(call));
    }
    return out;
  }

  const Graph& graph_;
  std::map<ValueId, std::vector<std::size_t>> readers_;
  std::set<ValueId> is_output_;
  std::vector<NodeShape> shapes_;
  std::vector<std::size_t> group_;  // of each node
  std::vector<Group> groups_;
};

}  // namespace

Result<Network> fuse(const Graph& graph) { return Fusion(graph).run(); }

}  // namespace tessera
