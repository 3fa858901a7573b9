#pragma once

#include "base/result.h"
#include "graph/graph.h"
#include "package/compile.h"
#include "schedule/space.h"
#include "target/target.h"

#include <string>

namespace tessera {

/// The calls that a graph becomes: nodes known, constants folded, patterns recovered, nodes fused,
/// layouts assigned, parts joined; `drafts` keeps what the prior found on the way. Refuses with all
/// problems of `infer`.
Result<Network> extract_network(Graph graph, const Target& target, PriorDrafts& drafts);

/// Compiles a graph, with the prior's schedules unless others are given.
Result<CompiledNetwork> compile_graph(Graph graph, const Target& target,
                                      const CompileOptions& options = {});

/// Links what was compiled and writes it as a package, whole or not at all.
Result<void> write_network(const CompiledNetwork& network, const Target& target,
                           const std::string& path);

/// Compiles a graph and writes it as a package; nothing is written unless all went well.
Result<ExecutionPlan> build_package(Graph graph, const Target& target, const std::string& path,
                                    const CompileOptions& options = {});

}  // namespace tessera
