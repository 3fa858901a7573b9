#pragma once

#include "base/result.h"
#include "graph/graph.h"

#include <string>
#include <vector>

namespace tessera {

/// Why a node cannot be compiled.
struct NodeProblem {
  Node node;
  std::vector<ValueType> inputs;  // absent ones left out
  std::string reason;
};

/// `Conv "layer1" of operator set 13 on float[1, 3], float[3]: REASON`.
std::string to_text(const NodeProblem& problem);

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
