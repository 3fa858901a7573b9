#include "schedule/space.h"

#include "ir/text.h"
#include "lower/lower.h"
#include "ops/tasks.h"
#include "support/random_task.h"
#include "support/small_tasks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace tessera {
namespace {

Task task(std::string_view spec, std::string_view target = "x86-avx2 cores=2") {
  return {*parse_task_spec(spec), *parse_target(target)};
}

/// One of each rule: tiles, rows, flat nests, Winograd.
constexpr std::string_view specs[] = {
    "matmul:m=37,n=50,k=41,epilogue=bias+relu",
    "matmul:m=9,n=24,k=16,batch=2,b=input,tb=1",
    "conv2d:c=24,h=9,w=10,o=20,k=3,p=1,epilogue=bias+relu",
    "conv2d:c=3,h=17,w=17,o=10,k=5,s=2,p=2",
    "depthwise:c=20,h=9,w=9,k=3,p=1",
    "maxpool:c=9,h=10,w=10,k=3,s=2",
    "softmax:rows=7,cols=64",
    "layernorm:rows=6,cols=48",
    "gelu:rows=9,cols=32",
    "transpose:rows=16,cols=10",
};

std::string report(const Space& space, const Space::Chain& chain) {
  return to_text(space.task().target) + "\n" + to_text(space.task().computation) +
         to_text(chain.names) + "\n" + to_text(chain.draft.schedule);
}

bool is_complete(const Space& space, const Choices& choices) {
  return !space.next(choices).has_value();
}

/// Why the schedule of complete choices is not one for its target, or nothing.
std::optional<std::string> unfit(const Space& space, const Space::Chain& chain) {
  const Task& task = space.task();
  const Result<Program> program =
      tessera::apply(chain.draft.schedule, to_program(task.computation));
  if (!program) return program.error().message;
  const Result<Lowered> lowered = lower(*program, task.target);
  if (!lowered) return lowered.error().message;
  return std::nullopt;
}

/// The answers of the question `algorithm`.
std::vector<std::string> algorithms(std::string_view spec, std::string_view target) {
  const auto decision = Space(task(spec, target)).next({});
  if (!decision || decision->name != "algorithm") return {"direct"};
  return decision->options;
}

bool offers_winograd(std::string_view spec, std::string_view target = "x86-avx2") {
  const std::vector<std::string> names = algorithms(spec, target);
  return std::find(names.begin(), names.end(), "winograd4") != names.end();
}

TEST(Space, AsksQuestionsWithSeveralAnswers) {
  for (const std::string_view spec : specs) {
    const Space space(task(spec));
    Rng rng(1);
    Choices choices;
    while (const auto decision = space.next(choices)) {
      EXPECT_FALSE(decision->name.empty());
      EXPECT_GE(decision->options.size(), 2) << spec << " " << decision->name;
      const std::set<std::string> distinct(decision->options.begin(), decision->options.end());
      EXPECT_EQ(distinct.size(), decision->options.size()) << spec << " " << decision->name;
      choices.push_back(rng.below(static_cast<std::int64_t>(decision->options.size())));
    }
  }
}

TEST(Space, NamesAreTheSameEveryTime) {
  for (const std::string_view spec : specs) {
    const Space first(task(spec)), second(task(spec));
    Rng rng(3);
    const Space::Chain chain = draw(first, rng);
    EXPECT_EQ(second.completed(chain.choices, {}).names, chain.names);
  }
}

TEST(Space, DrawsLowerAndFitEveryTarget) {
  for (const char* target : {"x86-sse42", "x86-avx2", "x86-avx512", "aarch64-neon", "riscv64-v256"})
    for (const std::string_view spec : specs) {
      const Space space(task(spec, target));
      Rng rng(5);
      for (int n = 0; n < 6; ++n) {
        const Space::Chain chain = draw(space, rng);
        ASSERT_TRUE(is_complete(space, chain.choices));
        const auto found = unfit(space, chain);
        ASSERT_FALSE(found) << *found << "\n" << report(space, chain);
      }
    }
}

TEST(Space, DrawsOfRandomTasksLowerAndFit) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Rng rng(seed);
    const Space space({random_computation(rng), *parse_target("x86-avx512 cores=4")});
    const Space::Chain chain = draw(space, rng);
    const auto found = unfit(space, chain);
    ASSERT_FALSE(found) << "seed " << seed << "\n" << *found << "\n" << report(space, chain);
  }
}

TEST(Space, DrawsDependOnTheSeedOnly) {
  const Space space(task(specs[0]));
  Rng one(7), same(7), other(8);
  const Choices choices = draw(space, one).choices;
  EXPECT_EQ(draw(space, same).choices, choices);
  EXPECT_NE(draw(space, other).choices, choices);
}

