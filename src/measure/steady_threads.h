#pragma once

#include "runtime/thread_pool.h"

#include <sched.h>

namespace tessera {

/// The threads of a pool as they should be when a run is timed: awake, each on a core of its own.
class SteadyThreads {
 public:
  explicit SteadyThreads(ThreadPool& pool) : pool_(pool) {}

  ThreadPool& pool() { return pool_; }

  /// While it lives each thread stays on its core, where there are as many. Left alone, two of them
  /// share a core for milliseconds now and then, and a kernel of that time looks twice as slow as
  /// it is. Threads that are started meanwhile would stay on the core of the one that starts them.
  class Pinned {
   public:
    explicit Pinned(ThreadPool& pool);
    ~Pinned();
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;

   private:
    ThreadPool& pool_;
    cpu_set_t free_;  // where they may run otherwise
    bool is_pinned_ = false;
  };
  Pinned pin() { return Pinned(pool_); }

  /// Returns when all are awake: one that sleeps takes as long to wake as a small kernel runs, and
  /// within a network seldom does. False when their cores are slower just now than they usually
  /// are, as those of a machine with other guests are at times.
  bool gather();

 private:
  ThreadPool& pool_;
  double usual_ = 0;  // seconds of a probe, of which a quarter takes less
};

}  // namespace tessera
