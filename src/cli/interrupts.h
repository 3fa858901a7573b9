#pragma once

namespace tessera {

/// While it lives, an interrupt of the terminal (Ctrl-C) or a request to end asks the program to
/// finish; the second one ends it at once with exit code 130.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  bool has_come() const;
};

}  // namespace tessera
