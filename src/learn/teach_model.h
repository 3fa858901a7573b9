#pragma once

#include "learn/training.h"
#include "model/ranker.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// What to teach, and from what.
struct Lecture {
  RankerShape shape = {.kind = "mamba"};    // or of kind `gbdt`, which has no other shape
  TrainingOptions options = {.epochs = 0};  // 0: `usual_epochs`
  std::vector<std::string> targets = {};    // names of those to learn of; none: all
  int threads = 1;
};

/// Enough for each to be at its best on lists for validation, from where on it gets worse.
std::int64_t usual_epochs(std::string_view kind);

/// What came of it.
struct Taught {
  std::int64_t parameters = 0;  // of a neural ranker
  std::size_t lists = 0;
  std::size_t programs = 0;
  TrainingProgress progress = {};
  double seconds = 0;  // with encoding
};

/// Teaches a model from the lists for training and writes it to `path`; what stood there stays
/// until then. Interrupted, it leaves a checkpoint from which the same lecture goes on, and is
/// refused with where it stands. Refuses a data set with too few lists.
Result<Taught> teach_model(const Lecture& lecture, const Dataset& data, const std::string& path,
                           const std::function<void(const TrainingProgress&)>& progress);

}  // namespace tessera
