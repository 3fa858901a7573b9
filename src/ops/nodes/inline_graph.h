#pragma once

#include "ops/op.h"

#include <span>
#include <string>
#include <vector>

namespace tessera::ops {

/// Appends the nodes of a graph that an attribute holds, with `arguments` for its inputs; gives its
/// outputs. What the graph defines gets names below `prefix`, so that each copy has its own; what
/// it takes from around it keeps its name.
std::vector<ValueId> inline_graph(Expansion& e, const Graph& body,
                                  std::span<const ValueId> arguments, const std::string& prefix);

}  // namespace tessera::ops
