#include "cli/interrupts.h"

#include <atomic>
#include <csignal>
#include <unistd.h>

namespace tessera {
namespace {

// A handler of signals reaches nothing but what is global.
std::atomic<bool> is_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int /*signal*/) {
  constexpr int interrupted = 130;
  if (is_requested.exchange(true)) _exit(interrupted);
}

}  // namespace

Interrupts::Interrupts() {
  is_requested = false;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

Interrupts::~Interrupts() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool Interrupts::has_come() const { return is_requested; }

}  // namespace tessera
