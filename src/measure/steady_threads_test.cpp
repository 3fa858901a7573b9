#include "measure/steady_threads.h"

#include "base/cores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace tessera {
namespace {

/// How many cores each thread of a pool may run on.
std::vector<int> room_of(ThreadPool& pool) {
  struct Frame {
    std::vector<int> rooms;
    std::atomic<std::int64_t> missing;
  };
  Frame frame{std::vector<int>(static_cast<std::size_t>(pool.threads())), pool.threads()};
  Frame* const shared = &frame;
  const auto body = [](const void* data, std::int64_t begin, std::int64_t, void*) {
    Frame& all = **static_cast<Frame* const*>(data);
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    all.rooms[static_cast<std::size_t>(begin)] = CPU_COUNT(&set);
    --all.missing;
    while (all.missing > 0) std::this_thread::yield();
  };
  pool.run(body, &shared, pool.threads(), 0);
  return frame.rooms;
}

TEST(SteadyThreads, HaveACoreEachUntilTheyEnd) {
  const auto cores = static_cast<int>(usable_cores());
  if (cores < 2) GTEST_SKIP() << "one core";
  ThreadPool pool(2);
  const std::vector<int> before = room_of(pool);
  {
    SteadyThreads steady(pool);
    const auto pinned = steady.pin();
    EXPECT_EQ(room_of(pool), std::vector({1, 1}));
    steady.gather();
  }
  EXPECT_EQ(room_of(pool), before);
}

TEST(SteadyThreads, AreLeftAloneWhenTheyAreMoreThanCores) {
  ThreadPool pool(usable_cores() + 1);
  const std::vector<int> before = room_of(pool);
  SteadyThreads steady(pool);
  const auto pinned = steady.pin();
  steady.gather();
  EXPECT_EQ(room_of(pool), before);
}

}  // namespace
}  // namespace tessera
