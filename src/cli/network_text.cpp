#include "cli/network_text.h"

#include "base/text.h"
#include "ir/text.h"
#include "package/build.h"

#include <algorithm>
#include <array>

namespace tessera {
namespace {

Result<std::string> graph_text(const ModelArgument& argument, const Target&) {
  const Result<Graph> graph = read_model(argument);
  if (!graph) return graph.error();
  return to_text(*graph);
}

Result<std::string> calls_text(const ModelArgument& argument, const Target& target) {
  Result<Graph> graph = read_model(argument);
  if (!graph) return graph.error();
  PriorDrafts drafts;
  const Result<Network> network = extract_network(*std::move(graph), target, drafts);
  if (!network) return Error{argument.model + ": " + network.error().message};
  return to_text(*network);
}

Result<CompiledNetwork> compiled(const ModelArgument& argument, const Target& target) {
  Result<Graph> graph = read_model(argument);
  if (!graph) return graph.error();
  Result<CompiledNetwork> out = compile_graph(*std::move(graph), target);
  if (!out) return Error{argument.model + ": " + out.error().message};
  return out;
}

/// Every computation with its schedule, after the calls that share it.
Result<std::string> tasks_text(const ModelArgument& argument, const Target& target) {
  const Result<CompiledNetwork> network = compiled(argument, target);
  if (!network) return network.error();
  std::string text;
  for (std::size_t n = 0; n < network->tasks.size(); ++n) {
    for (const KernelCall& call : network->plan.calls)
      if (static_cast<std::size_t>(call.kernel) == n) text += "# " + call.title + "\n";
    text += to_text(network->tasks[n].computation) + to_text(network->schedules[n]) + "\n";
  }
  return text;
}

Result<std::string> plan_text(const ModelArgument& argument, const Target& target) {
  if (argument.is_package()) {
    const Result<Manifest> manifest = read_package(argument);
    if (!manifest) return manifest.error();
    return to_text(manifest->plan);
  }
  const Result<CompiledNetwork> network = compiled(argument, target);
  if (!network) return network.error();
  return to_text(network->plan);
}

struct NetworkEmit {
  std::string_view name;
  Result<std::string> (*text)(const ModelArgument&, const Target&);
};

constexpr std::array emits = {
    NetworkEmit{"graph", graph_text},
    NetworkEmit{"network", calls_text},
    NetworkEmit{"tasks", tasks_text},
    NetworkEmit{"plan", plan_text},
};

}  // namespace

bool is_network(const ModelArgument& argument) {
  return argument.model.starts_with("zoo:") || argument.model.ends_with(".onnx") ||
         argument.is_package();
}

std::string network_emits() {
  std::vector<std::string> names;
  for (const NetworkEmit& emit : emits) names.emplace_back(emit.name);
  return join(names, ", ");
}

Result<std::string> network_text(const ModelArgument& argument, const std::string& emit,
                                 const Target& target) {
  const auto* const found = std::ranges::find(emits, emit, &NetworkEmit::name);
  if (found == emits.end())
    return Error{"--emit=" + emit + ": " + argument.model + " is a network, expected one of " +
                 network_emits()};
  if (argument.is_package() && found->name != "plan")
    return Error{"--emit=" + emit + ": " + argument.model + " is a package, expected plan"};
  return found->text(argument, target);
}

}  // namespace tessera
