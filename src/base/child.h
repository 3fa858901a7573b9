#pragma once

#include <functional>
#include <string>
#include <sys/types.h>

namespace tessera {

/// Another process that runs a function; what that writes comes over a pipe, and what it throws.
class Child {
 public:
  /// `act` writes to the descriptor that it is given.
  explicit Child(const std::function<void(int pipe)>& act);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Ends it at once, wherever it is.
  void kill() const;
  /// All it has written by its end.
  std::string text();

 private:
  pid_t process_ = 0;
  int pipe_ = -1;
};

/// What `act` gives when another process runs it.
std::string in_child(const std::function<std::string()>& act);

}  // namespace tessera
