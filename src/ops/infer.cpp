#include "ops/infer.h"

#include "base/check.h"
#include "base/text.h"
#include "ir/interpret.h"
#include "ops/op.h"

#include <algorithm>
#include <deque>
#include <set>

namespace tessera {
namespace {

/// Few nodes can ask for much: values that operators give take at most this in all.
constexpr std::int64_t most_constant_bytes = std::int64_t{1} << 31;
/// Values up to this size are computed here, by the interpreter.
constexpr std::int64_t most_elements_computed = 4096;

class Inference {
 public:
  explicit Inference(Graph graph) : graph_(std::move(graph)) {}

  Inferred run() {
    for (const GraphInput& input : graph_.inputs) graph_.types[input.name] = input.type;
    for (const auto& [name, constant] : graph_.constants) graph_.types[name] = constant.type;
    for (const auto& [name, type] : graph_.types) names_.insert(name);
    for (const Node& node : graph_.nodes) names_.insert(node.outputs.begin(), node.outputs.end());
    std::deque<Node> open(graph_.nodes.begin(), graph_.nodes.end());
    while (!open.empty()) {
      const Node node = std::move(open.front());
      open.pop_front();
      const std::vector<Node> simpler = handle(node);
      open.insert(open.begin(), simpler.begin(), simpler.end());
    }
    if (problems_.empty()) report_missing();
    graph_.nodes = std::move(done_);
    drop_dead(graph_);
    return {std::move(graph_), std::move(problems_)};
  }

 private:
  /// Learns what the node gives, or gives the nodes to put in its place.
  std::vector<Node> handle(const Node& node) {
    if (std::ranges::all_of(node.outputs, &ValueId::empty)) return {};  // nobody can read it
    for (const ValueId& value : reads_of(node))
      if (!graph_.types.contains(value)) return {};  // what it reads is a problem already
    const ops::Op* op = ops::find_op(node.domain, node.op);
    const ops::NodeView view(graph_, node);
    if (op == nullptr) {
      report(view, "the operator is not known");
      return {};
    }
    for (std::size_t n = 0; n < op->required_inputs; ++n)
      if (!view.has_input(n)) {
        report(view, "expected " + std::to_string(op->required_inputs) + " inputs, input " +
                         std::to_string(n) + " is absent");
        return {};
      }
    try {
      return understood(view, *op);
    } catch (const InternalError& error) {
      report(view, "its inputs do not fit the operator, expected " + error.claim);
      return {};
    }
  }

  std::vector<Node> understood(const ops::NodeView& view, const ops::Op& op) {
    if (const auto* expand = std::get_if<ops::Expand>(&op.meaning)) return expanded(view, *expand);
    if (const auto* evaluate = std::get_if<ops::Evaluate>(&op.meaning))
      take_values(view, (*evaluate)(view));
    else
      define(view);
    return {};
  }

  std::vector<Node> expanded(const ops::NodeView& view, ops::Expand expand) {
    ops::Expansion expansion(view);
    expand(expansion);
    if (expansion.refusal) {
      report(view, expansion.refusal->message);
      return {};
    }
    if (const auto taken = taken_name(expansion)) {
      report(view, "a part of it needs the name \"" + *taken + "\", which another value has");
      return {};
    }
    for (auto& [name, constant] : expansion.constants) {
      graph_.types[name] = constant.type;
      graph_.constants.emplace(name, std::move(constant));
    }
    for (std::size_t n = 0; n < view.node().outputs.size(); ++n)
      if (n < expansion.outputs.size() && !view.node().outputs[n].empty())
        expansion.nodes.push_back(Node{.name = view.node().outputs[n],
                                       .domain = "",
                                       .op = "Identity",
                                       .version = 1,
                                       .inputs = {expansion.outputs[n]},
                                       .outputs = {view.node().outputs[n]},
                                       .attributes = {}});
    return std::move(expansion.nodes);
  }

  /// Takes the names of what the expansion defines; gives one that is taken already.
  std::optional<ValueId> taken_name(const ops::Expansion& expansion) {
    std::vector<ValueId> wanted;
    for (const auto& [name, constant] : expansion.constants) wanted.push_back(name);
    for (const Node& node : expansion.nodes)
      for (const ValueId& name : node.outputs)
        if (!name.empty() &&
            std::ranges::find(expansion.node().outputs, name) == expansion.node().outputs.end())
          wanted.push_back(name);
    for (ValueId& name : wanted)
      if (!names_.insert(name).second) return std::move(name);
    return std::nullopt;
  }

