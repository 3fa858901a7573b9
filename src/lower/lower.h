#pragma once

#include "base/result.h"
#include "ir/program.h"
#include "target/target.h"

#include <optional>

namespace tessera {

/// A program as backends take it. `prepare`, when there is one, computes the constants that `main`
/// reads and the user does not give (Winograd weights): its inputs are constants of the scheduled
/// program, its outputs constants of `main`; it runs once, when code is made.
struct Lowered {
  Program main;
  std::optional<Program> prepare;
};

/// Takes a scheduled program through the passes, verifying after each. Refuses what the target
/// cannot hold, and registers that are indexed by a loop which is neither unrolled nor vector.
Result<Lowered> lower(const Program& scheduled, const Target& target);

}  // namespace tessera
