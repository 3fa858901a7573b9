#pragma once

#include "ir/program.h"

#include <deque>
#include <span>
#include <string_view>
#include <vector>

namespace tessera::statement {

/// A tensor of a program: where its elements lie, and for how long they do.
struct UsedTensor {
  const Tensor* tensor;
  Layout layout;
  bool is_constant = false;  // known when code is made
  bool is_output = false;
  /// Loops around its allocation: what it holds does not outlive an iteration of theirs.
  std::size_t outer_loops = 0;
  bool is_allocated = false;

  Shape physical = {};                   // extents of the layout's terms
  std::vector<OffsetShare> shares = {};  // of the logical dimensions, the halo left out
  Shape reach = {};                      // elements that there are along each dimension, with halo

  double element_bytes() const { return static_cast<double>(size_bytes(tensor->dtype)); }
  /// Elements in memory from the start of a block to `steps` indices further.
  double distance(std::size_t dim, double steps) const;
  /// Elements that lie one behind the other in a box of `sizes`.
  double run(std::span<const double> sizes) const;
};

/// The tensors that are known at a place of a program.
class UsedTensors {
 public:
  explicit UsedTensors(const Program& program);

  void allocate(const Placed& placed, std::size_t outer_loops);
  void mark_constant(std::string_view name);
  /// The latest of that name; null for what is allocated further inside.
  const UsedTensor* find(std::string_view name) const;

 private:
  void add(UsedTensor tensor);

  std::deque<UsedTensor> tensors_;  // which stay where they are
};

}  // namespace tessera::statement
