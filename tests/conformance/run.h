#pragma once

#include "base/result.h"
#include "graph/graph.h"

#include <vector>

namespace tessera::conformance {

/// Runs an inferred graph, node by node, with the interpreter. Inputs and outputs are in the order
/// of the graph.
Result<std::vector<Constant>> run(const Graph& graph, const std::vector<Constant>& inputs);

}  // namespace tessera::conformance