  void define(const ops::NodeView& view) {
    const Result<ops::NodeComputation> defined = ops::define_node(view);
    if (!defined) {
      report(view, defined.error().message);
      return;
    }
    const std::vector<ValueId>& names = view.node().outputs;
    std::int64_t elements = 0;
    for (std::size_t n = 0; n < names.size() && n < defined->outputs.size(); ++n) {
      if (names[n].empty()) continue;
      graph_.types[names[n]] = defined->outputs[n];
      elements += element_count(defined->outputs[n].shape);
    }
    if (elements == 0)
      add_empty_constants(view, defined->outputs);
    else if (is_known(view) && elements <= most_elements_computed)
      compute(view, defined->computation);
    else
      done_.push_back(view.node());
  }

  void add_empty_constants(const ops::NodeView& view, const std::vector<ValueType>& types) {
    for (std::size_t n = 0; n < view.node().outputs.size() && n < types.size(); ++n)
      if (const ValueId& name = view.node().outputs[n]; !name.empty())
        add_constant(name, {types[n], std::make_shared<HostBuffer>(dtype_of(types[n].element), 0)});
  }

  static bool is_known(const ops::NodeView& view) {
    for (std::size_t n = 0; n < view.input_count(); ++n)
      if (view.has_input(n) && view.constant(n) == nullptr) return false;
    return true;
  }

  void compute(const ops::NodeView& view, const Computation& computation) {
    std::vector<HostBuffer> operands;
    for (std::size_t n = 0; n < view.input_count(); ++n)
      if (view.has_elements(n)) operands.push_back(view.constant(n)->data->copy());
    Result<std::vector<HostBuffer>> values = evaluate(computation, operands);
    if (!values) {
      report(view, values.error().message);
      return;
    }
    for (std::size_t n = 0; n < values->size() && n < view.node().outputs.size(); ++n)
      if (const ValueId& name = view.node().outputs[n]; !name.empty())
        add_constant(name,
                     {graph_.types[name], std::make_shared<HostBuffer>(std::move((*values)[n]))});
  }

  void take_values(const ops::NodeView& view, Result<std::vector<Constant>> values) {
    if (!values) {
      report(view, values.error().message);
      return;
    }
    for (const Constant& value : *values)
      if (value.data.use_count() == 1)  // made now; an attribute or input holds the others
        constant_bytes_ += value.data->size_bytes();
    if (constant_bytes_ > most_constant_bytes) {
      report(view, "its value and those before it take more than 2 GB");
      return;
    }
    for (std::size_t n = 0; n < values->size() && n < view.node().outputs.size(); ++n)
      if (const ValueId& name = view.node().outputs[n]; !name.empty())
        add_constant(name, std::move((*values)[n]));
  }

  void add_constant(const ValueId& name, Constant constant) {
    graph_.types[name] = constant.type;
    graph_.constants.insert_or_assign(name, std::move(constant));
  }

  /// Reports outputs that something reads and that their operators do not give.
  void report_missing() {
    std::set<ValueId> wanted(graph_.outputs.begin(), graph_.outputs.end());
    for (const Node& node : graph_.nodes) wanted.merge(reads_of(node));
    const auto is_typed = [&](const ValueId& value) { return graph_.types.contains(value); };
    for (const Node& node : graph_.nodes) {
      if (!std::ranges::all_of(reads_of(node), is_typed)) continue;
      for (std::size_t n = 0; n < node.outputs.size(); ++n)
        if (wanted.contains(node.outputs[n]) && !is_typed(node.outputs[n]))
          report(ops::NodeView(graph_, node),
                 "output " + std::to_string(n) + " is read, but the operator does not give it");
    }
  }

  void report(const ops::NodeView& view, const std::string& reason) {
    std::vector<ValueType> inputs;
    for (std::size_t n = 0; n < view.input_count(); ++n)
      if (view.has_input(n)) inputs.push_back(view.type(n));
    problems_.push_back({view.node(), std::move(inputs), reason});
  }

  Graph graph_;
  std::set<ValueId> names_;
  std::vector<Node> done_;
  std::vector<NodeProblem> problems_;
  std::int64_t constant_bytes_ = 0;  // of values that operators gave
};

}  // namespace

std::string to_text(const NodeProblem& problem) {
  std::vector<std::string> inputs;
  for (const ValueType& type : problem.inputs) inputs.push_back(to_text(type));
  const std::string title = problem.node.title();
  const bool repeats_title = problem.reason.starts_with(title + ": ");
  return title + " of operator set " + std::to_string(problem.node.version) + " on " +
         (inputs.empty() ? "nothing" : join(inputs, ", ")) +
         (repeats_title ? problem.reason.substr(title.size()) : ": " + problem.reason);
}

Inferred infer(Graph graph) { return Inference(std::move(graph)).run(); }

}  // namespace tessera
