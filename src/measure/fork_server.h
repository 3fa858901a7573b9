#pragma once

#include "base/result.h"
#include "measure/channel.h"

#include <functional>
#include <string>
#include <sys/types.h>

namespace tessera {

/// A process made while this one has a single thread, that forks others on request: they start at
/// once and find everything that was in memory when it was made. All of them go with this process,
/// however it ends.
class ForkServer {
 public:
  /// Children call `serve` with their end of a channel and end when it returns. They ignore
  /// interrupts of the terminal. Throws `std::system_error` when there can be no further process.
  explicit ForkServer(const std::function<void(const Channel&)>& serve);
  ForkServer(ForkServer&& other) noexcept;
  ForkServer& operator=(ForkServer&&) = delete;
  ~ForkServer();

  struct Child {
    pid_t process = 0;
    Channel channel;
  };
  Result<Child> fork() const;
  /// Waits for its end, after killing it if it is to be; `exit code 1`, `segmentation fault`.
  struct Ending {
    int signal = 0;  // 0 when it ended by itself
    std::string text;
  };
  Ending end_of(const Child& child, bool is_killed) const;

 private:
  pid_t process_ = 0;
  Channel channel_;
};

}  // namespace tessera
