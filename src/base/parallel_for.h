#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tessera {

/// Calls `f(n)` for each n below `count` on so many threads, the caller's among them, in any order.
/// Throws what the first call that throws does, when all have ended; no further ones begin then.
template <typename F>
void parallel_for(std::size_t count, std::size_t threads, const F& f) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr thrown;
  std::once_flag is_thrown;
  const auto work = [&] {
    try {
      for (std::size_t n = next++; n < count; n = next++) f(n);
    } catch (...) {
      std::call_once(is_thrown, [&] { thrown = std::current_exception(); });
      next = count;
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t n = 1; n < std::min(threads, count); ++n) others.emplace_back(work);
    work();
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace tessera
