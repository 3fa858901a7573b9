#include "measure/steady_threads.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace tessera {
namespace {

/// A core that gives less than it usually does is told from one that does by this much.
constexpr double slow_ratio = 1.1;
/// By how much a probe moves what is usual, at most: a speed that lasts is usual after a hundred.
constexpr double usual_step = 0.01;

/// Calls `act(n)` on each thread, n from 0 on, once all have come.
template <typename Act>
void on_each(ThreadPool& pool, const Act& act) {
  struct Frame {
    const Act& act;
    std::int64_t threads;
    mutable std::atomic<std::int64_t> arrived = 0;
  };
  const Frame frame{act, pool.threads()};
  const auto body = [](const void* data, std::int64_t begin, std::int64_t end, void*) {
    const Frame& shared = *static_cast<const Frame*>(data);
    const std::int64_t n = shared.arrived.fetch_add(end - begin);
    while (shared.arrived < shared.threads) std::this_thread::yield();
    shared.act(n);
  };
  pool.run(body, &frame, frame.threads, 0);
}

/// The time of some microseconds of arithmetic that keeps a core's units busy.
double probe_seconds() {
  using Four [[gnu::vector_size(16)]] = float;
  using Clock = std::chrono::steady_clock;
  Four sums[8] = {};
  const Four factor = {0.5f, 0.5f, 0.5f, 0.5f};
  const Clock::time_point start = Clock::now();
  for (int round = 0; round < 2000; ++round)
#pragma GCC unroll 8
    for (Four& sum : sums) sum = sum * factor + factor;
  for (Four& sum : sums) asm volatile("" : "+m"(sum));
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// From the one that this thread is on: processes that measure at once do not all begin with the
/// same.
std::vector<int> cores_of(const cpu_set_t& set) {
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  std::ranges::rotate(cores, std::ranges::find(cores, sched_getcpu()));
  return cores;
}

}  // namespace

SteadyThreads::Pinned::Pinned(ThreadPool& pool) : pool_(pool) {
  CPU_ZERO(&free_);
  if (sched_getaffinity(0, sizeof free_, &free_) != 0) return;  // more cores than a set has
  const std::vector<int> cores = cores_of(free_);
  is_pinned_ = pool.threads() <= std::ssize(cores);
  if (!is_pinned_) return;
  on_each(pool, [&](std::int64_t n) {
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(cores[static_cast<std::size_t>(n)], &own);
    sched_setaffinity(0, sizeof own, &own);
  });
}

SteadyThreads::Pinned::~Pinned() {
  if (!is_pinned_) return;
  on_each(pool_, [&](std::int64_t) { sched_setaffinity(0, sizeof free_, &free_); });
}

bool SteadyThreads::gather() {
  std::atomic<double> longest = 0;
  on_each(pool_, [&](std::int64_t) {
    const double seconds = probe_seconds();
    double now = longest;
    while (seconds > now && !longest.compare_exchange_weak(now, seconds)) {
    }
  });
  if (usual_ == 0) usual_ = longest;
  const bool is_slow = longest > slow_ratio * usual_;
  usual_ *= longest < usual_ ? 1 - 3 * usual_step : 1 + usual_step;  // one of four is shorter
  return !is_slow;
}

}  // namespace tessera
