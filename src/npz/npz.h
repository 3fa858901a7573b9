#pragma once

#include "base/result.h"
#include "tensor/element_type.h"
#include "tensor/tensor.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

/// An array of a NumPy archive: row-major, little-endian, packed.
struct NamedArray {
  std::string name;
  ElementType element = ElementType::Float;
  Shape shape;
  std::vector<std::byte> bytes;
  friend bool operator==(const NamedArray&, const NamedArray&) = default;
};

/// The arrays of an `.npz` file, stored or deflated, in the order of the file; Fortran order is
/// turned into row-major. Refuses with `PATH: reason` what is no archive of arrays, element types
/// that `ElementType` does not have, and big-endian numbers.
Result<std::vector<NamedArray>> read_npz(const std::string& path);

/// Writes an `.npz` file that NumPy reads. bfloat16, which NumPy does not have, is refused.
Result<void> write_npz(const std::string& path, const std::vector<NamedArray>& arrays);

}  // namespace tessera
