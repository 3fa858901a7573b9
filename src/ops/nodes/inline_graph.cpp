#include "ops/nodes/inline_graph.h"

#include "base/check.h"

#include <map>
#include <memory>

namespace tessera::ops {
namespace {

using Names = std::map<ValueId, ValueId>;

ValueId renamed(const ValueId& value, const Names& names) {
  const auto found = names.find(value);
  return found == names.end() ? value : found->second;
}

Attribute renamed(const Attribute& attribute, const Names& names);

Node renamed(Node node, const Names& names) {
  for (ValueId& value : node.inputs) value = renamed(value, names);
  for (ValueId& value : node.outputs) value = renamed(value, names);
  for (auto& [name, attribute] : node.attributes) attribute = renamed(attribute, names);
  return node;
}

/// A graph inside a renamed one: what it defines itself keeps its name.
Attribute renamed(const Attribute& attribute, const Names& names) {
  const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&attribute);
  if (graph == nullptr) return attribute;
  auto copy = std::make_shared<Graph>(**graph);
  Names outer = names;
  for (const GraphInput& input : copy->inputs) outer.erase(input.name);
  for (const auto& [name, constant] : copy->constants) outer.erase(name);
  for (const Node& node : copy->nodes)
    for (const ValueId& value : node.outputs) outer.erase(value);
  for (Node& node : copy->nodes) node = renamed(std::move(node), outer);
  for (ValueId& value : copy->outputs) value = renamed(value, outer);
  return std::shared_ptr<const Graph>(std::move(copy));
}

}  // namespace

std::vector<ValueId> inline_graph(Expansion& e, const Graph& body,
                                  std::span<const ValueId> arguments, const std::string& prefix) {
  check(arguments.size() == body.inputs.size(), "an argument for each input");
  Names names;
  for (std::size_t n = 0; n < arguments.size(); ++n) names[body.inputs[n].name] = arguments[n];
  for (const auto& [name, constant] : body.constants) {
    names[name] = prefix + "/" + name;
    e.constants.emplace(names[name], constant);
  }
  for (const Node& node : body.nodes)
    for (const ValueId& value : node.outputs)
      if (!value.empty()) names[value] = prefix + "/" + value;
  for (const Node& node : body.nodes) {
    e.nodes.push_back(renamed(node, names));
    e.nodes.back().name = prefix + "/" + node.name;
  }
  std::vector<ValueId> outputs;
  for (const ValueId& value : body.outputs) outputs.push_back(renamed(value, names));
  return outputs;
}

}  // namespace tessera::ops
