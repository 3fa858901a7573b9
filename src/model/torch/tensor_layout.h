#pragma once

#include "base/result.h"
#include "model/safetensors.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tessera {

/// Where the numbers of named tensors lie when they are one list, in the order of the tensors.
class TensorLayout {
 public:
  struct Slice {
    std::string name;
    std::vector<std::int64_t> shape;
    std::size_t first = 0;
    std::size_t size = 0;
  };

  /// Values do not matter.
  explicit TensorLayout(const Tensors& like);

  const std::vector<Slice>& slices() const { return slices_; }
  std::size_t size() const {
    return slices_.empty() ? 0 : slices_.back().first + slices_.back().size;
  }

  Tensors tensors(std::span<const float> numbers) const;
  /// The tensors may be in any order. Refuses other names, other shapes and numbers that are not
  /// finite.
  Result<std::vector<float>> numbers(const Tensors& tensors) const;

 private:
  std::vector<Slice> slices_;
};

}  // namespace tessera
