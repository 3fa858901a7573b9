#pragma once

#include "base/result.h"
#include "tensor/tensor.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

class Scanner;

/// One physical dimension: the part `(index[dim] / divide) % modulo` of a logical index.
struct LayoutTerm {
  std::int64_t dim = 0;
  std::int64_t divide = 1;
  std::int64_t modulo = 0;  // 0: no modulo, the outermost part of `dim`
  std::int64_t pad = 0;     // unused elements after the extent, to move strides off powers of two
  friend bool operator==(const LayoutTerm&, const LayoutTerm&) = default;
};

/// Elements before and after a logical dimension that exist in memory and hold zero.
struct Halo {
  std::int64_t before = 0;
  std::int64_t after = 0;
  friend bool operator==(const Halo&, const Halo&) = default;
};

/// Where the elements of a logical shape lie in memory: an injective map of logical indices to
/// offsets. Text form: terms in physical order, outermost first, then halos.
///
///     [0 1]                         row-major matrix
///     [0 1+16]                      the same, each row 16 elements longer than its content
///     [1/16 0 1%16]                 columns in panels of 16, as a matmul reads its weights
///     [0 1/8 2 3 1%8] halo 2:1:1 3:1:1   NCHW8c inside a border of one zero row and column
///
/// Logical size not divisible by a block: the last block is zero-padded. A middle part of a
/// dimension cut twice is written `1/8%4`. Parts are taken of the index counted from the start of
/// the halo.
struct Layout {
  std::vector<LayoutTerm> terms;
  std::vector<Halo> halo;  // one per logical dimension, or empty for none
  friend bool operator==(const Layout&, const Layout&) = default;
};

Layout row_major(std::size_t rank);

/// Refuses unless each logical dimension of `shape` is covered exactly once: parts from `/d` down
/// to
/// `%m` must chain without gap or overlap. The functions below are for layouts that it accepts.
Result<void> verify(const Layout& layout, const Shape& shape);

/// Extents of the physical dimensions, block and row padding included.
Shape physical_extents(const Layout& layout, const Shape& shape);
/// Distance in elements between neighbours along each physical dimension.
Shape physical_strides(const Layout& layout, const Shape& shape);
/// Elements that a buffer of this layout needs.
std::int64_t physical_size(const Layout& layout, const Shape& shape);
/// Element offset of a logical index; indices inside the halo are allowed.
std::int64_t offset(const Layout& layout, const Shape& shape, const Shape& index);

/// The share of one logical dimension in `offset`, which is the sum of the shares.
struct OffsetShare {
  struct Part {
    std::int64_t divide = 1;
    std::int64_t modulo = 0;  // 0: none
    std::int64_t stride = 1;
  };
  std::int64_t before = 0;  // halo
  std::vector<Part> parts;

  std::int64_t operator()(std::int64_t index) const;
};

/// `offset` taken apart for many calls: one share per logical dimension.
std::vector<OffsetShare> offset_shares(const Layout& layout, const Shape& shape);

std::string to_text(const Layout& layout);
Result<Layout> parse_layout(std::string_view text);
/// Takes a layout from the middle of a text.
Result<Layout> parse_layout(Scanner& scanner);

}  // namespace tessera
