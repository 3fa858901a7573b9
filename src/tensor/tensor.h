#pragma once

#include "base/result.h"
#include "tensor/dtype.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

using Shape = std::vector<std::int64_t>;

inline constexpr std::size_t max_rank = 8;
/// Keeps sizes in bytes, strides and offsets far from overflow.
inline constexpr std::int64_t max_element_count = std::int64_t{1} << 48;

/// A named, typed shape. Holds no data.
struct Tensor {
  std::string name;
  DType dtype = DType::F32;
  Shape shape;
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

/// The product of the extents. For shapes that `verify` accepts.
std::int64_t element_count(const Shape& shape);

/// Refuses a rank above `max_rank`, an extent below 1 and more than `max_element_count` elements.
Result<void> verify(const Shape& shape);

}  // namespace tessera
