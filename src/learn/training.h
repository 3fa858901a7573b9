#pragma once

#include "learn/encoded.h"
#include "model/ranker.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace tessera {

struct TrainingOptions {
  std::int64_t epochs = 60;
  std::int64_t patience = 12;   // epochs without a better one before it ends
  double learning_rate = 7e-4;  // falls to a tenth, as a cosine
  std::size_t list_size = 128;  // programs that are ranked together
  std::size_t lists_per_step = 8;
  std::uint64_t seed = 1;
  /// Of learning; it ends with the epoch that passes it, and rates fall as if that were the last.
  double longest_seconds = std::numeric_limits<double>::infinity();
  std::function<bool()> is_stopped = {};  // asked between epochs
};

struct TrainingProgress {
  std::int64_t epoch = 0;  // that have ended
  std::int64_t best_epoch = 0;
  double loss = 0;     // of the last epoch, per list
  double quality = 0;  // of the last epoch on the lists for validation
  double best_quality = 0;
  std::int64_t programs = 0;  // learned from in all epochs of this run
  double seconds = 0;         // of learning in this run
};

/// How well scores rank lists: the mean over lists of the speed of the first and of the fastest of
/// the first five, each beside the best.
double quality_of(const Ranker& ranker, const std::vector<EncodedList>& lists);

/// What is learned from the labels of a list. Which of the fastest is first matters most: of
/// schedules that are 5 % and 50 % slower than the best the one gets 0.75, the other 0.09. Where
/// few are near the best the rest must be told apart, too: the fastest tenth gets 0.3 at least.
std::vector<float> sharpened(std::span<const float> labels);

/// The rate of learning when a share of it is done: it falls to a tenth, as a cosine.
double falling_rate(double first, double done);

/// Steps of one epoch.
std::int64_t steps_of(const std::vector<EncodedList>& training, const TrainingOptions& options);

/// Moves a mean of weights toward some, of which it had `kept` before.
void blend(Tensors& mean, const Tensors& weights, float kept);

/// Teaches a Ranker by LambdaRank, list by list, until the lists for validation show no more gain;
/// its weights are then the mean over the last steps of the best epoch. Without such lists it goes
/// through all epochs and the last is the best.
///
/// Where it stands is kept in the file `checkpoint` after each epoch, with `key` for what it learns
/// and from what; a run with the same key goes on from there, and gives what one without a break
/// would have given. The file goes when learning has ended. Without a name for it there is
/// none. Refuses a checkpoint that cannot be read or written.
Result<TrainingProgress> teach(Ranker& ranker, const std::vector<EncodedList>& training,
                               const std::vector<EncodedList>& validation,
                               const TrainingOptions& options, const std::string& checkpoint,
                               const std::string& key,
                               const std::function<void(const TrainingProgress&)>& progress);

/// About so many steps of it, without validation and checkpoint; epochs and patience of the options
/// do not count. `progress` is told what share is done. Refused when stopped.
Result<void> teach_steps(Ranker& ranker, const std::vector<EncodedList>& training,
                         TrainingOptions options, std::int64_t steps,
                         const std::function<void(double done)>& progress = {});

}  // namespace tessera
