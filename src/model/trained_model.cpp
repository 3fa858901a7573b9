#include "model/trained_model.h"

#include "base/check.h"
#include "model/mamba.h"
#include "model/statement_trees.h"

#include <map>
#include <utility>

namespace tessera {
namespace {

class TrainedModel : public CostModel {
 public:
  explicit TrainedModel(TrainedScores scores) : scores_(std::move(scores)) {}

  std::string_view name() const override { return scores_.kind; }

  std::vector<double> score(const Task& task,
                            std::span<const Space::Chain* const> chains) const override {
    const Known& known = known_of(task);
    std::vector<EstimatedSchedule> schedules;
    for (const Space::Chain* chain : chains)
      schedules.push_back(
          {&chain->draft.schedule, relative_estimate(chain->draft.estimate, known.best)});
    const Result<Rows> rows = known.encoder.encode(schedules, scores_.threads);
    check(rows.has_value(), "schedules of the Space, which apply");
    const std::vector<float> scores = scores_.score(*rows);
    return {scores.begin(), scores.end()};
  }

  void learn(std::vector<Lesson> /*lessons*/) override {}

 private:
  /// What all schedules of a task are encoded with.
  struct Known {
    ScheduleEncoder encoder;
    Estimate best;  // by the prior
  };

  const Known& known_of(const Task& task) const {
    const Fingerprint print = fingerprint(task);
    const auto found = known_.find(print);
    if (found != known_.end()) return found->second;
    Known known{ScheduleEncoder(task, encoding_of(scores_.kind)),
                best_by_prior(Space(task)).draft.estimate};
    return known_.emplace(print, std::move(known)).first->second;
  }

  TrainedScores scores_;
  mutable std::map<Fingerprint, Known> known_;  // made when first needed
};

Result<TrainedScores> read_trees(const std::string& path, std::size_t threads) {
  Result<StatementTrees> trees = StatementTrees::read(path);
  if (!trees) return trees.error();
  const auto shared = std::make_shared<const StatementTrees>(*std::move(trees));
  return TrainedScores{.kind = "gbdt",
                       .score = [shared](const Rows& rows) { return shared->score(rows); },
                       .threads = threads};
}

Result<TrainedScores> scores_of(const TrainedRanker& trained, int threads) {
  TrainedScores scores{
      .kind = trained.shape.kind, .score = {}, .threads = static_cast<std::size_t>(threads)};
  for (const NamedTensor& weight : trained.weights) scores.parameters += std::ssize(weight.values);
  if (scores.kind == "mamba") {
    Result<Mamba> made = Mamba::make(trained);
    if (!made) return made.error();
    const auto mamba = std::make_shared<const Mamba>(*std::move(made));
    scores.score = [mamba, threads = scores.threads](const Rows& rows) {
      return mamba->score(rows, threads);
    };
    return scores;
  }
  Result<std::unique_ptr<Ranker>> made = make_ranker(trained.shape, 1, threads);
  if (!made) return made.error();
  if (const auto done = (*made)->set_weights(trained.weights); !done) return done.error();
  const std::shared_ptr<const Ranker> ranker = *std::move(made);
  scores.score = [ranker](const Rows& rows) { return ranker->score(rows); };
  return scores;
}

}  // namespace

Result<TrainedScores> read_trained_scores(const std::string& kind, const std::string& path,
                                          int threads) {
  if (kind == "gbdt") return read_trees(path, static_cast<std::size_t>(threads));
  const Result<TrainedRanker> trained = read_trained_ranker(path);
  if (!trained) return trained.error();
  if (trained->shape.kind != kind)
    return Error{path + ": weights of " + trained->shape.kind + ", expected those of " + kind};
  Result<TrainedScores> scores = scores_of(*trained, threads);
  if (!scores) return Error{path + ": " + scores.error().message};
  return scores;
}

std::string file_of_trained(std::string_view kind) {
  return std::string(kind) + (kind == "gbdt" ? ".ubj" : ".safetensors");
}

std::unique_ptr<CostModel> trained_model(TrainedScores scores) {
  return std::make_unique<TrainedModel>(std::move(scores));
}

}  // namespace tessera
