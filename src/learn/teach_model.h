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

/// What a lecture is held from: the lists of a data set as models of one encoding read them.
struct EncodedDataset {
  std::vector<EncodedList> training;
  std::vector<EncodedList> validation;  // when to stop is told by them
  Encoding encoding = Encoding::Tokens;
  std::string fingerprint;  // of the data set
  double seconds = 0;       // that encoding took
};

/// Refuses a data set with too few lists of the targets.
Result<EncodedDataset> encode_for(const Lecture& lecture, const Dataset& data);

/// What came of it.
struct Taught {
  std::int64_t parameters = 0;  // of a neural ranker
  std::size_t lists = 0;
  std::size_t programs = 0;
  TrainingProgress progress = {};
  double seconds = 0;  // with encoding
};

/// Teaches a model from a data set in its encoding and writes it to `path`; what stood there stays
/// until then. Interrupted, it leaves a checkpoint from which the same lecture goes on, and is
/// refused with where it stands.
Result<Taught> teach_model(const Lecture& lecture, const EncodedDataset& data,
                           const std::string& path,
                           const std::function<void(const TrainingProgress&)>& progress);

}  // namespace tessera
