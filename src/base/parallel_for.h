#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace tessera {

/// Calls `f(n)` for each n below `count` on so many threads, the caller's among them, in any order.
/// `f` must not throw.
template <typename F>
void parallel_for(std::size_t count, std::size_t threads, const F& f) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t n = next++; n < count; n = next++) f(n);
  };
  std::vector<std::jthread> others;
  for (std::size_t n = 1; n < std::min(threads, count); ++n) others.emplace_back(work);
  work();
}

}  // namespace tessera
