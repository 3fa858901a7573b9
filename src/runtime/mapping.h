#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tessera {

/// Whole pages of memory; those never touched cost nothing.
class Mapping {
 public:
  /// The contents of a file, read-only and shared with all who map it. Refuses with `PATH: reason`.
  static Result<Mapping> of_file(const std::string& path);
  /// Zeros.
  static Result<Mapping> of_zeros(std::int64_t size_bytes);

  Mapping() = default;
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  explicit Mapping(std::span<std::byte> bytes) : bytes_(bytes) {}
  std::span<std::byte> bytes_;
};

}  // namespace tessera
