#pragma once

#include "ir/bounds.h"
#include "ir/expr.h"
#include "ir/program.h"

namespace tessera {

/// An equal, smaller expression for every point of `scope`: constants folded, index arithmetic in
/// linear form,
/// `/ % min max` and comparisons decided where bounds decide them. Applying it twice changes
/// nothing more.
Expr simplify(const Expr& e, const LoopScope& scope = {});

/// Simplifies every expression inside; decides `If`s, removes empty loops and blocks. Loops stay,
/// also those of extent one, because steps name them.
Stmt simplify(const Stmt& s, LoopScope scope = {});

}  // namespace tessera