TEST(Space, DrawsKeepTheirHead) {
  const Space space(task(specs[2]));
  Rng rng(7);
  const Choices head{1};
  for (int n = 0; n < 10; ++n) EXPECT_EQ(draw(space, rng, head).choices.front(), 1);
}

TEST(Space, PrintsAnswersByName) {
  const Space space(task("gelu:rows=8,cols=32", "x86-avx2"));
  EXPECT_EQ(to_text(space.completed({1}, {}).names), "gelu.unroll=2");
}

TEST(Space, ReadsNamesBack) {
  Rng rng(1);
  const std::vector<NamedChoice> names = draw(Space(task(specs[2])), rng).names;
  const Result<std::vector<NamedChoice>> read = parse_choices(to_text(names));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, names);
  EXPECT_EQ(parse_choices("a=1 b").error().message, "choice b: expected QUESTION=OPTION");
}

TEST(Mutate, ChangesAnAnswerAndStaysLegal) {
  for (const std::string_view spec : specs) {
    const Space space(task(spec));
    Rng rng(9);
    Space::Chain chain = draw(space, rng);
    for (int n = 0; n < 10; ++n) {
      const Space::Chain changed = mutate(space, chain, rng);
      ASSERT_NE(changed.choices, chain.choices) << report(space, chain);
      ASSERT_TRUE(is_complete(space, changed.choices)) << spec;
      const auto found = unfit(space, changed);
      ASSERT_FALSE(found) << *found << "\n" << report(space, changed);
      chain = changed;
    }
  }
}

TEST(Mutate, LeavesATaskWithoutChoicesAlone) {
  const Space space({row_sum(1, 1), *parse_target("x86-avx2")});
  ASSERT_TRUE(is_complete(space, {}));
  Rng rng(1);
  EXPECT_EQ(mutate(space, draw(space, rng), rng).choices, Choices());
}

TEST(Cross, BeginsAsTheFirstAndStaysLegal) {
  for (const std::string_view spec : specs) {
    const Space space(task(spec));
    Rng rng(13);
    for (int n = 0; n < 10; ++n) {
      const Space::Chain first = draw(space, rng), second = draw(space, rng);
      const Space::Chain child = cross(space, first, second, rng);
      ASSERT_TRUE(is_complete(space, child.choices)) << spec;
      const auto found = unfit(space, child);
      ASSERT_FALSE(found) << *found << "\n" << report(space, child);
    }
    const Space::Chain chain = draw(space, rng);
    EXPECT_EQ(cross(space, chain, chain, rng).choices, chain.choices);
  }
}

TEST(Adopt, TakesWhatAnotherTaskChose) {
  const Space small(task("matmul:m=37,n=50,k=41")), large(task("matmul:m=128,n=768,k=768"));
  const Space::Chain otherwise = best_by_prior(small);
  Rng rng(17);
  for (int n = 0; n < 10; ++n) {
    const Space::Chain other = draw(large, rng);
    const Space::Chain adopted = adopt(small, other.names, otherwise);
    ASSERT_FALSE(unfit(small, adopted)) << report(small, adopted);
    EXPECT_EQ(adopt(large, other.names, best_by_prior(large)).choices, other.choices);
  }
  EXPECT_EQ(adopt(small, {}, otherwise).choices, otherwise.choices);
}

TEST(Neighbours, DifferInOneAnswerFirst) {
  for (const std::string_view spec : specs) {
    const Space space(task(spec));
    Rng rng(11);
    const Space::Chain chain = draw(space, rng);
    std::int64_t count = 0;
    for (const std::int64_t options : chain.option_counts) count += options - 1;
    std::set<Choices> all;
    for (const Space::Chain& other : neighbours(space, chain)) {
      EXPECT_NE(other.choices, chain.choices);
      EXPECT_TRUE(is_complete(space, other.choices)) << report(space, chain);
      all.insert(other.choices);
    }
    EXPECT_EQ(std::ssize(all), count);
  }
}

TEST(BestByPrior, IsTheSameEveryTime) {
  for (const std::string_view spec : specs)
    EXPECT_EQ(best_by_prior(Space(task(spec))).choices, best_by_prior(Space(task(spec))).choices);
}

TEST(BestByPrior, IsNoWorseThanItsNeighbours) {
  for (const std::string_view spec : specs) {
    const Space space(task(spec));
    const Space::Chain best = best_by_prior(space);
    for (const Space::Chain& other : neighbours(space, best))
      EXPECT_GE(other.draft.estimate.cycles, best.draft.estimate.cycles)
          << to_text(other.names) << " beats " << to_text(best.names);
  }
}

