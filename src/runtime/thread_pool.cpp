#include "runtime/thread_pool.h"

#include "base/check.h"
#include "base/cores.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <linux/futex.h>
#include <new>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;
using Word = std::atomic<std::uint32_t>;

// Two kinds sleep on one word: workers until a loop opens, the caller until workers have left.
enum class Sleeper : std::uint32_t { Worker = 1, Caller = 2 };

// std::atomic::wait spins and yields before it sleeps, for a time of its own choosing, and cannot
// wake a given number: so the system call itself.
void sleep_while(const Word& word, std::uint32_t value, Sleeper kind) {
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, value, nullptr, nullptr, kind);
}

void wake(const Word& word, std::int64_t count, Sleeper kind) {
  syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, count, nullptr, nullptr, kind);
}

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Spins until `is_done()` or until the time is over; tells which.
template <typename Condition>
bool spin_until(Condition is_done, std::chrono::microseconds time) {
  const Clock::time_point end = Clock::now() + time;
  do {
    for (int i = 0; i < 32; ++i) {
      if (is_done()) return true;
      pause_briefly();
    }
  } while (Clock::now() < end);
  return is_done();
}

/// Scratch of one thread: a block per depth of nested loops, since the outer ones are in use.
class Scratch {
 public:
  /// Enters one depth; leaves it when destroyed.
  class Lease {
   public:
    Lease(Scratch& owner, std::int64_t size_bytes)
        : owner_(owner), data_(owner.grown(owner.depth_, size_bytes)) {
      ++owner_.depth_;
    }
    ~Lease() { --owner_.depth_; }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    void* data() const { return data_; }

   private:
    Scratch& owner_;
    void* data_;
  };

  static Scratch& of_this_thread() {
    static thread_local Scratch scratch;
    return scratch;
  }

  bool is_leased() const { return depth_ > 0; }

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  struct Memory {
    std::unique_ptr<void, Free> data;
    std::size_t size_bytes = 0;
  };

  void* grown(std::size_t depth, std::int64_t size_bytes) {
    if (size_bytes <= 0) return nullptr;
    if (depth >= blocks_.size()) blocks_.resize(depth + 1);
    Memory& block = blocks_[depth];
    const std::size_t needed = (static_cast<std::size_t>(size_bytes) + 63) / 64 * 64;
    if (block.size_bytes < needed) {
      block = {};  // before the larger one exists: old contents are not kept
      block.data.reset(std::aligned_alloc(64, needed));
      if (block.data == nullptr) throw std::bad_alloc();
      block.size_bytes = needed;
    }
    return block.data.get();
  }

  std::size_t depth_ = 0;
  std::vector<Memory> blocks_;
};

/// A loop and the count of its pieces, which differ in size by one at most.
struct Work {
  TesseraBody body = nullptr;
  const void* frame = nullptr;
  std::int64_t count = 0;
  std::int64_t scratch_bytes = 0;
  std::int64_t chunks = 0;

  std::int64_t begin(std::int64_t chunk) const {
    return chunk * (count / chunks) + std::min(chunk, count % chunks);
  }
};

}  // namespace

/// One word tells the life of a loop, so that joining, closing and leaving it are atomic together:
///
///     bits 0-10  workers inside the loop
///     bit  11    the caller sleeps until they have left
///     bits 12-   epoch: odd while a loop is open, one more at each opening and closing
///
/// A worker joins by compare-and-exchange, only while the loop is open; the caller closes it when
/// no chunk is left and returns once nobody is inside. Workers that never came are not waited for.
struct ThreadPool::State {
  static constexpr std::uint32_t caller_sleeps = 1U << 11;
  static constexpr std::uint32_t inside_mask = caller_sleeps - 1;
  static constexpr std::uint32_t epoch_step = 1U << 12;

  alignas(64) Word word = 0;
  alignas(64) std::atomic<std::int64_t> next_chunk = 0;
  alignas(64) std::atomic<std::int64_t> sleeping_workers = 0;
  std::atomic<bool> is_taken = false;  // by a caller
  std::atomic<bool> is_stopping = false;
  Work work;  // written by the caller that took the pool, while nobody is inside
  std::chrono::microseconds spin{50};
  pid_t process = getpid();
  std::vector<std::thread> workers;

  static std::uint32_t epoch(std::uint32_t value) { return value / epoch_step; }
  static bool is_open(std::uint32_t value) { return epoch(value) % 2 == 1; }

