#pragma once

#include "learn/platform.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// A platform that has been learned.
struct KnownPlatform {
  std::string name;             // as the Platform had it
  std::vector<float> hardware;  // the row that tells of it
  friend bool operator==(const KnownPlatform&, const KnownPlatform&) = default;
};

/// What a model has learned of all platforms so far, and what protects that. It does not grow: of
/// platforms that it knows only names and rows are kept, no measurement.
struct KnowledgeBase {
  RankerShape shape;  // of a mamba
  Tensors weights;    // none before the first platform
  Tensors importance = {};
  std::vector<KnownPlatform> known = {};
};

/// What was measured of a platform's pool: a list for each of the pool's, true for those programs.
using Measured = std::vector<std::vector<bool>>;

struct DistilOptions {
  std::int64_t learning_steps = 300;  // of the column
  /// Times that each measured program is learned from, about; more steps where that needs them.
  std::int64_t least_epochs = 0;
  std::int64_t distilling_steps = 600;  // each with lists of all platforms
  double learning_rate = 7e-4;
  double distilling_rate = 1e-3;
  float label_weight = 1;  // of what was measured, beside what the column says
  float feature_weight = 0.1F;
  float memory_weight = 1;          // of what the base said before, for each platform
  float importance_weight = 0.01F;  // of staying where weights mattered (online EWC); 0: none
  float kept_importance = 0.95F;    // of what mattered before
  bool has_gate = true;
  std::uint64_t seed = 1;
  int threads = 1;
  /// Of learning, and again of distilling: with less time there are fewer steps.
  double longest_seconds = std::numeric_limits<double>::infinity();
  std::function<bool()> is_stopped = {};  // asked between steps
  /// Told between steps: how much of learning is done, then of distilling.
  std::function<void(std::string_view doing, double done)> progress = {};
};

/// For a base that is to be used: with more steps than comparing ways of learning needs.
inline DistilOptions thorough() { return {.least_epochs = 16, .distilling_steps = 2400}; }

/// Learns a platform from what was measured of its pool, then puts what it learned into the base.
///
///     progress: a column beside the base, which is frozen, learns by LambdaRank
///     compress: the base, which begins with the column's weights in the place of its own, learns
///               from the column's scores on the whole pool, measured or not (`imitation_loss`,
///               `feature_loss`), where the column agrees with what was measured of a list; from
///               its own former scores on programs of each platform that it knows
///               (`Platform::recall`); from the measurements; and is held where weights mattered
///               (`importance`)
///
/// Only labels of measured programs are used.
/// A platform that is known already is learned anew: what the base said of it is not kept.
/// Refused when stopped; the base is then as it was.
Result<KnowledgeBase> learn_platform(const KnowledgeBase& base, const Platform& platform,
                                     const Measured& measured, const DistilOptions& options);

using ListPointers = std::span<const EncodedList* const>;

/// From now on a platform that the base has learned is protected: by which weights matter for its
/// programs, and by what the base says of programs with its row.
Result<KnowledgeBase> protected_for(KnowledgeBase base, ListPointers lists,
                                    const KnownPlatform& platform, const DistilOptions& options);

/// As files have it; the memory is what `importance` and `known` are.
TrainedRanker to_trained(const KnowledgeBase& base, std::map<std::string, std::string> facts);
/// Refuses a memory that is damaged.
Result<KnowledgeBase> to_knowledge_base(TrainedRanker trained);
/// Refuses a file that is not that of a mamba, with `PATH: reason`.
Result<KnowledgeBase> read_knowledge_base(const std::string& path);

ScoreRows scores_of(const KnowledgeBase& base, std::size_t threads);

/// With mean 1.
Tensors normalised(Tensors importance);
/// Adds what is kept of the importance that weights had before, if there was any.
void add_kept(Tensors& importance, const Tensors& former, float kept);

/// The programs of a list that were measured, labels beside the best of these.
EncodedList measured_part(const EncodedList& list, const std::vector<bool>& is_measured);
/// Of each list, where there are two at least: one alone cannot be ranked.
std::vector<EncodedList> measured_parts(const std::vector<EncodedList>& lists,
                                        const Measured& measured);

}  // namespace tessera
