#pragma once

#include "base/result.h"
#include "base/rng.h"
#include "model/cost_model.h"
#include "search/task_search.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace tessera {

/// Chooses the candidates of a task that are measured next.
class Sampler {
 public:
  virtual ~Sampler() = default;
  virtual std::string_view name() const = 0;
  /// At most `count`, all different and none measured before; fewer, even none, when it finds no
  /// others.
  virtual std::vector<Candidate> sample(const TaskSearch& search, const CostModel& model,
                                        std::size_t count, Rng& rng) const = 0;
};

/// Uniform draws.
std::unique_ptr<Sampler> random_sampler();
/// Those with the highest scores among neighbours of the best, and draws.
std::unique_ptr<Sampler> greedy_sampler();
/// Evolution of a population under the cost model.
///
///     population = measured elite + seeds + draws
///     repeat 4 times: population = top half by score + children (mutated, crossed)
///     candidates = top by score, no two with all but one answer alike; every tenth drawn at random
///
/// The scheme of Ansor (Zheng et al., OSDI 2020), with crossover on the chain of choices.
std::unique_ptr<Sampler> evolve_sampler();

/// `evolve`, `greedy`, `random`.
std::span<const std::string_view> sampler_names();
/// Refuses an unknown name with the list of known ones.
Result<std::unique_ptr<Sampler>> make_sampler(std::string_view name);

}  // namespace tessera
