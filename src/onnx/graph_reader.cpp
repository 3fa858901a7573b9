#include "onnx/graph_reader.h"

#include "onnx/attribute_message.h"
#include "onnx/function_defaults.h"
#include "onnx/tensor_message.h"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

using onnx::FunctionProto;
using onnx::GraphProto;
using onnx::NodeProto;

/// Functions that call functions can say much in few bytes; past this beyond the size of the model
/// they are refused.
constexpr std::size_t most_expanded_bytes = std::size_t{1} << 26;
constexpr std::size_t most_nested_calls = 32;

/// Versions by domain. Files from before operator sets had versions are of version 1.
template <typename Imports>
std::map<std::string, std::int64_t> versions_of(const Imports& imports) {
  std::map<std::string, std::int64_t> versions;
  for (const onnx::OperatorSetIdProto& import : imports)
    versions[plain_domain(import.domain())] = import.version();
  if (versions.empty()) versions[""] = 1;
  return versions;
}

/// Not less than a node needs by itself, so that tiny ones count too.
std::size_t size_of_names(const Node& node) {
  std::size_t size = sizeof(Node);
  for (const ValueId& value : node.inputs) size += value.size();
  for (const ValueId& value : node.outputs) size += value.size();
  return size;
}

/// Names a node that has no name, and tells two calls of a function apart.
ValueId first_output(const Node& node) {
  const auto found =
      std::ranges::find_if(node.outputs, [](const ValueId& value) { return !value.empty(); });
  return found == node.outputs.end() ? ValueId() : *found;
}

bool has_nan(const HostBuffer& buffer) {
  return buffer.dtype() == DType::F32 &&
         std::ranges::any_of(buffer.as<float>(), [](float value) { return std::isnan(value); });
}

/// A graph may read values of those around it, which `verify` is told as inputs.
Result<void> order_and_verify(Graph& graph, const std::set<ValueId>& around) {
  const std::size_t own = graph.inputs.size();
  for (const ValueId& value : around) graph.inputs.push_back({value, {}});
  Result<void> sound = sort_nodes(graph);
  if (sound) sound = verify(graph);
  graph.inputs.resize(own);
  return sound;
}

}  // namespace

