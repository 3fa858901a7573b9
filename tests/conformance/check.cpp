#include "conformance/check.h"

#include "base/text.h"
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

/// As it leaves the network: rounded or wrapped to the element type.
HostBuffer stored(const Constant& value) {
  const ElementType type = value.type.element;
  const std::int64_t count = value.data->element_count();
  std::vector<std::byte> bytes(static_cast<std::size_t>(count * size_bytes(type)));
  encode(*value.data, type, bytes);
  return decode(type, count, bytes);
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
  if (got.type != want.type) return "is " + to_text(got.type) + ", expected " + to_text(want.type);
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

std::optional<Failure> check_set(const Graph& graph, DataSet set, Run run) {
  const std::string ops = ops_of(graph);
  if (graph.inputs.size() != set.inputs.size())
    return Failure{ops, "has " + std::to_string(graph.inputs.size()) + " inputs, the data set " +
                            std::to_string(set.inputs.size())};
  for (std::size_t n = 0; n < set.inputs.size(); ++n) {
    set.inputs[n] = reinterpreted(set.inputs[n], graph.inputs[n].type.element);
    if (graph.inputs[n].type != set.inputs[n].type)
      return Failure{ops, "input " + to_text(graph.inputs[n].type) + ", the data set has " +
                              to_text(set.inputs[n].type)};
  }
  const Prepared prepared = prepare(graph, set.inputs);
  if (!prepared.inferred.problems.empty()) {
    const NodeProblem& first = prepared.inferred.problems.front();
    return Failure{first.node.op, to_text(first)};
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

std::optional<Failure> check_case(const TestCase& test, Run run) try {
  const Result<Imported> imported = import_onnx_file(test.model);
  if (!imported) return Failure{"import", imported.error().message};
  const Result<std::vector<DataSet>> sets = read_data_sets(test, imported->graph.inputs);
  if (!sets) return Failure{"data", sets.error().message};
  if (sets->empty()) return Failure{"data", "no data set"};
  for (const DataSet& set : *sets)
    if (auto failure = check_set(imported->graph, set, run)) return failure;
  return std::nullopt;
} catch (const std::exception& error) {  // a bug: the other tests still tell something
  return Failure{"internal error", error.what()};
}

}  // namespace tessera::conformance
