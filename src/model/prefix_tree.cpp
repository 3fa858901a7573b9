#include "model/prefix_tree.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tessera {

/// Sorted programs come as a walk through the tree visits them: of each only the rows that differ
/// from those of the one before are new.
PrefixTree prefix_tree(const Rows& programs, std::size_t first, std::size_t end) {
  const std::size_t row_bytes = programs.width * sizeof(float);
  const auto row = [&](std::size_t program, std::size_t n) {
    return programs.values.data() + (programs.starts[program] + n) * programs.width;
  };
  std::vector<std::size_t> order(end - first);
  std::iota(order.begin(), order.end(), first);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const std::size_t common = std::min(programs.length(a), programs.length(b));
    const int difference = std::memcmp(row(a, 0), row(b, 0), common * row_bytes);
    return difference != 0 ? difference < 0 : programs.length(a) < programs.length(b);
  });
  PrefixTree tree;
  tree.ends.resize(order.size());
  std::vector<std::size_t> path;  // nodes of the program before
  std::size_t before = 0;
  for (const std::size_t program : order) {
    const std::size_t length = programs.length(program);
    std::size_t shared = 0;
    while (shared < std::min(length, path.size()) &&
           std::memcmp(row(program, shared), row(before, shared), row_bytes) == 0)
      ++shared;
    path.resize(shared);
    for (std::size_t n = shared; n < length; ++n) {
      path.push_back(tree.nodes.size());
      tree.nodes.push_back({.row = programs.starts[program] + n, .depth = n});
    }
    tree.ends[program - first] = path.back();
    before = program;
  }
  return tree;
}

}  // namespace tessera
