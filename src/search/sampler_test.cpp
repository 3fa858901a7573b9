#include "search/sampler.h"

#include "ops/tasks.h"

#include <gtest/gtest.h>

#include <set>

namespace tessera {
namespace {

TaskSearch search_of(std::string_view spec) {
  return TaskSearch({*parse_task_spec(spec), *parse_target("x86-avx2 cores=2")});
}

Measurement took(double seconds) { return {.seconds = {seconds}}; }

/// Measures by the prior: what it likes is fast.
void measure_all(TaskSearch& search, std::vector<Candidate> candidates) {
  for (Candidate& candidate : candidates) {
    const double seconds = 1e-9 * candidate.chain.draft.estimate.cycles;
    search.add(std::move(candidate), took(seconds));
  }
}

class Samplers : public testing::TestWithParam<std::string_view> {};

TEST_P(Samplers, ProposeWhatIsNewAndLegal) {
  const auto sampler = *make_sampler(GetParam());
  const auto model = prior_model();
  TaskSearch search = search_of("conv2d:c=24,h=9,w=10,o=20,k=3,p=1,epilogue=bias+relu");
  Rng rng(1);
  std::set<Choices> seen;
  for (int round = 0; round < 4; ++round) {
    const std::vector<Candidate> candidates = sampler->sample(search, *model, 16, rng);
    EXPECT_EQ(candidates.size(), 16);
    for (const Candidate& candidate : candidates) {
      EXPECT_TRUE(seen.insert(candidate.chain.choices).second);
      EXPECT_FALSE(search.space().next(candidate.chain.choices).has_value());
      EXPECT_EQ(candidate.origin, GetParam());
    }
    measure_all(search, candidates);
  }
}

TEST_P(Samplers, DependOnTheSeedOnly) {
  const auto sampler = *make_sampler(GetParam());
  const auto model = prior_model();
  const TaskSearch search = search_of("matmul:m=37,n=50,k=41");
  const auto choices = [&](std::uint64_t seed) {
    Rng rng(seed);
    std::vector<Choices> all;
    for (const Candidate& one : sampler->sample(search, *model, 8, rng))
      all.push_back(one.chain.choices);
    return all;
  };
  EXPECT_EQ(choices(3), choices(3));
}

TEST_P(Samplers, EndWhenASmallSpaceIsMeasured) {
  const auto sampler = *make_sampler(GetParam());
  const auto model = prior_model();
  TaskSearch search = search_of("gelu:rows=8,cols=32");
  Rng rng(1);
  std::size_t rounds = 0;
  for (; rounds < 50; ++rounds) {
    std::vector<Candidate> candidates = sampler->sample(search, *model, 16, rng);
    if (candidates.empty()) break;
    measure_all(search, std::move(candidates));
  }
  EXPECT_LT(rounds, 50);
  EXPECT_GT(search.measured_count(), 1);
}

INSTANTIATE_TEST_SUITE_P(All, Samplers,
                         testing::ValuesIn(sampler_names().begin(), sampler_names().end()),
                         [](const auto& param) { return std::string(param.param); });

TEST(MakeSampler, RefusesUnknownNames) {
  EXPECT_EQ(make_sampler("guess").error().message,
            "sampler guess: not known, expected evolve, greedy or random");
}

TEST(EvolveSampler, FindsBetterOnesThanDraws) {
  const auto model = prior_model();
  TaskSearch evolved = search_of("matmul:m=128,n=768,k=768"), drawn = evolved;
  Rng rng(1);
  measure_all(evolved, evolve_sampler()->sample(evolved, *model, 16, rng));
  measure_all(drawn, random_sampler()->sample(drawn, *model, 16, rng));
  EXPECT_LT(evolved.best_seconds(), drawn.best_seconds());
}

TEST(TaskSearch, KeepsTheFastestFirst) {
  TaskSearch search = search_of("matmul:m=37,n=50,k=41");
  EXPECT_FALSE(search.untuned_seconds().has_value());
  Rng rng(1);
  search.add({search.untuned(), "default"}, took(2));
  const Space::Chain other = mutate(search.space(), search.untuned(), rng);
  search.add({other, "random"}, took(1));
  ASSERT_EQ(search.ranked().size(), 2);
  EXPECT_EQ(search.ranked()[0].chain.choices, other.choices);
  EXPECT_EQ(search.best_seconds(), 1);
  EXPECT_EQ(search.untuned_seconds(), 2);
}

TEST(TaskSearch, BelievesTheLastMeasurementOfAChain) {
  TaskSearch search = search_of("matmul:m=37,n=50,k=41");
  Rng rng(1);
  search.add({search.untuned(), "default"}, took(2));
  const Space::Chain other = mutate(search.space(), search.untuned(), rng);
  search.add({other, "random"}, took(1));
  search.add({other, "random"}, took(3));
  ASSERT_EQ(search.ranked().size(), 2);
  EXPECT_EQ(search.ranked()[0].chain.choices, search.untuned().choices);
  EXPECT_EQ(search.best_seconds(), 2);
  search.add({other, "random"}, {.outcome = Outcome::Crashed, .reason = "aborted"});
  EXPECT_EQ(search.ranked().size(), 1);
  EXPECT_EQ(search.measured_count(), 2);
}

TEST(TaskSearch, RemembersFailuresWithoutRankingThem) {
  TaskSearch search = search_of("matmul:m=37,n=50,k=41");
  search.add({search.untuned(), "default"}, {.outcome = Outcome::Crashed, .reason = "aborted"});
  EXPECT_TRUE(search.has_measured(search.untuned().choices));
  EXPECT_TRUE(search.ranked().empty());
}

}  // namespace
}  // namespace tessera
