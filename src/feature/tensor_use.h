#pragma once

#include "feature/open_loops.h"
#include "feature/used_tensor.h"

#include <span>
#include <vector>

namespace tessera::statement {

/// Elements that a statement touches: for each dimension a sum of loops with coefficients, a
/// constant and what is not linear. Accesses that differ in the constant alone are one box.
struct AccessBox {
  struct Atom {  // `i_j % 7`, `T[i]`
    std::size_t dim;
    double factor;
    const Expr* value;
  };
  std::vector<Range> constants;      // of the dimensions
  std::vector<double> coefficients;  // of dimension after dimension, the loops outermost first
  std::vector<Atom> atoms;

  double coefficient(std::size_t dim, std::size_t level) const {
    return coefficients[dim * (coefficients.size() / constants.size()) + level];
  }
  /// The values of an index while the loops from `level` inwards run; `any` is what depends on
  /// data.
  Range range_from(const OpenLoops& loops, std::size_t level, std::size_t dim, Range any) const;
};

/// How one statement uses one tensor.
struct TensorUse {
  const UsedTensor* tensor;
  UseKind kind;
  std::vector<AccessBox> boxes;

  /// elements[n]: how many are touched while the loops from level n inwards run, as the box around
  /// them; those outside stand still. The last is for one iteration of the innermost loop.
  std::vector<double> elements = {};
  std::vector<double> sizes = {};  // of the box that all loops together touch

  double bytes_from(std::size_t level) const { return elements[level] * tensor->element_bytes(); }
  /// Whether another iteration of the loop may touch other elements.
  bool depends_on(const OpenLoops& loops, std::size_t level) const;
  /// Elements in memory from one iteration of a loop to the next, the least of all boxes. 0 when
  /// the loop does not matter, the average when the next iteration stays mostly (`c / 4`).
  double stride(const OpenLoops& loops, std::size_t level) const;
};

/// The tensor that is stored to, then those that are read, in order of appearance. An update reads
/// and writes, in one place.
std::vector<TensorUse> uses_of(const Store& store, const UsedTensors& tensors,
                               const OpenLoops& loops);

}  // namespace tessera::statement
