#pragma once

#include "base/result.h"
#include "graph/graph.h"

#include <string>
#include <vector>

namespace tessera {

/// Why a node cannot be compiled.
struct NodeProblem {
  std::string node;  // `Conv "layer1"`, with its operator set and the shapes of its inputs
  std::string reason;
};

struct Inferred {
  Graph graph;
  std::vector<NodeProblem> problems;  // all of them; the graph is whole when there are none
};

/// Learns the type of every value; expands nodes into simpler ones; computes small values that
/// depend on constants and shapes only, as shapes that a network computes. Afterwards every node is
/// one that a Computation can express. A node that reads what a problematic node gives is no
/// problem of its own.
Inferred infer(Graph graph);

}  // namespace tessera
