#include "model/torch/batches.h"

namespace tessera {

std::vector<Batch> batches(const Rows& programs, std::span<const std::size_t> begins) {
  constexpr std::size_t enough_rows = 1536;  // products are fast, results still in the caches
  std::vector<Batch> batches;
  std::size_t first_row = 0;
  for (std::size_t n = 0; n + 1 < begins.size(); ++n) {
    const std::size_t rows = programs.starts[begins[n + 1]] - first_row;
    if (batches.empty() || rows > enough_rows) {
      first_row = programs.starts[begins[n]];
      batches.push_back({n, n});
    }
    batches.back().end = n + 1;
  }
  return batches;
}

}  // namespace tessera
