#include "cli/model_argument.h"
#include "cli/verbs.h"
#include "ops/infer.h"
#include "ops/op.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <optional>

namespace tessera {
namespace {

struct InspectArguments {
  ModelArgument model;
  bool is_json = false;
};

/// Nodes of one operator.
struct OperatorCount {
  std::string op;  // with its domain
  std::int64_t version = 0;
  std::int64_t count = 0;
};

/// What can be said of a network without compiling it.
struct Inspection {
  std::vector<GraphInput> inputs;
  std::vector<std::pair<ValueId, std::optional<ValueType>>> outputs;
  std::vector<OperatorCount> operators;  // most frequent first
  std::int64_t node_count = 0;
  std::int64_t parameter_count = 0;  // elements of constants that are floats
  std::optional<double> flops;       // unless there are problems
  std::vector<NodeProblem> problems;
};

std::vector<OperatorCount> operators_of(const Graph& graph) {
  std::map<std::pair<std::string, std::int64_t>, std::int64_t> counts;
  for (const Node& node : graph.nodes)
    ++counts[{node.domain.empty() ? node.op : node.domain + "." + node.op, node.version}];
  std::vector<OperatorCount> out;
  for (const auto& [key, count] : counts) out.push_back({key.first, key.second, count});
  std::ranges::stable_sort(out, std::greater(), &OperatorCount::count);
  return out;
}

std::int64_t parameters_of(const Graph& graph) {
  std::int64_t count = 0;
  const auto add = [&](const Constant& constant) {
    if (is_float(constant.data->dtype())) count += constant.data->element_count();
  };
  for (const auto& [name, constant] : graph.constants) add(constant);
  for (const Node& node : graph.nodes)
    for (const auto& [name, attribute] : node.attributes)
      if (const auto* constant = std::get_if<Constant>(&attribute)) add(*constant);
  return count;
}

/// Arithmetic of the nodes of an inferred graph, as they are written.
double flops_of(const Graph& graph) {
  double total = 0;
  for (const Node& node : graph.nodes)
    if (const auto defined = ops::define_node(ops::NodeView(graph, node)))
      total += flops(defined->computation);
  return total;
}

Inspection inspection_of(Graph graph) {
  Inspection found;
  found.inputs = graph.inputs;
  found.operators = operators_of(graph);
  found.node_count = static_cast<std::int64_t>(graph.nodes.size());
  found.parameter_count = parameters_of(graph);
  Inferred inferred = infer(std::move(graph));
  for (const ValueId& output : inferred.graph.outputs) {
    const auto type = inferred.graph.types.find(output);
    found.outputs.emplace_back(
        output, type == inferred.graph.types.end() ? std::nullopt : std::optional(type->second));
  }
  if (inferred.problems.empty()) found.flops = flops_of(inferred.graph);
  found.problems = std::move(inferred.problems);
  return found;
}

/// `25.6 M`.
std::string with_unit(double value) {
  constexpr std::array units = {"", " k", " M", " G", " T"};
  std::size_t unit = 0;
  for (; value >= 1000 && unit + 1 < units.size(); ++unit) value /= 1000;
  return fmt::format("{:.{}f}{}", value, unit == 0 ? 0 : 2, units[unit]);
}

void print_text(const Inspection& found) {
  for (const GraphInput& input : found.inputs)
    fmt::print("input      {} {}\n", input.name, to_text(input.type));
  for (const auto& [name, type] : found.outputs)
    fmt::print("output     {} {}\n", name, type ? to_text(*type) : "of unknown type");
  fmt::print("nodes      {}\n", found.node_count);
  for (const OperatorCount& op : found.operators)
    fmt::print("{:>9}  {} of operator set {}\n", op.count, op.op, op.version);
  fmt::print("parameters {}\n", with_unit(static_cast<double>(found.parameter_count)));
  if (found.flops) fmt::print("flops      {}\n", with_unit(*found.flops));
  for (const NodeProblem& problem : found.problems)
    fmt::print("unsupported {}\n", to_text(problem));
}

nlohmann::ordered_json json_of(const std::string& name, const ValueType& type) {
  return {{"name", name}, {"type", to_text(type.element)}, {"shape", type.shape}};
}

nlohmann::ordered_json json_of(const NodeProblem& problem) {
  nlohmann::ordered_json inputs = nlohmann::ordered_json::array();
  for (const ValueType& type : problem.inputs) inputs.push_back(to_text(type));
  return {{"name", problem.node.name}, {"domain", problem.node.domain},
          {"op", problem.node.op},     {"version", problem.node.version},
          {"inputs", inputs},          {"reason", problem.reason}};
}

nlohmann::ordered_json document_of(const std::string& model, const Inspection& found) {
  constexpr auto list = [] { return nlohmann::ordered_json::array(); };
  nlohmann::ordered_json document = {{"model", model},      {"inputs", list()},
                                     {"outputs", list()},   {"nodes", found.node_count},
                                     {"operators", list()}, {"parameters", found.parameter_count},
                                     {"flops", nullptr},    {"unsupported", list()}};
  for (const GraphInput& input : found.inputs)
    document["inputs"].push_back(json_of(input.name, input.type));
  for (const auto& [name, type] : found.outputs)
    document["outputs"].push_back(type ? json_of(name, *type)
                                       : nlohmann::ordered_json{{"name", name}});
  for (const OperatorCount& op : found.operators)
    document["operators"].push_back({{"op", op.op}, {"version", op.version}, {"count", op.count}});
  if (found.flops) document["flops"] = *found.flops;
  for (const NodeProblem& problem : found.problems)
    document["unsupported"].push_back(json_of(problem));
  return document;
}

int run_inspect(const InspectArguments& arguments) {
  Result<Graph> graph = read_model(arguments.model);
  if (!graph) return refuse(graph.error());
  const Inspection found = inspection_of(*std::move(graph));
  arguments.is_json ? print_json(document_of(arguments.model.model, found)) : print_text(found);
  if (found.problems.empty()) return ExitCode::success;
  return refuse({fmt::format("{}: {} unsupported {}", arguments.model.model, found.problems.size(),
                             found.problems.size() == 1 ? "node" : "nodes")});
}

}  // namespace

void add_inspect(CLI::App& program) {
  const auto arguments = std::make_shared<InspectArguments>();
  CLI::App& verb = *program.add_subcommand(
      "inspect", "Show what a network is made of and what of it cannot be compiled");
  add_model_argument(verb, arguments->model, "An ONNX file, or zoo:NAME");
  verb.add_flag("--json", arguments->is_json, "Print JSON");
  verb.footer(
      "Example: tessera inspect model.onnx --shape input=1,3,224,224\n"
      "         tessera inspect zoo:resnet50 --json");
  on_run(verb, [arguments] { return run_inspect(*arguments); });
}

}  // namespace tessera