  ~State() {
    is_stopping = true;
    word.fetch_add(2 * epoch_step);  // so that nobody falls asleep on the old word
    wake(word, inside_mask, Sleeper::Worker);
    for (std::thread& worker : workers) worker.join();
  }

  void run_chunks(void* scratch) {
    const auto claim = [&] { return next_chunk.fetch_add(1, std::memory_order_relaxed); };
    for (std::int64_t chunk = claim(); chunk < work.chunks; chunk = claim())
      work.body(work.frame, work.begin(chunk), work.begin(chunk + 1), scratch);
  }

  /// Gives the word of an open loop other than that of `seen`, or nothing useful when stopping.
  std::uint32_t wait_for_loop(std::uint32_t seen) {
    std::uint32_t value = 0;
    const auto is_new = [&] {
      value = word.load(std::memory_order_acquire);
      return (is_open(value) && epoch(value) != seen) || is_stopping.load();
    };
    while (!spin_until(is_new, spin)) {
      // Announced before the kernel compares the word: whoever changes it later sees a sleeper.
      sleeping_workers.fetch_add(1);
      sleep_while(word, value, Sleeper::Worker);
      sleeping_workers.fetch_sub(1);
    }
    return value;
  }

  void serve() {
    std::uint32_t seen = 0;
    while (true) {
      std::uint32_t value = wait_for_loop(seen);
      if (is_stopping.load()) return;
      if (!word.compare_exchange_strong(value, value + 1)) continue;
      seen = epoch(value);
      {
        const Scratch::Lease scratch(Scratch::of_this_thread(), work.scratch_bytes);
        run_chunks(scratch.data());
      }
      const std::uint32_t before = word.fetch_sub(1);
      if ((before & inside_mask) == 1 && (before & caller_sleeps) != 0)
        wake(word, 1, Sleeper::Caller);
    }
  }

  void open() {
    next_chunk.store(0, std::memory_order_relaxed);
    word.fetch_add(epoch_step);
    const std::int64_t sleeping = sleeping_workers.load();
    if (sleeping > 0) wake(word, std::min(sleeping, work.chunks - 1), Sleeper::Worker);
  }

  void close() {
    std::uint32_t value = word.fetch_add(epoch_step) + epoch_step;
    const auto is_empty = [&] {
      value = word.load(std::memory_order_acquire);
      return (value & inside_mask) == 0;
    };
    if ((value & inside_mask) == 0 || spin_until(is_empty, spin)) return;
    word.fetch_or(caller_sleeps);
    while (!is_empty()) sleep_while(word, value, Sleeper::Caller);
    word.fetch_and(~caller_sleeps);
  }
};

ThreadPool::ThreadPool(std::int64_t threads) : state_(std::make_unique<State>()) {
  const std::int64_t cores = usable_cores();
  if (threads == 0) threads = cores;
  check(threads >= 1 && threads <= State::inside_mask, "between 1 and 2047 threads");
  if (threads > cores) state_->spin = {};  // spinning would keep the core from a thread with work
  for (std::int64_t i = 1; i < threads; ++i)
    state_->workers.emplace_back([state = state_.get()] { state->serve(); });
}

ThreadPool::~ThreadPool() {
  if (getpid() != state_->process) (void)state_.release();  // a forked child has nobody to join
}

std::int64_t ThreadPool::threads() const {
  return static_cast<std::int64_t>(state_->workers.size()) + 1;
}

void ThreadPool::run(TesseraBody body, const void* frame, std::int64_t count,
                     std::int64_t scratch_bytes) {
  if (count <= 0) return;
  Scratch& owner = Scratch::of_this_thread();
  const bool is_nested = owner.is_leased();
  const Scratch::Lease scratch(owner, scratch_bytes);
  if (count == 1 || threads() == 1 || is_nested ||
      state_->is_taken.exchange(true, std::memory_order_acquire))
    return body(frame, 0, count, scratch.data());
  // About four chunks a thread: few enough to be cheap, many enough to even out their speeds.
  state_->work = {body, frame, count, scratch_bytes, std::min(count, 4 * threads())};
  state_->open();
  state_->run_chunks(scratch.data());
  state_->close();
  state_->is_taken.store(false, std::memory_order_release);
}

void ThreadPool::parallel(void* pool, TesseraBody body, const void* frame, std::int64_t count,
                          std::int64_t scratch_bytes) {
  static_cast<ThreadPool*>(pool)->run(body, frame, count, scratch_bytes);
}

}  // namespace tessera
