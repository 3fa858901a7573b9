#pragma once

#include "model/cost_model.h"
#include "model/trained_ranker.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Scores of programs that a model has learned to give.
struct TrainedScores {
  std::string kind;
  std::function<std::vector<float>(const Rows&)> score;
  std::int64_t parameters = 0;  // of a neural one
  std::size_t threads = 1;      // that encode and score
};

/// `mamba` is computed without LibTorch, `gbdt` by XGBoost, `tlp` and `tenset-mlp` with it. Refuses
/// files that are damaged, of another kind or of other versions of the rows.
Result<TrainedScores> read_trained_scores(const std::string& kind, const std::string& path,
                                          int threads);

/// `mamba.safetensors`, `gbdt.ubj`.
std::string file_of_trained(std::string_view kind);

/// Encodes schedules as the model has learned to read them; learns nothing further.
std::unique_ptr<CostModel> trained_model(TrainedScores scores);

}  // namespace tessera
