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

std::string report(const Space& space, const Choices& choices) {
  return to_text(space.task().target) + "\n" + to_text(space.task().computation) +
         to_text(space, choices) + "\n" + to_text(space.draft(choices).schedule);
}

bool is_complete(const Space& space, const Choices& choices) {
  return !space.next(choices).has_value();
}

/// Why the schedule of complete choices is not one for its target, or nothing.
std::optional<std::string> unfit(const Space& space, const Choices& choices) {
  const Task& task = space.task();
  const Result<Program> program =
      tessera::apply(space.draft(choices).schedule, to_program(task.computation));
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
    const Choices choices = draw(first, rng);
    EXPECT_EQ(to_text(first, choices), to_text(second, choices));
  }
}

TEST(Space, DrawsLowerAndFitEveryTarget) {
  for (const char* target : {"x86-sse42", "x86-avx2", "x86-avx512", "aarch64-neon", "riscv64-v256"})
    for (const std::string_view spec : specs) {
      const Space space(task(spec, target));
      Rng rng(5);
      for (int n = 0; n < 6; ++n) {
        const Choices choices = draw(space, rng);
        ASSERT_TRUE(is_complete(space, choices));
        const auto found = unfit(space, choices);
        ASSERT_FALSE(found) << *found << "\n" << report(space, choices);
      }
    }
}

TEST(Space, DrawsOfRandomTasksLowerAndFit) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Rng rng(seed);
    const Space space({random_computation(rng), *parse_target("x86-avx512 cores=4")});
    const Choices choices = draw(space, rng);
    const auto found = unfit(space, choices);
    ASSERT_FALSE(found) << "seed " << seed << "\n" << *found << "\n" << report(space, choices);
  }
}

TEST(Space, DrawsDependOnTheSeedOnly) {
  const Space space(task(specs[0]));
  Rng one(7), same(7), other(8);
  const Choices choices = draw(space, one);
  EXPECT_EQ(draw(space, same), choices);
  EXPECT_NE(draw(space, other), choices);
}

TEST(Space, DrawsKeepTheirHead) {
  const Space space(task(specs[2]));
  Rng rng(7);
  const Choices head{1};
  for (int n = 0; n < 10; ++n) EXPECT_EQ(draw(space, rng, head).front(), 1);
}

TEST(Space, PrintsAnswersByName) {
  const Space space(task("gelu:rows=8,cols=32", "x86-avx2"));
  EXPECT_EQ(to_text(space, {1}), "gelu.unroll=2");
}

TEST(Mutate, ChangesAnAnswerAndStaysLegal) {
  for (const std::string_view spec : specs) {
    const Space space(task(spec));
    Rng rng(9);
    Choices choices = draw(space, rng);
    for (int n = 0; n < 10; ++n) {
      const Choices changed = mutate(space, choices, rng);
      ASSERT_NE(changed, choices) << report(space, choices);
      ASSERT_TRUE(is_complete(space, changed)) << spec;
      const auto found = unfit(space, changed);
      ASSERT_FALSE(found) << *found << "\n" << report(space, changed);
      choices = changed;
    }
  }
}

TEST(Mutate, LeavesATaskWithoutChoicesAlone) {
  const Space space({row_sum(1, 1), *parse_target("x86-avx2")});
  ASSERT_TRUE(is_complete(space, {}));
  Rng rng(1);
  EXPECT_EQ(mutate(space, {}, rng), Choices());
}

TEST(Neighbours, DifferInOneAnswerFirst) {
  for (const std::string_view spec : specs) {
    const Space space(task(spec));
    Rng rng(11);
    const Choices choices = draw(space, rng);
    std::size_t count = 0;
    for (std::size_t at = 0; at < choices.size(); ++at) {
      const Choices head(choices.begin(), choices.begin() + static_cast<std::ptrdiff_t>(at));
      count += space.next(head)->options.size() - 1;
    }
    const std::vector<Choices> all = neighbours(space, choices);
    EXPECT_EQ(all.size(), count);
    for (const Choices& other : all) {
      EXPECT_NE(other, choices);
      EXPECT_TRUE(is_complete(space, other)) << report(space, choices);
    }
    EXPECT_EQ(std::set<Choices>(all.begin(), all.end()).size(), all.size());
  }
}

TEST(BestByPrior, IsTheSameEveryTime) {
  for (const std::string_view spec : specs)
    EXPECT_EQ(best_by_prior(Space(task(spec))), best_by_prior(Space(task(spec))));
}

TEST(BestByPrior, IsNoWorseThanItsNeighbours) {
  for (const std::string_view spec : specs) {
    const Space space(task(spec));
    const Choices best = best_by_prior(space);
    const double cycles = space.draft(best).cycles;
    for (const Choices& other : neighbours(space, best))
      EXPECT_GE(space.draft(other).cycles, cycles)
          << to_text(space, other) << " beats " << to_text(space, best);
  }
}

TEST(BestByPrior, KeepsItsHead) {
  const Space space(task(specs[2]));
  const Choices best = best_by_prior(space, {1});
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
        tessera::apply(space.draft(n == 0 ? best_by_prior(space) : draw(space, rng)).schedule,
                       to_program(task.computation));
    ASSERT_TRUE(program) << program.error().message;
  }
}

TEST(Space, SharesNoLoopsOverBlocksThatAreNotFull) {
  const Space space(
      {*parse_task_spec("conv2d:c=512,h=1,w=130,o=24,k=1"), *parse_target("x86-avx2 cores=64")});
  Rng rng(1);
  for (int n = 0; n < 40; ++n) {
    const Choices choices = draw(space, rng);
    const auto found = unfit(space, choices);
    ASSERT_FALSE(found) << *found << "\n" << report(space, choices);
  }
}

}  // namespace
}  // namespace tessera