TEST(BestByPrior, KeepsItsHead) {
  const Space space(task(specs[2]));
  const Choices best = best_by_prior(space, {1}).choices;
  EXPECT_EQ(best.front(), 1);
  EXPECT_TRUE(is_complete(space, best));
}

TEST(DefaultSchedule, FitsEveryTarget) {
  for (const Target& target : presets())
    for (const std::string_view spec : specs) {
      const Task one{*parse_task_spec(spec), target};
      const Result<Program> program =
          tessera::apply(default_schedule(one), to_program(one.computation));
      ASSERT_TRUE(program) << target.name << " " << spec << ": " << program.error().message;
      const Result<Lowered> lowered = lower(*program, target);
      ASSERT_TRUE(lowered) << target.name << " " << spec << ": " << lowered.error().message;
    }
}

TEST(DefaultSchedule, ReadsTables) {
  const Computation counted = *parse_computation(R"(computation counted
input x i64[6]
table pool i64[4, 2] = [5, 6, 7, 8, 1, 2, 3, 4]
stage y f32[g:4] = sum[p:5] select(x[p] == pool[g, 0] && x[p + 1] == pool[g, 1], 1.0, 0.0)
output y
)");
  const Space space({counted, *parse_target("x86-avx2 cores=2")});
  EXPECT_EQ(unfit(space, best_by_prior(space)), std::nullopt);
}

TEST(Winograd, IsOfferedForThreeByThreeOfStrideOne) {
  EXPECT_TRUE(offers_winograd("conv2d:c=16,h=9,w=9,o=16,k=3,p=1"));
  EXPECT_TRUE(offers_winograd("conv2d:c=16,h=9,w=9,o=16,k=3,p=0"));
  EXPECT_TRUE(offers_winograd("conv2d:c=16,h=9,w=9,o=16,k=3,p=1,epilogue=bias+relu"));
  EXPECT_FALSE(offers_winograd("conv2d:c=16,h=9,w=9,o=16,k=3,p=1,s=2"));
  EXPECT_FALSE(offers_winograd("conv2d:c=16,h=9,w=9,o=16,k=5,p=1"));
  EXPECT_FALSE(offers_winograd("conv2d:c=16,h=9,w=9,o=16,k=1"));
  EXPECT_FALSE(offers_winograd("conv2d:c=16,h=9,w=9,o=16,k=3,p=2,d=2"));
  EXPECT_FALSE(offers_winograd("conv2d:c=32,h=9,w=9,o=32,k=3,p=1,g=2"));
  EXPECT_FALSE(offers_winograd("depthwise:c=16,h=9,w=9,k=3,p=1"));
  EXPECT_FALSE(offers_winograd("matmul:m=16,n=16,k=16"));
}

TEST(Winograd, NeedsMoreChannelsThanLanes) {
  EXPECT_FALSE(offers_winograd("conv2d:c=8,h=9,w=9,o=16,k=3,p=1"));
  EXPECT_FALSE(offers_winograd("conv2d:c=16,h=9,w=9,o=8,k=3,p=1"));
  EXPECT_FALSE(offers_winograd("conv2d:c=16,h=9,w=9,o=16,k=3,p=1", "x86-avx512"));
  EXPECT_TRUE(offers_winograd("conv2d:c=8,h=9,w=9,o=8,k=3,p=1", "x86-sse42"));
}

TEST(Space, SharesPackedProductsOfFewBatches) {
  Target target = *parse_target("x86-avx2");
  target.cores = 2;
  const Task task{*parse_task_spec("matmul:m=128,n=128,k=64,batch=2,b=input,tb=1"), target};
  const Space space(task);
  Rng rng(1);
  for (int n = 0; n < 20; ++n) {
    const Result<Program> program =
        tessera::apply((n == 0 ? best_by_prior(space) : draw(space, rng)).draft.schedule,
                       to_program(task.computation));
    ASSERT_TRUE(program) << program.error().message;
  }
}

TEST(Space, SharesNoLoopsOverBlocksThatAreNotFull) {
  const Space space(
      {*parse_task_spec("conv2d:c=512,h=1,w=130,o=24,k=1"), *parse_target("x86-avx2 cores=64")});
  Rng rng(1);
  for (int n = 0; n < 40; ++n) {
    const Space::Chain chain = draw(space, rng);
    const auto found = unfit(space, chain);
    ASSERT_FALSE(found) << *found << "\n" << report(space, chain);
  }
}

}  // namespace
}  // namespace tessera
