#include "tensor/host_buffer.h"

#include "base/check.h"

#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace tessera {
namespace {

constexpr std::int64_t alignment_bytes = 64;

/// Calls `f` with a value of the element type of `dtype`.
template <typename F>
decltype(auto) with_type(DType dtype, F&& f) {
  switch (dtype) {
    case DType::F32:
      return f(float{});
    case DType::I32:
      return f(std::int32_t{});
    case DType::I64:
      return f(std::int64_t{});
    case DType::Bool:
      return f(std::uint8_t{});
  }
  fail("a listed dtype");
}

/// Calls `f(first, base, inner)` for each row of the innermost logical dimension: `first` is the
/// row-major position of its first element, and element k of the row lies at `base + inner[k]`.
template <typename F>
void for_each_row(const Shape& shape, const Layout& layout, F&& f) {
  const std::vector<OffsetShare> shares = offset_shares(layout, shape);
  std::vector<std::vector<std::int64_t>> offsets;  // per dimension and index
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    auto& along = offsets.emplace_back(static_cast<std::size_t>(shape[dim]));
    for (std::size_t i = 0; i < along.size(); ++i)
      along[i] = shares[dim](static_cast<std::int64_t>(i));
  }
  if (shape.empty()) offsets.push_back({0});
  const std::vector<std::int64_t> inner = std::move(offsets.back());
  offsets.pop_back();

  const auto length = static_cast<std::int64_t>(inner.size());
  std::vector<std::size_t> index(offsets.size(), 0);
  for (std::int64_t first = 0;; first += length) {
    std::int64_t base = 0;
    for (std::size_t dim = 0; dim < index.size(); ++dim) base += offsets[dim][index[dim]];
    f(first, base, inner);
    std::size_t dim = index.size();
    while (dim > 0 && ++index[dim - 1] == offsets[dim - 1].size()) index[--dim] = 0;
    if (dim == 0) return;
  }
}

}  // namespace

HostBuffer::HostBuffer(DType dtype, std::int64_t element_count)
    : dtype_(dtype), count_(element_count) {
  check(element_count >= 0 && element_count <= max_element_count, "a sane element count");
  const std::int64_t blocks = (size_bytes() + alignment_bytes - 1) / alignment_bytes + 1;
  const auto bytes = static_cast<std::size_t>(blocks * alignment_bytes);
  bytes_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment_bytes, bytes)));
  if (bytes_ == nullptr) throw std::bad_alloc();
  std::memset(bytes_.get(), 0, bytes);
}

double HostBuffer::get(std::int64_t element) const {
  return with_type(dtype_, [&]<typename T>(T) {
    return static_cast<double>(as<T>()[static_cast<std::size_t>(element)]);
  });
}

std::int64_t HostBuffer::get_integer(std::int64_t element) const {
  return with_type(dtype_, [&]<typename T>(T) {
    const T value = as<T>()[static_cast<std::size_t>(element)];
    if constexpr (std::is_same_v<T, float>)
      return truncated(value, DType::I64);
    else
      return static_cast<std::int64_t>(value);
  });
}

void HostBuffer::set(std::int64_t element, double value) {
  if (dtype_ == DType::F32)
    as<float>()[static_cast<std::size_t>(element)] = static_cast<float>(value);
  else
    set_integer(element, truncated(value, dtype_));
}

void HostBuffer::set_integer(std::int64_t element, std::int64_t value) {
  with_type(dtype_, [&]<typename T>(T) {
    T& place = as<T>()[static_cast<std::size_t>(element)];
    if constexpr (std::is_same_v<T, std::uint8_t>)
      place = value != 0;
    else
      place = static_cast<T>(value);
  });
}

HostBuffer HostBuffer::copy() const {
  HostBuffer result(dtype_, count_);
  if (count_ > 0) std::memcpy(result.data(), data(), static_cast<std::size_t>(size_bytes()));
  return result;
}

HostBuffer pack(const HostBuffer& logical, const Shape& shape, const Layout& layout) {
  check(logical.element_count() == element_count(shape), "a buffer of the shape's size");
  HostBuffer physical(logical.dtype(), physical_size(layout, shape));
  with_type(logical.dtype(), [&]<typename T>(T) {
    const T* const from = logical.as<T>().data();
    T* const to = physical.as<T>().data();
    for_each_row(shape, layout, [&](std::int64_t first, std::int64_t base, const auto& inner) {
      for (std::size_t k = 0; k < inner.size(); ++k)
        to[base + inner[k]] = from[first + static_cast<std::int64_t>(k)];
    });
  });
  return physical;
}

HostBuffer unpack(const HostBuffer& physical, const Shape& shape, const Layout& layout) {
  check(physical.element_count() == physical_size(layout, shape), "a buffer of the layout's size");
  HostBuffer logical(physical.dtype(), element_count(shape));
  with_type(logical.dtype(), [&]<typename T>(T) {
    const T* const from = physical.as<T>().data();
    T* const to = logical.as<T>().data();
    for_each_row(shape, layout, [&](std::int64_t first, std::int64_t base, const auto& inner) {
      for (std::size_t k = 0; k < inner.size(); ++k)
        to[first + static_cast<std::int64_t>(k)] = from[base + inner[k]];
    });
  });
  return logical;
}

void fill_random(HostBuffer& buffer, Rng& rng) {
  for (std::int64_t i = 0; i < buffer.element_count(); ++i) {
    switch (buffer.dtype()) {
      case DType::F32:  // 24 bits are exact in f32, so that 1 is never reached by rounding
        buffer.set(i, static_cast<double>(rng.next() >> 40) * 0x1.0p-23 - 1);
        break;
      case DType::I32:
      case DType::I64:
        buffer.set_integer(i, rng.below(8));
        break;
      case DType::Bool:
        buffer.set_integer(i, rng.below(2));
        break;
    }
  }
}

}  // namespace tessera
