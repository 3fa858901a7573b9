#pragma once

#include "base/result.h"
#include "graph/graph.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tessera {

/// A network that the program knows by itself.
struct ZooEntry {
  std::string_view name;
  std::string_view family;
  std::string_view description;
  std::vector<GraphInput> inputs;
  std::int64_t parameter_count = 0;  // elements of learned weights
};

/// All of them, family by family.
std::vector<ZooEntry> zoo();

/// The published architecture with seeded weights, scaled so that activations stay near one. The
/// same on every machine.
Result<Graph> zoo_graph(std::string_view name);

}  // namespace tessera
