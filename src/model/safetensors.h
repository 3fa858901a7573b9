#pragma once

#include "base/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Numbers of a model, by name.
struct NamedTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;  // row-major
  friend bool operator==(const NamedTensor&, const NamedTensor&) = default;
};

using Tensors = std::vector<NamedTensor>;

/// A file of the safetensors format:
///
///     8 bytes   length of the header, little-endian
///     header    JSON: {"__metadata__": {TEXT: TEXT, ..},
///                      NAME: {"dtype": "F32", "shape": [..], "data_offsets": [BEGIN, END]}, ..}
///     data      the tensors one behind the other, little-endian
///
/// Tensors are in the order of their data.
struct Safetensors {
  Tensors tensors;
  std::map<std::string, std::string> metadata = {};
  friend bool operator==(const Safetensors&, const Safetensors&) = default;
};

/// Why numbers cannot be kept: one is not finite. Names the tensor.
Result<void> expect_finite(const Tensors& tensors);

std::string to_bytes(const Safetensors& file);
/// Refuses bytes that are cut off, data that is not covered exactly once, elements other than
/// 32-bit floats, and numbers that are not finite.
Result<Safetensors> parse_safetensors(std::string_view bytes);

/// Refuse with `PATH: reason`.
Result<Safetensors> read_safetensors(const std::string& path);
/// The file appears whole or not at all. Refuses numbers that are not finite, too.
Result<void> write_safetensors(const std::string& path, const Safetensors& file);

}  // namespace tessera
