#include "runtime/thread_pool.h"

#include "base/check.h"
#include "base/cores.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tessera {
namespace {

/// Runs a callable of (begin, end, scratch) over [0, count).
template <typename Body>
void run(ThreadPool& pool, std::int64_t count, std::int64_t scratch_bytes, const Body& body) {
  pool.run([](const void* frame, std::int64_t begin, std::int64_t end,
              void* scratch) { (*static_cast<const Body*>(frame))(begin, end, scratch); },
           &body, count, scratch_bytes);
}

/// Whether a loop of `count` touches each index once.
testing::AssertionResult covers(ThreadPool& pool, std::int64_t count) {
  std::vector<std::atomic<int>> touched(static_cast<std::size_t>(count));
  run(pool, count, 0, [&](std::int64_t begin, std::int64_t end, void*) {
    for (std::int64_t i = begin; i < end; ++i) ++touched[static_cast<std::size_t>(i)];
  });
  for (std::size_t i = 0; i < touched.size(); ++i)
    if (touched[i] != 1)
      return testing::AssertionFailure()
             << "index " << i << " of " << count << " touched " << touched[i] << " times, "
             << pool.threads() << " threads";
  return testing::AssertionSuccess();
}

TEST(ThreadPool, TouchesEveryIndexOnce) {
  for (const std::int64_t threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (std::int64_t count = 0; count < 70; ++count) EXPECT_TRUE(covers(pool, count));
    EXPECT_TRUE(covers(pool, 100003));
  }
}

TEST(ThreadPool, CutsHugeCountsWithoutOverflow) {
  constexpr std::int64_t huge = INT64_MAX;
  ThreadPool pool(3);
  std::atomic<std::uint64_t> total = 0;
  run(pool, huge, 0, [&](std::int64_t begin, std::int64_t end, void*) {
    EXPECT_LT(begin, end);
    total += static_cast<std::uint64_t>(end - begin);
  });
  EXPECT_EQ(total, static_cast<std::uint64_t>(huge));
}

TEST(ThreadPool, UsesTheUsableCoresByDefault) { EXPECT_EQ(ThreadPool().threads(), usable_cores()); }

TEST(ThreadPool, ChecksTheNumberOfThreads) {
  EXPECT_THROW(ThreadPool(-1), InternalError);
  EXPECT_THROW(ThreadPool(1 << 20), InternalError);
}

TEST(ThreadPool, SharesALongLoop) {
  ThreadPool pool(2);
  std::mutex mutex;
  std::set<std::thread::id> ids;
  // Each piece waits until another thread has come, so the test is not a matter of speed.
  run(pool, 2, 0, [&](std::int64_t, std::int64_t, void*) {
    const auto seen = [&] {
      const std::lock_guard lock(mutex);
      ids.insert(std::this_thread::get_id());
      return ids.size();
    };
    while (seen() < 2) std::this_thread::yield();
  });
  EXPECT_EQ(ids.size(), 2U);
}

TEST(ThreadPool, ServesCallersAtOnce) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&pool] {
      for (std::int64_t round = 0; round < 300; ++round) EXPECT_TRUE(covers(pool, round % 40));
    });
  for (std::thread& caller : callers) caller.join();
}

TEST(ThreadPool, RunsANestedLoopInline) {
  ThreadPool pool(3);
  std::atomic<int> total = 0;
  run(pool, 20, 64, [&](std::int64_t begin, std::int64_t end, void* outer) {
    const std::thread::id id = std::this_thread::get_id();
    for (std::int64_t i = begin; i < end; ++i)
      run(pool, 10, 4096, [&](std::int64_t first, std::int64_t last, void* inner) {
        EXPECT_EQ(first, 0);
        EXPECT_EQ(last, 10);
        EXPECT_EQ(std::this_thread::get_id(), id);
        EXPECT_NE(inner, outer);
        total += static_cast<int>(last - first);
      });
  });
  EXPECT_EQ(total, 200);
}

TEST(ThreadPool, GivesEachThreadAlignedScratchOfItsOwn) {
  ThreadPool pool(4);
  for (const std::int64_t size : {1, 64, 100, 1 << 20, 8}) {
    run(pool, 64, size, [&](std::int64_t begin, std::int64_t end, void* scratch) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(scratch) % 64, 0U);
      auto* const bytes = static_cast<volatile unsigned char*>(scratch);
      for (std::int64_t i = begin; i < end; ++i) {
        const auto mark = static_cast<unsigned char>(i + 1);
        for (std::int64_t byte = 0; byte < size; byte += 61) bytes[byte] = mark;
        std::this_thread::yield();
        for (std::int64_t byte = 0; byte < size; byte += 61) ASSERT_EQ(bytes[byte], mark);
      }
    });
  }
}

TEST(ThreadPool, GivesNoScratchWhenNoneIsAskedFor) {
  ThreadPool pool(2);
  run(pool, 4, 0, [](std::int64_t, std::int64_t, void* scratch) { EXPECT_EQ(scratch, nullptr); });
}

TEST(ThreadPool, KeepsScratchBetweenLoops) {
  ThreadPool pool(1);
  void* first = nullptr;
  run(pool, 1, 4096, [&](std::int64_t, std::int64_t, void* scratch) { first = scratch; });
  run(pool, 5, 100, [&](std::int64_t, std::int64_t, void* scratch) { EXPECT_EQ(scratch, first); });
}

TEST(ThreadPool, MakesWritesVisibleToTheNextLoop) {
  ThreadPool pool(4);
  std::vector<std::int64_t> values(1000);
  for (int round = 0; round < 2000; ++round)
    run(pool, 1000, 0, [&](std::int64_t begin, std::int64_t end, void*) {
      for (std::int64_t i = begin; i < end; ++i) ++values[static_cast<std::size_t>(i)];
    });
  EXPECT_EQ(values, std::vector<std::int64_t>(1000, 2000));
}

TEST(ThreadPool, WakesWorkersThatSleep) {
  ThreadPool pool(2);
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::atomic<int> present = 0;
    run(pool, 2, 0, [&](std::int64_t, std::int64_t, void*) {
      ++present;
      while (present < 2) std::this_thread::yield();
    });
  }
}

TEST(ThreadPool, IsMadeAndDestroyedManyTimes) {
  for (std::int64_t round = 0; round < 100; ++round) {
    ThreadPool pool(4);
    EXPECT_TRUE(covers(pool, round % 2 * 9));
  }
}

TEST(ThreadPool, RunsAndDiesInAForkedChild) {
  auto pool = std::make_unique<ThreadPool>(3);
  EXPECT_TRUE(covers(*pool, 50));
  const pid_t child = fork();
  if (child == 0) {
    const bool is_covered = static_cast<bool>(covers(*pool, 50));
    pool.reset();
    _exit(is_covered ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace tessera
