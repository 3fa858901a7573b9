#include "learn/base_pool.h"

#include "model/mamba.h"
#include "pick/committee.h"
#include "pick/picker.h"

#include <cmath>

namespace tessera {
namespace {

constexpr std::size_t heads = 4;
constexpr int rounds = 5;

}  // namespace

Result<BasePool> make_base_pool(const KnowledgeBase& base, std::span<const Rows* const> lists,
                                std::size_t threads) {
  const Result<Mamba> mamba = Mamba::make({.shape = base.shape, .weights = base.weights});
  if (!mamba) return mamba.error();
  BasePool pool;
  for (const Rows* rows : lists) {
    const Points& features = pool.features.emplace_back(
        Points{.width = mamba->feature_width(), .values = mamba->features(*rows, threads)});
    pool.programs.lists.push_back({.places = standardised(features),
                                   .is_measured = std::vector<bool>(rows->size()),
                                   .scores = mamba->score_of(*rows, features.values)});
  }
  return pool;
}

void let_vote(BasePool& pool, const std::function<std::vector<float>(std::size_t list)>& labels_of,
              std::uint64_t seed) {
  std::vector<PoolList>& lists = pool.programs.lists;
  std::vector<Evidence> evidence;
  for (std::size_t n = 0; n < lists.size(); ++n)
    if (lists[n].measured() > 1)
      evidence.push_back(evidence_of(pool.features[n], lists[n].is_measured, labels_of(n)));
  if (evidence.empty()) return;
  Rng rng(seed);
  const Committee committee = Committee::teach(evidence, heads, rng);
  for (std::size_t n = 0; n < lists.size(); ++n) lists[n].votes = committee.votes(pool.features[n]);
}

Result<Measured> pick_by_base(const KnowledgeBase& base, const Platform& platform, double share,
                              const DistilOptions& options) {
  std::vector<const Rows*> rows;
  for (const EncodedList& list : platform.pool) rows.push_back(&list.rows);
  Result<BasePool> pool = make_base_pool(base, rows, static_cast<std::size_t>(options.threads));
  if (!pool) return pool.error();
  ProgramPool& programs = pool->programs;
  Rng rng(options.seed);
  for (int round = 0; round < rounds; ++round) {
    if (options.is_stopped && options.is_stopped()) return Error{"stopped"};
    const double done = static_cast<double>(round) / rounds;
    const auto wanted = static_cast<std::size_t>(
        std::ceil(share * (done + 1.0 / rounds) * static_cast<double>(programs.size())));
    const Picks picks = rdu_picker()->pick(programs, wanted - programs.measured(), done, rng);
    for (std::size_t n = 0; n < picks.size(); ++n)
      for (const std::size_t number : picks[n]) programs.lists[n].is_measured[number] = true;
    let_vote(*pool, [&](std::size_t n) { return platform.pool[n].labels; }, options.seed);
  }
  Measured measured;
  for (PoolList& list : programs.lists) measured.push_back(std::move(list.is_measured));
  return measured;
}

}  // namespace tessera
