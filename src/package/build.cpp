#include "package/build.h"

#include "extract/assign_layouts.h"
#include "extract/copy_outputs.h"
#include "extract/fuse.h"
#include "extract/join_parts.h"
#include "extract/passes.h"
#include "ir/interpret.h"
#include "measure/instance.h"
#include "ops/infer.h"
#include "package/link.h"
#include "package/write.h"
#include "schedule/space.h"

namespace tessera {
namespace {

/// Below this many operations the interpreter is done before code would be made.
constexpr double few_operations = 100'000;

/// Computes constants: small ones by the interpreter, large ones by code for this machine.
Result<std::vector<HostBuffer>> evaluate_here(const Computation& computation,
                                              std::span<const HostBuffer> operands) {
  if (flops(computation) + traffic_bytes(computation) < few_operations)
    return evaluate(computation, operands);
  const Task task{computation, detect_host(), {}};
  const Result<Program> program = tessera::apply(default_schedule(task), to_program(computation));
  if (!program) return program.error();
  const Result<Instance> instance =
      Instance::make(*program, task.target, *llvm_backend(), operands);
  if (!instance) return instance.error();
  ThreadPool pool;
  instance->run(pool);
  return instance->outputs();
}

std::string listed(const std::vector<NodeProblem>& problems) {
  std::string text =
      std::to_string(problems.size()) + " unsupported " + (problems.size() == 1 ? "node" : "nodes");
  for (const NodeProblem& problem : problems) text += "; " + to_text(problem);
  return text;
}

}  // namespace

Result<Network> extract_network(Graph graph, const Target& target, PriorDrafts& drafts) {
  Inferred inferred = infer(std::move(graph));
  if (!inferred.problems.empty()) return Error{listed(inferred.problems)};
  if (const auto done = simplify_graph(inferred.graph, evaluate_here); !done) return done.error();
  Result<Network> network = fuse(inferred.graph);
  if (!network) return network.error();
  assign_layouts(*network, target, drafts);
  copy_outputs(*network);
  join_parts(*network, target);
  return network;
}

Result<CompiledNetwork> compile_graph(Graph graph, const Target& target,
                                      const CompileOptions& options) {
  PriorDrafts drafts;
  const Result<Network> network = extract_network(std::move(graph), target, drafts);
  if (!network) return network.error();
  CompileOptions chosen = options;
  if (!chosen.schedule_of)
    chosen.schedule_of = [&](const Task& task) { return drafts.of(task).schedule; };
  return compile_network(*network, target, *llvm_backend(), chosen);
}

Result<void> write_network(const CompiledNetwork& network, const Target& target,
                           const std::string& path) {
  const Result<std::string> code = link_objects(network.objects, target);
  if (!code) return code.error();
  std::vector<WeightsPiece> weights;
  for (const CompiledNetwork::Weights& piece : network.weights)
    weights.push_back({piece.offset,
                       {static_cast<const std::byte*>(piece.data.data()),
                        static_cast<std::size_t>(piece.data.size_bytes())}});
  return write_package(path, network.plan, target, *code, weights);
}

Result<ExecutionPlan> build_package(Graph graph, const Target& target, const std::string& path,
                                    const CompileOptions& options) {
  const Result<CompiledNetwork> compiled = compile_graph(std::move(graph), target, options);
  if (!compiled) return compiled.error();
  if (const auto done = write_network(*compiled, target, path); !done) return done.error();
  return compiled->plan;
}

}  // namespace tessera
