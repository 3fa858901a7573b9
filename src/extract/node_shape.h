#pragma once

#include "ir/computation.h"

#include <cstdint>

namespace tessera {

/// What kind of work a node is, told from its Computation alone.
///   Elementwise   each element of its one output is made of the elements at the same place
///   Moving        no arithmetic: each element is one of an operand, at an affine place
///   Rearranging   other work without a reduction
///   Rows          reductions along the last axes, over rows in order (softmax, norms)
///   Contraction   sums of products of operands at single axes (matmul)
///   Reducing      other reductions (convolution, pooling)
enum class NodeShape : std::uint8_t {
  Elementwise,
  Moving,
  Rearranging,
  Rows,
  Contraction,
  Reducing
};

NodeShape shape_of(const Computation& node);

}  // namespace tessera
