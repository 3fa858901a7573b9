#pragma once

#include "base/rng.h"
#include "tensor/layout.h"
#include "tensor/tensor.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

namespace tessera {

/// Bytes in host memory, zero-filled, aligned to 64 and with 64 readable bytes past the end.
class HostBuffer {
 public:
  HostBuffer() = default;
  HostBuffer(DType dtype, std::int64_t element_count);

  DType dtype() const { return dtype_; }
  std::int64_t element_count() const { return count_; }
  std::int64_t size_bytes() const { return count_ * tessera::size_bytes(dtype_); }
  void* data() { return bytes_.get(); }
  const void* data() const { return bytes_.get(); }

  template <typename T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(bytes_.get()), static_cast<std::size_t>(count_)};
  }
  template <typename T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes_.get()), static_cast<std::size_t>(count_)};
  }

  /// One element as a double (an integer beyond 2^53 loses digits; `get_integer` does not).
  double get(std::int64_t element) const;
  std::int64_t get_integer(std::int64_t element) const;
  void set(std::int64_t element, double value);
  void set_integer(std::int64_t element, std::int64_t value);

  HostBuffer copy() const;

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  DType dtype_ = DType::F32;
  std::int64_t count_ = 0;
  std::unique_ptr<std::byte, Free> bytes_;
};

/// Copies row-major `logical` contents of `shape` into a new buffer of `layout`; padding and halo
/// are zero.
HostBuffer pack(const HostBuffer& logical, const Shape& shape, const Layout& layout);
/// The inverse of `pack`.
HostBuffer unpack(const HostBuffer& physical, const Shape& shape, const Layout& layout);

/// Reproducible contents: floats in [-1, 1), integers in [0, 8), booleans even.
void fill_random(HostBuffer& buffer, Rng& rng);

}  // namespace tessera
