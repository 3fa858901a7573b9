#pragma once

#include "base/result.h"
#include "graph/graph.h"

#include <vector>

namespace tessera::conformance {

/// Runs a graph that `infer` finds no problem with. Inputs and outputs are in the order of the
/// graph.
using Run = Result<std::vector<Constant>> (*)(const Graph& graph,
                                              const std::vector<Constant>& inputs);

/// Node by node, as the interpreter does.
Result<std::vector<Constant>> run_interpreted(const Graph& graph,
                                              const std::vector<Constant>& inputs);
/// As a user does: compiled into a package for this machine, run by a session.
Result<std::vector<Constant>> run_compiled(const Graph& graph, const std::vector<Constant>& inputs);

}  // namespace tessera::conformance
