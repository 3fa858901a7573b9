#pragma once

#include "feature/rows.h"
#include "record/tvm_records.h"

#include <span>
#include <string_view>

namespace tessera {

/// A record of TVM's auto_scheduler in the tokens of `tokens.h`: each of its steps as the one of
/// ours that does the same (a `PR` is an unroll of no loop, a `CR` a compute_at of none, an `SA` a
/// layout). Splits that follow others get the factors of those. Stages and loops are known by their
/// numbers alone, extents where a step tells them.
void append_tvm_tokens(const TaskEntry& task, std::string_view target,
                       std::span<const TvmStep> steps, Rows& rows);

}  // namespace tessera
