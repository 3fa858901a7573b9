#include "graph/graph.h"

#include <algorithm>
#include <set>

namespace tessera {
namespace {

std::set<ValueId> defined_outside(const Graph& graph) {
  std::set<ValueId> known;
  for (const GraphInput& input : graph.inputs) known.insert(input.name);
  for (const auto& [name, constant] : graph.constants) known.insert(name);
  return known;
}

/// The values of the surrounding graph that the graphs of `node`'s attributes read are inputs too.
void collect_captured(const Graph& inner, std::set<ValueId>& captured) {
  std::set<ValueId> known = defined_outside(inner);
  for (const Node& node : inner.nodes) known.insert(node.outputs.begin(), node.outputs.end());
  const auto use = [&](const ValueId& value) {
    if (!value.empty() && !known.contains(value)) captured.insert(value);
  };
  for (const Node& node : inner.nodes) {
    for (const ValueId& value : node.inputs) use(value);
    for (const auto& [name, attribute] : node.attributes)
      if (const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&attribute)) {
        std::set<ValueId> deeper;
        collect_captured(**graph, deeper);
        for (const ValueId& value : deeper) use(value);
      }
  }
  for (const ValueId& value : inner.outputs) use(value);
}

}  // namespace

std::set<ValueId> reads_of(const Node& node) {
  std::set<ValueId> reads;
  for (const ValueId& value : node.inputs)
    if (!value.empty()) reads.insert(value);
  for (const auto& [name, attribute] : node.attributes)
    if (const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&attribute))
      collect_captured(**graph, reads);
  return reads;
}

std::string Node::title() const {
  return (domain.empty() ? op : domain + "." + op) + " \"" + name + "\"";
}

Result<void> verify(const Graph& graph) {
  std::set<ValueId> known;
  const auto define = [&](const ValueId& value) -> Result<void> {
    if (!known.insert(value).second) return Error{"value \"" + value + "\" is defined twice"};
    return {};
  };
  for (const GraphInput& input : graph.inputs)
    if (const auto sound = define(input.name); !sound) return sound.error();
  for (const auto& [name, constant] : graph.constants)
    if (const auto sound = define(name); !sound) return sound.error();
  for (const Node& node : graph.nodes) {
    for (const ValueId& value : reads_of(node))
      if (!known.contains(value))
        return Error{node.title() + " reads \"" + value + "\", which nothing before it defines"};
    for (const ValueId& value : node.outputs)
      if (!value.empty())
        if (const auto sound = define(value); !sound)
          return Error{node.title() + ": " + sound.error().message};
  }
  for (const ValueId& value : graph.outputs)
    if (!known.contains(value)) return Error{"output \"" + value + "\" is defined by nothing"};
  return {};
}

Result<void> sort_nodes(Graph& graph) {
  std::set<ValueId> known = defined_outside(graph);
  std::map<ValueId, std::vector<std::size_t>> waiting;  // nodes by a value they lack
  std::vector<std::size_t> lacks(graph.nodes.size());
  std::set<std::size_t> ready;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const ValueId& value : reads_of(graph.nodes[n]))
      if (!known.contains(value)) {
        waiting[value].push_back(n);
        ++lacks[n];
      }
    if (lacks[n] == 0) ready.insert(n);
  }
  std::vector<Node> sorted;
  while (!ready.empty()) {
    const std::size_t n = *ready.begin();
    ready.erase(ready.begin());
    for (const ValueId& value : graph.nodes[n].outputs)
      for (const std::size_t reader : waiting[value])
        if (--lacks[reader] == 0) ready.insert(reader);
    sorted.push_back(graph.nodes[n]);
  }
  if (sorted.size() != graph.nodes.size()) {
    const auto stuck =
        std::find_if(lacks.begin(), lacks.end(), [](std::size_t count) { return count > 0; });
    const Node& node = graph.nodes[static_cast<std::size_t>(stuck - lacks.begin())];
    return Error{node.title() + " reads what nothing defines, or what depends on itself"};
  }
  graph.nodes = std::move(sorted);
  return {};
}

void drop_dead(Graph& graph) {
  std::set<ValueId> used(graph.outputs.begin(), graph.outputs.end());
  std::vector<Node> live;
  for (std::size_t n = graph.nodes.size(); n-- > 0;) {
    Node& node = graph.nodes[n];
    const bool is_used = std::any_of(node.outputs.begin(), node.outputs.end(),
                                     [&](const ValueId& value) { return used.contains(value); });
    if (!is_used) continue;
    for (const ValueId& value : reads_of(node)) used.insert(value);
    live.push_back(std::move(node));
  }
  std::reverse(live.begin(), live.end());
  graph.nodes = std::move(live);
  std::erase_if(graph.constants, [&](const auto& entry) { return !used.contains(entry.first); });
}

}  // namespace tessera
