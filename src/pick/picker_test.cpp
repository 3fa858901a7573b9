#include "pick/picker.h"

#include "pick/committee.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace tessera {
namespace {

/// Lists of random places, scores and votes; of the second some are measured.
ProgramPool random_pool(std::uint64_t seed) {
  Rng rng(seed);
  ProgramPool pool;
  for (const std::size_t size : {40U, 90U, 3U}) {
    PoolList& list = pool.lists.emplace_back();
    list.places.width = 5;
    for (std::size_t n = 0; n < size * 5; ++n)
      list.places.values.push_back(static_cast<float>(rng.unit()));
    list.is_measured.resize(size);
    list.votes.resize(4);
    for (std::size_t n = 0; n < size; ++n) {
      list.scores.push_back(static_cast<float>(rng.unit()));
      for (std::vector<float>& vote : list.votes) vote.push_back(static_cast<float>(rng.unit()));
    }
  }
  for (std::size_t n = 0; n < 30; ++n) pool.lists[1].is_measured[3 * n] = true;
  return pool;
}

std::size_t count_of(const Picks& picks) {
  std::size_t count = 0;
  for (const std::vector<std::size_t>& of_list : picks) count += of_list.size();
  return count;
}

TEST(Picker, GivesAsManyAsAskedForNoneTwiceNoneMeasured) {
  for (const bool has_votes : {true, false})
    for (const std::string_view name : picker_names()) {
      ProgramPool pool = random_pool(7);
      if (!has_votes)
        for (PoolList& list : pool.lists) list.votes.clear();
      const std::unique_ptr<Picker> picker = *make_picker(name);
      for (const std::size_t count : {1U, 17U, 500U}) {
        Rng rng(3);
        const Picks picks = picker->pick(pool, count, 0.5, rng);
        EXPECT_EQ(count_of(picks), std::min<std::size_t>(count, pool.size() - pool.measured()))
            << name;
        for (std::size_t n = 0; n < picks.size(); ++n) {
          EXPECT_EQ(std::set(picks[n].begin(), picks[n].end()).size(), picks[n].size()) << name;
          for (const std::size_t number : picks[n])
            EXPECT_FALSE(pool.lists[n].is_measured[number]) << name;
        }
      }
    }
}

TEST(Picker, TakesProgramsThatAreAllAlike) {
  for (const std::string_view name : picker_names()) {
    ProgramPool pool = random_pool(7);
    for (PoolList& list : pool.lists) {
      std::ranges::fill(list.places.values, 1.0F);
      std::ranges::fill(list.scores, 1.0F);
      for (std::vector<float>& vote : list.votes) std::ranges::fill(vote, 1.0F);
    }
    Rng rng(3);
    EXPECT_EQ(count_of((*make_picker(name))->pick(pool, 20, 0, rng)), 20U) << name;
  }
}

TEST(Picker, RefusesAnUnknownName) {
  EXPECT_EQ(make_picker("best").error().message,
            "picker \"best\": expected one of rdu, random, stratified, k-center, uncertain, "
            "typiclust, badge, lcmd, balto, greedy");
}

/// Two heaps of programs, one of them predicted to be fast, and one program that lies apart.
PoolList heaps() {
  PoolList list;
  for (int n = 0; n < 21; ++n) {
    const float place = n < 10 ? 0.0F : n < 20 ? 10.0F : 100.0F;
    list.places.values.push_back(place + 0.01F * static_cast<float>(n));
    list.scores.push_back(n < 10 ? 1.0F : 0.0F);
  }
  list.is_measured.resize(21);
  return list;
}

TEST(Picker, KCenterTakesWhatLiesApartAndTypiclustDoesNot) {
  ProgramPool pool{{heaps()}};
  Rng rng(1);
  EXPECT_LT((*make_picker("typiclust"))->pick(pool, 1, 0, rng)[0].front(), 20U);
  pool.lists[0].is_measured[0] = true;
  EXPECT_EQ((*make_picker("k-center"))->pick(pool, 1, 0, rng)[0].front(), 20U);
  EXPECT_EQ((*make_picker("lcmd"))->pick(pool, 1, 0, rng)[0].front(), 20U);
}

TEST(Picker, RduWithoutOnePartDoesWithoutIt) {
  ProgramPool pool{{heaps()}};
  Rng rng(1);
  const auto first = [&](RduParts parts) {
    return rdu_picker(parts)->pick(pool, 1, 0, rng)[0].front();
  };
  EXPECT_LT(first({}), 10U);  // typical, and fast
  EXPECT_LT(first({.is_representative = false, .is_uncertain = false}), 10U);
  pool.lists[0].is_measured[5] = true;
  EXPECT_EQ(first({.is_representative = false, .is_biased = false}), 20U);  // far from the other
  EXPECT_NE(first({.is_diverse = false, .is_biased = false}), 20U);         // typical
}

TEST(ProgramPool, GivesListsWithoutAnyFourAtOnceAndTheRestByTheRootOfTheirSizes) {
  ProgramPool pool;
  for (const std::size_t size : {100U, 400U, 400U})
    pool.lists.push_back({.is_measured = std::vector<bool>(size)});
  Rng rng(1);
  std::vector<std::size_t> few = shares_of(pool, 8, rng);
  std::ranges::sort(few);
  EXPECT_EQ(few, (std::vector<std::size_t>{0, 4, 4}));
  EXPECT_EQ(shares_of(pool, 50, rng), (std::vector<std::size_t>{10, 20, 20}));
  EXPECT_EQ(shares_of(pool, 10000, rng), (std::vector<std::size_t>{100, 400, 400}));
}

TEST(Committee, IsNotToldHowFastTheBestOfTheOthersIs) {
  const Points features{.width = 1, .values = {1, 2, 3}};
  const Evidence evidence =
      evidence_of(features, {true, false, true}, std::vector{0.5F, 1.0F, 0.25F});
  EXPECT_EQ(evidence.features.values, (std::vector<float>{1, 3}));
  EXPECT_EQ(evidence.labels, (std::vector<float>{1, 0.5F}));
}

TEST(Committee, AgreesOnWhatTheEvidenceTellsAndNotOnTheRest) {
  Rng rng(5);
  std::vector<Evidence> evidence;
  for (int task = 0; task < 3; ++task) {
    Evidence& one = evidence.emplace_back();
    one.features.width = 3;
    for (int n = 0; n < 40; ++n) {
      const auto known = static_cast<float>(rng.unit());
      const auto rare = static_cast<float>(n == 0 ? 1 : 0);  // in a single program
      one.features.values.insert(one.features.values.end(), {known, rare, 0});
      one.labels.push_back(2 * known + static_cast<float>(task) +
                           0.1F * static_cast<float>(rng.unit()));
    }
  }
  const Committee committee = Committee::teach(evidence, 6, rng);
  const auto votes = committee.votes({.width = 3, .values = {0, 0, 0, 1, 0, 0, 0, 1, 0}});
  ASSERT_EQ(votes.size(), 6U);
  float least = 1e9F, most = -1e9F;
  for (const std::vector<float>& vote : votes) {
    EXPECT_NEAR(vote[1] - vote[0], 2, 0.2);
    least = std::min(least, vote[2] - vote[0]);
    most = std::max(most, vote[2] - vote[0]);
  }
  EXPECT_GT(most - least, 0.005);
}

TEST(Points, TellWhatIsTypical) {
  const Points line{.width = 1, .values = {0, 1, 2, 10}};
  const std::vector<float> typical = typicality(line, 2);
  EXPECT_EQ(std::ranges::max_element(typical) - typical.begin(), 1);
  EXPECT_EQ(std::ranges::min_element(typical) - typical.begin(), 3);
  EXPECT_EQ(percentiles(std::vector<float>{3, 1, 3, 2}),
            (std::vector<float>{0.75F, 0.125F, 0.75F, 0.375F}));
}

TEST(Points, FallIntoClusters) {
  const Points points{.width = 1, .values = {0, 0.1F, 9, 9.1F, 9.2F}};
  Rng rng(2);
  const std::vector<std::size_t> clusters = clusters_of(points, 2, rng);
  EXPECT_EQ(clusters[0], clusters[1]);
  EXPECT_EQ(clusters[2], clusters[4]);
  EXPECT_NE(clusters[0], clusters[2]);
  EXPECT_EQ(clusters_of({.width = 1, .values = {4, 4, 4}}, 3, rng),
            (std::vector<std::size_t>{0, 0, 0}));
}

TEST(Points, AreStandardised) {
  const Points points = standardised({.width = 2, .values = {1, 5, 3, 5}});
  EXPECT_EQ(points.values, (std::vector<float>{-1, 0, 1, 0}));
}

}  // namespace
}  // namespace tessera
