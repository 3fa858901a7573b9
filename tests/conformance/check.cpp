#include "conformance/check.h"

#include "base/text.h"
#include "conformance/run.h"
#include "onnx/import.h"
#include "ops/infer.h"
#include "tensor/compare.h"

#include <exception>
#include <set>
#include <span>

namespace tessera::conformance {
namespace {

/// Those of ONNX's own runner of these tests.
constexpr Tolerance tolerance{.absolute = 1e-7, .relative = 1e-3};

std::string ops_of(const Graph& graph) {
  std::set<std::string> ops;
  for (const Node& node : graph.nodes) ops.insert(node.op);
  return join(std::vector<std::string>(ops.begin(), ops.end()), "+");
}

std::string op_of(const NodeProblem& problem) {
  return problem.node.substr(0, problem.node.find(' '));
}

/// As it leaves the network: rounded or wrapped to the element type.
HostBuffer stored(const Constant& value) {
  const ElementType type = value.type.element;
  const std::int64_t count = value.data->element_count();
  std::vector<std::byte> bytes(static_cast<std::size_t>(count * size_bytes(type)));
  encode(*value.data, type, bytes);
  return decode(type, count, bytes);
}

std::string text_of(const ValueType& type) {
  return std::string(to_text(type.element)) + to_text(type.shape);
}

/// The writer of these tests gives bfloat16 as the uint16 of the same bits.
Constant reinterpreted(const Constant& value, ElementType wanted) {
  if (wanted != ElementType::BFloat16 || value.type.element != ElementType::UInt16) return value;
  const std::int64_t count = value.data->element_count();
  std::vector<std::byte> bytes(static_cast<std::size_t>(count * size_bytes(wanted)));
  encode(*value.data, ElementType::UInt16, bytes);
  return {{wanted, value.type.shape}, std::make_shared<HostBuffer>(decode(wanted, count, bytes))};
}

std::optional<std::string> difference(const Constant& got, const Constant& want) {
  if (got.type != want.type) return "is " + text_of(got.type) + ", expected " + text_of(want.type);
  const Comparison comparison = compare(stored(got), *want.data, tolerance);
  if (!comparison.equal) return comparison.message;
  return std::nullopt;
}

/// A network and the inputs that remain open when it is compiled.
struct Prepared {
  Inferred inferred;
  std::vector<Constant> inputs;
};

/// Inputs of at most `rank` dimensions are known at compile time.
Prepared with_inputs_known(const Graph& graph, const std::vector<Constant>& inputs,
                           std::size_t rank) {
  Graph fixed = graph;
  fixed.inputs.clear();
  std::vector<Constant> open;
  for (std::size_t n = 0; n < inputs.size(); ++n) {
    if (inputs[n].type.shape.size() <= rank) {
      fixed.constants.emplace(graph.inputs[n].name, inputs[n]);
    } else {
      fixed.inputs.push_back(graph.inputs[n]);
      open.push_back(inputs[n]);
    }
  }
  return {infer(std::move(fixed)), std::move(open)};
}

Prepared prepare(const Graph& graph, const std::vector<Constant>& inputs) {
  Prepared prepared{infer(graph), inputs};
  for (const std::size_t rank : {std::size_t{1}, max_rank})
    if (!prepared.inferred.problems.empty()) prepared = with_inputs_known(graph, inputs, rank);
  return prepared;
}

std::optional<Failure> check_set(const std::filesystem::path& model, DataSet set) {
  Result<Imported> imported = import_onnx_file(model);
  if (!imported)
    return Failure{"import", imported.error().message.substr(model.string().size() + 2)};
  const Graph& graph = imported->graph;
  const std::string ops = ops_of(graph);
  if (graph.inputs.size() != set.inputs.size())
    return Failure{ops, "has " + std::to_string(graph.inputs.size()) + " inputs, the data set " +
                            std::to_string(set.inputs.size())};
  for (std::size_t n = 0; n < set.inputs.size(); ++n) {
    set.inputs[n] = reinterpreted(set.inputs[n], graph.inputs[n].type.element);
    if (graph.inputs[n].type != set.inputs[n].type)
      return Failure{ops, "input " + text_of(graph.inputs[n].type) + ", the data set has " +
                              text_of(set.inputs[n].type)};
  }
  const Prepared prepared = prepare(graph, set.inputs);
  if (!prepared.inferred.problems.empty()) {
    const NodeProblem& first = prepared.inferred.problems.front();
    return Failure{op_of(first), first.node + ": " + first.reason};
  }
  const Result<std::vector<Constant>> got = run(prepared.inferred.graph, prepared.inputs);
  if (!got) return Failure{ops, got.error().message};
  if (got->size() != set.outputs.size()) return Failure{ops, "other number of outputs"};
  for (std::size_t n = 0; n < got->size(); ++n)
    if (const auto wrong =
            difference((*got)[n], reinterpreted(set.outputs[n], (*got)[n].type.element)))
      return Failure{ops, "output " + std::to_string(n) + " " + *wrong};
  return std::nullopt;
}

}  // namespace

std::optional<Failure> check_case(const TestCase& test) try {
  const Result<std::vector<DataSet>> sets = read_data_sets(test);
  if (!sets) return Failure{"data", sets.error().message};
  if (sets->empty()) return Failure{"data", "no data set"};
  for (const DataSet& set : *sets)
    if (auto failure = check_set(test.folder / "model.onnx", set)) return failure;
  return std::nullopt;
} catch (const std::exception& error) {  // a bug: the other tests still tell something
  return Failure{"internal error", error.what()};
}

}  // namespace tessera::conformance
