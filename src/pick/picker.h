#pragma once

#include "base/result.h"
#include "pick/program_pool.h"

#include <memory>
#include <span>
#include <string_view>

namespace tessera {

/// Chooses the programs of a pool that are worth measuring, to learn from them.
class Picker {
 public:
  virtual ~Picker() = default;
  /// So many programs; fewer only when no more are open. `progress` tells what share of all
  /// measurements has been made, in [0, 1).
  virtual Picks pick(const ProgramPool& pool, std::size_t count, double progress,
                     Rng& rng) const = 0;
};

/// What takes part in `rdu`, and what it shall do without.
struct RduParts {
  bool is_representative = true;
  bool is_diverse = true;
  bool is_uncertain = true;
  bool is_biased = true;  // toward what is predicted to be fast
};

/// Representative, diverse and uncertain at once. Of each task, with a share of `shares_of`:
///
///     R = percentile of typicality: 1 / mean distance to the 20 nearest    (TypiClust)
///     U = percentile of disagreement: half the deviation of the votes' ranks, half the entropy of
///         the share of votes for the fastest twentieth
///     b = 1 for the quarter that is predicted to be fastest, 0.6 for the next, 0.3      (BALTO)
///     q = b exp(wR R + wU U)      wR from 1 at first to 0 at half of all measurements,
///                                 wU from 0.5 to 1.5 at the end
///     take argmax q d, again and again; d = distance to the nearest that is measured or taken
///
/// Few measurements want typical programs, more of them uncertain ones. Without votes U is 0;
/// without diversity d is 1. For n programs of width p and m picks: O(n^2 p + m n p) for each task.
std::unique_ptr<Picker> rdu_picker(RduParts parts = {});

/// | name | |
/// |---|---|
/// | `rdu` | see above |
/// | `random` | any of the pool |
/// | `stratified` | any of each task, with its share; as all that follow |
/// | `k-center` | what is farthest from all taken (Sener and Savarese 2018) |
/// | `uncertain` | what the votes disagree on most |
/// | `typiclust` | the most typical of the largest clusters without any (Hacohen et al. 2022) |
/// | `badge` | drawn by squared distance of places times disagreement (Ash et al. 2020) |
/// | `lcmd` | the farthest of the cluster with most variance (Holzmueller et al. 2023) |
/// | `balto` | `k-center`, distances times the bias above (Bi et al. 2023) |
/// | `greedy` | what is predicted to be fastest |
std::span<const std::string_view> picker_names();
/// Refuses an unknown name with the list of known ones.
Result<std::unique_ptr<Picker>> make_picker(std::string_view name);

}  // namespace tessera
