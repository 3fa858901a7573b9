#pragma once

#include "runtime/kernel_abi.h"

#include <cstdint>
#include <memory>

namespace tessera {

/// Threads that share the iterations of a loop. The caller works too; chunks are claimed
/// atomically; idle workers spin briefly and then sleep. Threads are not pinned. Several callers
/// may use one pool at once: the first gets the workers, the others run their loops by themselves.
///
/// After a fork the child has no workers: its loops run on the caller alone, provided that no loop
/// was running at the fork, and the pool may be destroyed there.
class ThreadPool {
 public:
  /// `threads` counts the caller: 1 never starts a thread. 0 means `usable_cores()`.
  explicit ThreadPool(std::int64_t threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::int64_t threads() const;

  /// Calls `body` on pieces of [0, count) until all are done. A direct call with one thread, with
  /// one iteration, and inside the body of another loop. Scratch is null when no bytes are asked
  /// for, holds anything, and stays allocated for the thread's next loop. A body must not throw.
  void run(TesseraBody body, const void* frame, std::int64_t count, std::int64_t scratch_bytes);

  /// `run` in the shape generated code calls; the first argument is the pool.
  static void parallel(void* pool, TesseraBody body, const void* frame, std::int64_t count,
                       std::int64_t scratch_bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera
