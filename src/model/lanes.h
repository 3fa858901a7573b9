#pragma once

#include <cstddef>
#include <type_traits>

namespace tessera {

/// Floats that are worked on together: a vector of AVX2, or parts of one that is wider or narrower.
inline constexpr std::size_t lanes = 8;
using Vector [[gnu::vector_size(lanes * sizeof(float))]] = float;
/// One that may lie anywhere. Copies by memcpy would go through memory in halves.
using LooseVector
    [[gnu::vector_size(lanes * sizeof(float)), gnu::aligned(alignof(float)), gnu::may_alias]] =
        float;

template <typename Floats>
[[gnu::always_inline]] inline Floats load(const float* at) {
  if constexpr (std::is_same_v<Floats, float>)
    return *at;
  else
    return *reinterpret_cast<const LooseVector*>(at);
}
[[gnu::always_inline]] inline void store(float* at, float value) { *at = value; }
[[gnu::always_inline]] inline void store(float* at, Vector value) {
  *reinterpret_cast<LooseVector*>(at) = value;
}

}  // namespace tessera
