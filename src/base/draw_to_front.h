#pragma once

#include "base/rng.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tessera {

/// Moves so many items of a range, which are drawn, to the front; there are as many at least.
template <typename Items>
void draw_to_front(Items&& items, std::size_t count, Rng& rng) {
  for (std::size_t n = 0; n < count; ++n) {
    const auto left = static_cast<std::int64_t>(items.size() - n);
    std::swap(items[n], items[n + static_cast<std::size_t>(rng.below(left))]);
  }
}

}  // namespace tessera
