#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace tessera {

/// A broken invariant of our own. Never reached by user input; caught only in `main`, the measuring
/// worker and the language binding.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] inline void fail(std::string_view claim, const char* file = __builtin_FILE(),
                              int line = __builtin_LINE()) {
  throw InternalError(std::string(file) + ":" + std::to_string(line) +
                      ": internal error, expected: " + std::string(claim));
}

/// Throws unless `condition` holds. `claim` says what should have been true.
inline void check(bool condition, std::string_view claim, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  if (!condition) fail(claim, file, line);
}

}  // namespace tessera
