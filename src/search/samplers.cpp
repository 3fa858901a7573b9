#include "search/pool.h"
#include "search/sampler.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace tessera {
namespace {

class RandomSampler : public Sampler {
 public:
  std::string_view name() const override { return "random"; }
  std::vector<Candidate> sample(const TaskSearch& search, const CostModel& /*model*/,
                                std::size_t count, Rng& rng) const override {
    Pool pool(search);
    pool.draw_to(count, rng);
    return candidates_of(std::move(pool.chains()), name());
  }
};

class GreedySampler : public Sampler {
 public:
  std::string_view name() const override { return "greedy"; }
  std::vector<Candidate> sample(const TaskSearch& search, const CostModel& model, std::size_t count,
                                Rng& rng) const override {
    constexpr std::size_t parents = 4;
    constexpr std::size_t draws = 128;
    Pool pool(search);
    for (const TaskSearch::Known& known :
         std::span(search.ranked()).first(std::min(parents, search.ranked().size())))
      for (Space::Chain& other : neighbours(search.space(), known.chain))
        pool.add(std::move(other));
    pool.draw_to(pool.chains().size() + draws, rng);
    std::vector<Space::Chain> best;
    for (ScoredChain& one : take_best(std::move(pool.chains()), search.task(), model, count))
      best.push_back(std::move(one.chain));
    return candidates_of(std::move(best), name());
  }
};

constexpr std::array<std::string_view, 3> names{"evolve", "greedy", "random"};

}  // namespace

std::vector<ScoredChain> take_best(std::vector<Space::Chain> chains, const Task& task,
                                   const CostModel& model, std::size_t count) {
  std::vector<const Space::Chain*> pointers;
  for (const Space::Chain& chain : chains) pointers.push_back(&chain);
  const std::vector<double> scores = model.score(task, pointers);
  std::vector<std::size_t> order(chains.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t n) { return scores[n]; });
  std::vector<ScoredChain> best;
  for (const std::size_t n : std::span(order).first(std::min(count, order.size())))
    best.push_back({std::move(chains[n]), scores[n]});
  return best;
}

std::vector<Candidate> candidates_of(std::vector<Space::Chain> chains, std::string_view origin) {
  std::vector<Candidate> candidates;
  for (Space::Chain& chain : chains) candidates.push_back({std::move(chain), std::string(origin)});
  return candidates;
}

std::unique_ptr<Sampler> random_sampler() { return std::make_unique<RandomSampler>(); }
std::unique_ptr<Sampler> greedy_sampler() { return std::make_unique<GreedySampler>(); }

std::span<const std::string_view> sampler_names() { return names; }

Result<std::unique_ptr<Sampler>> make_sampler(std::string_view name) {
  if (name == "evolve") return evolve_sampler();
  if (name == "greedy") return greedy_sampler();
  if (name == "random") return random_sampler();
  return Error{"sampler " + std::string(name) + ": not known, expected evolve, greedy or random"};
}

}  // namespace tessera
