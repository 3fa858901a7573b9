#include "model/prefix_tree.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tessera {

std::vector<std::size_t> walking_order(const Rows& programs) {
  std::vector<std::size_t> order(programs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const std::size_t common = std::min(programs.length(a), programs.length(b));
    const int difference = std::memcmp(programs.of(a).data(), programs.of(b).data(),
                                       common * programs.width * sizeof(float));
    return difference != 0 ? difference < 0 : programs.length(a) < programs.length(b);
  });
  return order;
}

/// Of each program only the rows that differ from those of the one before are new.
PrefixTree prefix_tree(const Rows& programs, std::span<const std::size_t> order) {
  const std::size_t row_bytes = programs.width * sizeof(float);
  const auto row = [&](std::size_t program, std::size_t n) {
    return programs.values.data() + (programs.starts[program] + n) * programs.width;
  };
  PrefixTree tree;
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
    tree.ends.push_back(path.back());
    before = program;
  }
  return tree;
}

}  // namespace tessera
