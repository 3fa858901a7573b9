#include "learn/seen_programs.h"

#include "model/mamba.h"
#include "pick/committee.h"
#include "pick/picker.h"

#include <cmath>

namespace tessera {
namespace {

constexpr std::size_t heads = 4;
constexpr int rounds = 5;

}  // namespace

Result<SeenPrograms> seen_by(const KnowledgeBase& base, std::span<const Rows* const> lists,
                             std::size_t threads) {
  const Result<Mamba> mamba = Mamba::make({.shape = base.shape, .weights = base.weights});
  if (!mamba) return mamba.error();
  SeenPrograms seen;
  for (const Rows* rows : lists) {
    const Points& features = seen.features.emplace_back(
        Points{.width = mamba->feature_width(), .values = mamba->features(*rows, threads)});
    seen.pool.lists.push_back({.places = standardised(features),
                               .is_measured = std::vector<bool>(rows->size()),
                               .scores = mamba->score_of(*rows, features.values)});
  }
  return seen;
}

void let_vote(SeenPrograms& seen,
              const std::function<std::vector<float>(std::size_t list)>& labels_of, Rng& rng) {
  std::vector<PoolList>& lists = seen.pool.lists;
  std::vector<Evidence> evidence;
  for (std::size_t n = 0; n < lists.size(); ++n)
    if (lists[n].measured() > 1)
      evidence.push_back(evidence_of(seen.features[n], lists[n].is_measured, labels_of(n)));
  if (evidence.empty()) return;
  const Committee committee = Committee::teach(evidence, heads, rng);
  for (std::size_t n = 0; n < lists.size(); ++n) lists[n].votes = committee.votes(seen.features[n]);
}

Result<Measured> pick_by_base(const KnowledgeBase& base, const Platform& platform, double share,
                              const DistilOptions& options) {
  std::vector<const Rows*> rows;
  for (const EncodedList& list : platform.pool) rows.push_back(&list.rows);
  Result<SeenPrograms> seen = seen_by(base, rows, static_cast<std::size_t>(options.threads));
  if (!seen) return seen.error();
  ProgramPool& pool = seen->pool;
  Rng rng(options.seed);
  for (int round = 0; round < rounds; ++round) {
    if (options.is_stopped && options.is_stopped()) return Error{"stopped"};
    const double done = static_cast<double>(round) / rounds;
    const auto wanted = static_cast<std::size_t>(
        std::ceil(share * (done + 1.0 / rounds) * static_cast<double>(pool.size())));
    const Picks picks = rdu_picker()->pick(pool, wanted - pool.measured(), done, rng);
    for (std::size_t n = 0; n < picks.size(); ++n)
      for (const std::size_t number : picks[n]) pool.lists[n].is_measured[number] = true;
    let_vote(*seen, [&](std::size_t n) { return platform.pool[n].labels; }, rng);
  }
  Measured measured;
  for (PoolList& list : pool.lists) measured.push_back(std::move(list.is_measured));
  return measured;
}

}  // namespace tessera
