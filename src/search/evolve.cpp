#include "search/pool.h"
#include "search/sampler.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr std::size_t population_size = 192;
constexpr std::size_t elite_size = 24;
constexpr int generations = 3;
constexpr std::size_t most_tries = 2;   // at a generation: children may have been there before
constexpr double mutation_share = 0.8;  // of children; the others have two parents
constexpr double random_share = 0.1;    // of what is measured

class EvolveSampler : public Sampler {
 public:
  std::string_view name() const override { return "evolve"; }

  std::vector<Candidate> sample(const TaskSearch& search, const CostModel& model, std::size_t count,
                                Rng& rng) const override {
    std::vector<ScoredChain> found;  // the best of each generation, which were scored once
    std::vector<Space::Chain> parents = first_parents(search, rng);
    for (int n = 0; n < generations; ++n) {
      Pool children(search);
      for (std::size_t tries = 0; tries < most_tries; ++tries) {
        const std::size_t missing = population_size - children.chains().size();
        for (Space::Chain& child : made_on_all_cores(
                 missing, rng, [&](Rng& own) { return child_of(search.space(), parents, own); }))
          children.add(std::move(child));
      }
      parents.clear();
      for (ScoredChain& child :
           take_best(std::move(children.chains()), search.task(), model, population_size / 2)) {
        parents.push_back(child.chain);
        found.push_back(std::move(child));
      }
      for (const TaskSearch::Known& known : elite(search)) parents.push_back(known.chain);
      if (parents.empty()) break;
    }
    const auto drawn = static_cast<std::size_t>(random_share * static_cast<double>(count) + 0.5);
    std::ranges::stable_sort(found, std::greater(), &ScoredChain::score);
    Pool all(search);
    add_apart(found, count - drawn, all);
    all.draw_to(count, rng);
    return candidates_of(std::move(all.chains()), name());
  }

 private:
  static std::span<const TaskSearch::Known> elite(const TaskSearch& search) {
    return std::span(search.ranked()).first(std::min(elite_size, search.ranked().size()));
  }

  static std::vector<Space::Chain> first_parents(const TaskSearch& search, Rng& rng) {
    std::vector<Space::Chain> parents{search.untuned()};
    for (const TaskSearch::Known& known : elite(search)) parents.push_back(known.chain);
    const std::size_t missing = population_size / 2 - parents.size();
    for (Space::Chain& drawn :
         made_on_all_cores(missing, rng, [&](Rng& own) { return draw(search.space(), own); }))
      parents.push_back(std::move(drawn));
    return parents;
  }

  /// The first that are no neighbours of each other, then the rest: a model that errs in a chain
  /// errs in its neighbours, too, and one measurement tells of all of them.
  static void add_apart(std::span<const ScoredChain> sorted, std::size_t count, Pool& all) {
    for (const bool are_neighbours_welcome : {false, true})
      for (const ScoredChain& one : sorted) {
        if (all.chains().size() >= count) return;
        const bool is_near = std::ranges::any_of(all.chains(), [&](const Space::Chain& taken) {
          return are_neighbours(taken.choices, one.chain.choices);
        });
        if (are_neighbours_welcome || !is_near) all.add(one.chain);
      }
  }

  /// Whether they differ in one answer at most.
  static bool are_neighbours(const Choices& a, const Choices& b) {
    if (a.size() != b.size()) return false;
    std::size_t differences = 0;
    for (std::size_t n = 0; n < a.size(); ++n) differences += a[n] == b[n] ? 0 : 1;
    return differences < 2;
  }

  /// The nearer to the front a parent is, the likelier it has children.
  static Space::Chain child_of(const Space& space, const std::vector<Space::Chain>& parents,
                               Rng& rng) {
    const auto pick = [&]() -> const Space::Chain& {
      const auto count = static_cast<std::int64_t>(parents.size());
      return parents[static_cast<std::size_t>(std::min(rng.below(count), rng.below(count)))];
    };
    return rng.chance(mutation_share) ? mutate(space, pick(), rng)
                                      : cross(space, pick(), pick(), rng);
  }
};

}  // namespace

std::unique_ptr<Sampler> evolve_sampler() { return std::make_unique<EvolveSampler>(); }

}  // namespace tessera
