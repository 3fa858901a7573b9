#pragma once

#include "feature/estimated_schedule.h"
#include "feature/loop_ledger.h"
#include "feature/rows.h"
#include "schedule/schedule.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

namespace tessera {

/// Changes whenever a token of the same step would change: weights are of one version.
inline constexpr std::int64_t token_version = 3;
inline constexpr std::size_t token_width = 52;

/// Schedules as sequences of tokens: one for the task, one for the hardware, one for each step,
/// straight from its fields, and at the end one for what the prior expects. Nothing is applied or
/// lowered, and every target has the same tokens.
///
///     0..17   which token: task, hardware, estimate, or the kind of step
///     18..    of a task: its family, sizes of the stage with most work, flops, bytes, ..
///             of hardware: cores, vectors, registers, caches, ..
///             of an estimate: speed, and the parts of `RelativeEstimate`
///             of a step, each where it has one:
///     18..21  tensor: input? constant? which stage from the end; elements
///     22..26  loop: reduces? which axis from the last; extent of that axis and its own; depth
///     27..29  points and terms within one round of the loop; rounds in all
///     30..33  numbers: factors, distance, algorithm
///     34..35  rounds of the outermost part, or of each thread; what does not divide
///     36..39  memory: global, constant, stack, register
///     40..51  six pairs from the innermost outward: extent and reduces? of loops, or block and
///             dimension of layouts
///
/// Sizes are log2(1 + x). Several threads may use one encoder at once.
class TokenEncoder {
 public:
  explicit TokenEncoder(const Task& task);
  /// A program for each schedule.
  Rows encode(std::span<const EstimatedSchedule> schedules) const;

 private:
  struct TensorFacts {
    bool is_input = false;
    bool is_constant = false;
    float stage = 0;  // counted from the last
    float elements = 0;
  };
  class Writer;

  /// Adds one program; the ledger is any, and used again.
  void append(const EstimatedSchedule& estimated, LoopLedger& ledger, Rows& rows) const;
  const TensorFacts& facts_of(std::string_view tensor) const;
  const LoopLedger& after(const ChooseAlgorithm& step) const;

  Program program_;
  std::int64_t cores_;
  std::vector<float> head_;  // the tokens of task and hardware
  std::map<std::string, TensorFacts, std::less<>> tensors_;
  LoopLedger plain_;
  mutable std::mutex mutex_;                                 // of what follows
  mutable std::map<Algorithm, LoopLedger> after_algorithm_;  // made when first needed
};

}  // namespace tessera
