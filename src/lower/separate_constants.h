#pragma once

#include "ir/program.h"

#include <optional>

namespace tessera {

/// The work that only needs constants, and the rest.
struct Separated {
  Program main;
  std::optional<Program> prepare;
};

/// Moves each nest that reads nothing but constants into a program of its own. What it computes
/// becomes a constant parameter of the main program, after the others and before the outputs.
Separated separate_constants(const Program& program);

}  // namespace tessera
