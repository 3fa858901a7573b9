#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace tessera {

/// A broken invariant of our own. Never reached by user input; caught only in `main`, the measuring
/// worker, the language binding, and where a node of a network is given its meaning: a model may
/// have inputs of types that its operator was not written for.
class InternalError : public std::logic_error {
 public:
  InternalError(std::string_view broken, const char* file, int line)
      : std::logic_error(std::string(file) + ":" + std::to_string(line) +
                         ": internal error, expected: " + std::string(broken)),
        claim(broken) {}
  std::string claim;  // what should have been true
};

[[noreturn]] inline void fail(std::string_view claim, const char* file = __builtin_FILE(),
                              int line = __builtin_LINE()) {
  throw InternalError(claim, file, line);
}

/// Throws unless `condition` holds. `claim` says what should have been true.
inline void check(bool condition, std::string_view claim, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  if (!condition) fail(claim, file, line);
}

}  // namespace tessera
