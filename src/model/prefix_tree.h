#pragma once

#include "feature/rows.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tessera {

/// Programs as paths in a tree: rows that several begin with stand there once. Schedules of one
/// task agree in their first steps, and whatever is computed from left to right is computed once
/// for all of them.
struct PrefixTree {
  struct Node {
    std::size_t row = 0;    // of `Rows`, one that is like it
    std::size_t depth = 0;  // 0 for a first row
  };
  std::vector<Node> nodes;        // each behind the one it goes on from, with all of that one's
                                  // continuations before the next of its own depth
  std::vector<std::size_t> ends;  // of each program, in the order given, its last node
};

/// Numbers of the programs in an order in which a walk through their tree meets them. Each has a
/// row at least.
std::vector<std::size_t> walking_order(const Rows& programs);

/// Of some of the programs, which follow each other in that order.
PrefixTree prefix_tree(const Rows& programs, std::span<const std::size_t> order);

}  // namespace tessera