std::string plain_domain(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

ValueId GraphReader::Scope::value(const std::string& name) const {
  if (name.empty()) return name;
  const auto parameter = parameters.find(name);
  return parameter == parameters.end() ? prefix + name : parameter->second;
}

GraphReader::GraphReader(const onnx::ModelProto& model, std::filesystem::path folder)
    : model_(model),
      folder_(std::move(folder)),
      budget_bytes_(model.ByteSizeLong() + most_expanded_bytes) {
  for (const FunctionProto& function : model.functions())
    functions_[{plain_domain(function.domain()), function.name()}] = &function;
}

Result<Graph> GraphReader::read() {
  Scope scope;
  scope.versions = versions_of(model_.opset_import());
  return read_graph(model_.graph(), scope);
}

Result<Graph> GraphReader::read_graph(const GraphProto& message, const Scope& scope) {
  if (message.sparse_initializer_size() > 0)
    return Error{"initialiser \"" + message.sparse_initializer(0).values().name() +
                 "\" is a sparse tensor, which is not supported"};
  Graph graph;
  graph.name = message.name().empty() ? "network" : message.name();
  Result<std::map<ValueId, Constant>> constants = read_constants(message, scope);
  if (!constants) return constants.error();
  graph.constants = *std::move(constants);
  Result<std::vector<Node>> nodes = read_nodes(message.node(), scope);
  if (!nodes) return nodes.error();
  graph.nodes = *std::move(nodes);
  for (const onnx::ValueInfoProto& output : message.output())
    graph.outputs.push_back(scope.value(output.name()));
  return graph;
}

Result<Graph> GraphReader::read_body(const GraphProto& message, const Scope& scope) {
  Result<Graph> graph = read_graph(message, scope);
  if (!graph) return graph;
  for (const onnx::ValueInfoProto& input : message.input())
    graph->inputs.push_back({scope.value(input.name()), {}});
  Node holder;
  holder.attributes.emplace("body", std::make_shared<const Graph>(*graph));
  if (const auto sound = order_and_verify(*graph, reads_of(holder)); !sound) return sound.error();
  return graph;
}

Result<std::map<ValueId, Constant>> GraphReader::read_constants(const GraphProto& message,
                                                                const Scope& scope) {
  std::map<ValueId, Constant> constants;
  for (const onnx::TensorProto& tensor : message.initializer()) {
    const std::string subject = "initialiser \"" + tensor.name() + "\"";
    Result<Constant> constant = read_shared_tensor(tensor);
    if (!constant) return Error{subject + ": " + constant.error().message};
    if (has_nan(*constant->data)) return Error{subject + ": holds nan, expected numbers"};
    if (!constants.emplace(scope.value(tensor.name()), *std::move(constant)).second)
      return Error{subject + " is defined twice"};
  }
  return constants;
}

Result<Constant> GraphReader::read_shared_tensor(const onnx::TensorProto& message) {
  const auto known = tensors_.find(&message);
  if (known != tensors_.end()) return known->second;
  Result<Constant> tensor = read_tensor(message, folder_);
  if (tensor) tensors_.emplace(&message, *tensor);
  return tensor;
}

Result<std::vector<Node>> GraphReader::read_nodes(const NodeMessages& messages,
                                                  const Scope& scope) {
  std::vector<Node> nodes;
  for (const NodeProto& message : messages) {
    Result<Node> node = read_node(message, scope);
    if (!node) return node.error();
    if (!scope.calls.empty())
      if (const auto sound = spend(message.ByteSizeLong() + size_of_names(*node)); !sound)
        return sound.error();
    const auto function = functions_.find({node->domain, node->op});
    if (function != functions_.end()) {
      Result<std::vector<Node>> called = read_call(*node, *function->second, scope);
      if (!called) return called.error();
      std::ranges::move(*called, std::back_inserter(nodes));
      continue;
    }
    if (node->domain == own_domain)
      return Error{node->title() + ": operators of domain \"" + node->domain +
                   "\" are not for models"};
    const auto version = scope.versions.find(node->domain);
    if (version == scope.versions.end())
      return Error{node->title() + ": the model names no version of operator set \"" +
                   node->domain + "\""};
    node->version = version->second;
    if (const auto sound = verify_attributes(*node); !sound) return sound.error();
    nodes.push_back(*std::move(node));
  }
  return nodes;
}

Result<void> GraphReader::spend(std::size_t bytes) {
  if (bytes > budget_bytes_)
    return Error{"functions of the model expand to more than " +
                 std::to_string(most_expanded_bytes) + " bytes beyond its size"};
  budget_bytes_ -= bytes;
  return {};
}

Result<Node> GraphReader::read_node(const NodeProto& message, const Scope& scope) {
  Node node;
  node.domain = plain_domain(message.domain());
  node.op = message.op_type();
  for (const std::string& input : message.input()) node.inputs.push_back(scope.value(input));
  for (const std::string& output : message.output()) node.outputs.push_back(scope.value(output));
  node.name = message.name().empty() ? first_output(node) : scope.prefix + message.name();
  Result<std::map<std::string, Attribute>> attributes = read_attributes(message, scope);
  if (!attributes) return Error{node.title() + ": " + attributes.error().message};
  node.attributes = *std::move(attributes);
  return node;
}

Result<std::map<std::string, Attribute>> GraphReader::read_attributes(const NodeProto& message,
                                                                      const Scope& scope) {
  std::map<std::string, Attribute> attributes;
  const auto read_tensor = [&](const onnx::TensorProto& t) { return read_shared_tensor(t); };
  const auto read_inner = [&](const GraphProto& g) { return read_body(g, scope); };
  for (const onnx::AttributeProto& entry : message.attribute()) {
    const std::string subject = "attribute \"" + entry.name() + "\"";
    if (!entry.ref_attr_name().empty()) {
      if (scope.calls.empty())
        return Error{subject + " stands for that of a function, outside one"};
      const auto given = scope.attributes.find(entry.ref_attr_name());
      if (given != scope.attributes.end()) attributes.insert_or_assign(entry.name(), given->second);
      continue;
    }
    Result<Attribute> attribute = read_attribute(entry, read_tensor, read_inner);
    if (!attribute) return Error{subject + " " + attribute.error().message};
    if (!attributes.emplace(entry.name(), *std::move(attribute)).second)
      return Error{subject + " is given twice"};
  }
  return attributes;
}

Result<std::vector<Node>> GraphReader::read_call(const Node& call, const FunctionProto& function,
                                                 const Scope& caller) {
  if (std::ranges::find(caller.calls, &function) != caller.calls.end())
    return Error{call.title() + ": function " + function.name() + " calls itself"};
  if (caller.calls.size() >= most_nested_calls)
    return Error{call.title() + ": functions nest deeper than " +
                 std::to_string(most_nested_calls)};
  const auto inputs = static_cast<std::size_t>(function.input_size());
  const auto outputs = static_cast<std::size_t>(function.output_size());
  if (call.inputs.size() > inputs || call.outputs.size() > outputs)
    return Error{call.title() + ": " + std::to_string(call.inputs.size()) + " inputs and " +
                 std::to_string(call.outputs.size()) + " outputs, expected at most " +
                 std::to_string(inputs) + " and " + std::to_string(outputs)};
  if (const auto sound = spend(function.unknown_fields().SpaceUsedLong()); !sound)
    return sound.error();
  Scope scope;
  scope.versions = versions_of(function.opset_import());
  scope.prefix = first_output(call) + "/";
  scope.calls = caller.calls;
  scope.calls.push_back(&function);
  const ReadTensor read_default = [&](const onnx::TensorProto& t) {
    return read_tensor(t, folder_);
  };
  Result<std::map<std::string, Attribute>> defaults = function_defaults(function, read_default);
  if (!defaults) return Error{call.title() + ": " + defaults.error().message};
  scope.attributes = call.attributes;
  scope.attributes.merge(*defaults);
  for (std::size_t n = 0; n < inputs; ++n)
    scope.parameters[function.input(static_cast<int>(n))] =
        n < call.inputs.size() ? call.inputs[n] : ValueId();
  for (std::size_t n = 0; n < call.outputs.size(); ++n)
    if (!call.outputs[n].empty())
      scope.parameters[function.output(static_cast<int>(n))] = call.outputs[n];
  return read_nodes(function.node(), scope);
}

}  // namespace tessera
