#pragma once

#include "measure/instance.h"
#include "peak/region.h"
#include "peak/timing.h"

#include <span>

namespace tessera::bench {

/// What measuring takes besides choices.
struct Bench {
  const Backend& backend;
  std::span<const HostBuffer> operands;
  ThreadPool& pool;
};

Result<Instance> make_instance(const Space& space, const Choices& choices, const Bench& bench);

/// `instance` and the pool of `bench` must outlive it.
Contender as_contender(const Instance& instance, const Bench& bench);

/// The fastest of at most `trials` measured members of `region`, the first of them `start`:
/// favourites of the prior, random draws, then mutations of the fastest so far.
Choices fastest(const Region& region, const Choices& start, int trials, const Bench& bench,
                Rng& rng);

}  // namespace tessera::bench
