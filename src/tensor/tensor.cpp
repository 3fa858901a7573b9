#include "tensor/tensor.h"

#include "base/text.h"

#include <functional>
#include <numeric>

namespace tessera {

std::int64_t element_count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

Result<void> verify(const Shape& shape) {
  const auto refusal = [&](const std::string& what) {
    return Error{"shape " + to_text(shape) + ": " + what};
  };
  if (shape.size() > max_rank)
    return refusal("rank " + std::to_string(shape.size()) + " is above 8");
  std::int64_t room = max_element_count;
  for (const std::int64_t extent : shape) {
    if (extent < 1) return refusal("extent " + std::to_string(extent) + " is below 1");
    room /= extent;  // floor(floor(a / b) / c) == floor(a / (b * c))
  }
  if (room == 0) return refusal("more than 2^48 elements");
  return {};
}

}  // namespace tessera
