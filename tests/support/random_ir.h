#pragma once

#include "base/rng.h"
#include "ir/program.h"

#include <vector>

namespace tessera {

/// Names that a random expression may use.
struct Vocabulary {
  std::vector<AxisId> axes;
  std::vector<Load> loads;  // their indices are replaced; the number of them stays
};

/// A sound expression of any operators, at most `depth` levels high. Not meant to be computed: it
/// may divide by zero and read out of bounds.
Expr random_expr(DType dtype, const Vocabulary& names, int depth, Rng& rng);

/// A sound program of either form with all kinds of statements, not meant to be run.
Program random_program(Rng& rng);

}  // namespace tessera
