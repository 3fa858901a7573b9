#pragma once

#include "base/cores.h"
#include "base/parallel_for.h"
#include "search/sampler.h"

#include <set>
#include <vector>

namespace tessera {

/// Different chains that have not been measured, for a sampler to choose from.
class Pool {
 public:
  explicit Pool(const TaskSearch& search) : search_(search) {}

  /// Whether it is new.
  bool add(Space::Chain chain) {
    if (search_.has_measured(chain.choices) || !seen_.insert(chain.choices).second) return false;
    chains_.push_back(std::move(chain));
    return true;
  }
  /// Adds draws until there are so many chains or draws find no new ones.
  void draw_to(std::size_t count, Rng& rng) {
    constexpr int most_failures = 32;
    for (int failures = 0; chains_.size() < count && failures < most_failures;)
      failures = add(draw(search_.space(), rng)) ? 0 : failures + 1;
  }

  std::vector<Space::Chain>& chains() { return chains_; }

 private:
  const TaskSearch& search_;
  std::set<Choices> seen_;
  std::vector<Space::Chain> chains_;
};

/// What `make` gives with so many Rngs, on all cores; their number makes no difference to it.
template <typename Make>
std::vector<Space::Chain> made_on_all_cores(std::size_t count, Rng& rng, const Make& make) {
  std::vector<Rng> rngs;
  for (std::size_t n = 0; n < count; ++n) rngs.emplace_back(rng.next());
  std::vector<Space::Chain> chains(count);
  parallel_for(count, static_cast<std::size_t>(usable_cores()),
               [&](std::size_t n) { chains[n] = make(rngs[n]); });
  return chains;
}

struct ScoredChain {
  Space::Chain chain;
  double score = 0;
};
/// Takes the `count` chains with the highest scores, the highest first.
std::vector<ScoredChain> take_best(std::vector<Space::Chain> chains, const Task& task,
                                   const CostModel& model, std::size_t count);

/// Chains as candidates of one origin.
std::vector<Candidate> candidates_of(std::vector<Space::Chain> chains, std::string_view origin);

}  // namespace tessera
