#pragma once

#include "base/result.h"
#include "runtime/package.h"
#include "runtime/thread_pool.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>

namespace tessera {

struct SessionOptions {
  std::int64_t threads = 0;  // counting the caller's; 0 means `usable_cores()`
  std::shared_ptr<ThreadPool> pool =
      nullptr;  // to share between sessions; `threads` is then unused
};

/// A package with memory to run in. Sessions of one package share its constants and run
/// independently of each other; calls of one session from several threads run one after the other.
class Session {
 public:
  /// Takes all memory that runs need. Refuses a number of threads beyond 2047 and memory that the
  /// system does not have.
  static Result<Session> make(std::shared_ptr<const Package> package,
                              const SessionOptions& options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  /// One pointer per port of the plan, to its elements in row-major order; a bool is a byte. Memory
  /// aligned to 64 bytes whose element type kernels compute with is used in place, other memory is
  /// copied or converted. Outputs must overlap neither inputs nor each other.
  ///
  /// With `call_times` given, one per call of the plan, each receives the time its kernel took.
  Result<void> run(std::span<const void* const> inputs, std::span<void* const> outputs,
                   std::span<std::chrono::nanoseconds> call_times = {});

  const Package& package() const;
  std::int64_t threads() const;

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tessera
