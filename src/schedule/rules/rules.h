#pragma once

#include "schedule/chooser.h"
#include "schedule/estimate.h"
#include "schedule/nest_view.h"
#include "schedule/schedule.h"
#include "target/target.h"

#include <map>
#include <string>
#include <vector>

namespace tessera {

/// What a rule works with: it asks `chooser`, appends to `steps`, and adds to `estimate`.
struct RuleContext {
  const Program& program;  // as the steps before the rules left it
  const Target& target;
  const std::map<TensorId, Layout>& settled;  // layouts that are not to be chosen
  Chooser& chooser;
  Schedule& steps;
  Estimate& estimate;
  bool may_parallelise = true;  // false inside a loop that is shared among threads already
};

/// A reduction computed tile by tile in registers inside the nest that consumes it: matmul,
/// convolution, depthwise, pooling, reductions over outer axes. `consumer` reads `reduction`
/// element by element.
void tile_rule(RuleContext& context, const NestView& reduction, const NestView& consumer);

/// Nests without reduction: contiguous vectors, unrolled, rows shared among threads.
void flat_rule(RuleContext& context, const NestView& nest);

/// Nests over common rows, the last an output: all computed one row at a time, reductions along the
/// row across vector lanes (softmax, norms, row sums). `nests` in order of computing; their first
/// `rows` axes are the common ones.
void row_rule(RuleContext& context, const std::vector<NestView>& nests, std::size_t rows);

/// A 3x3 convolution by Winograd's algorithm: blocks of tiles are transformed into thread scratch,
/// multiplied as matrices, and transformed back. `nests`: w, v, m.tile, m, z and the output, as
/// `algorithm` names them.
void winograd_rule(RuleContext& context, const std::vector<NestView>& nests);

/// Cycles below which sharing work among threads costs more than it brings.
inline constexpr double min_parallel_cycles = 60'000;

/// Fuses loops, outermost first, and shares them among threads; the loops must be perfectly nested
/// with constant extents. Nothing happens when one core or little work makes it useless. Gives by
/// how much idle threads lengthen the work: 1 when all cores have the same share.
double parallelise(RuleContext& context, const std::vector<ViewAxis>& outer, double cycles);

std::int64_t ceil_div(std::int64_t a, std::int64_t b);

}  // namespace tessera
