// Small convolutions by Winograd's algorithm: random schedules of that part of the Space compute
// what the computation says, interpreted and compiled.
#include "base/check.h"
#include "ir/text.h"
#include "lower/lower.h"
#include "ops/tasks.h"
#include "schedule/space.h"
#include "support/agreement.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera {
namespace {

constexpr int draws = 6;

constexpr std::string_view specs[] = {
    "conv2d:c=16,h=5,w=7,o=24,k=3,p=1,epilogue=bias+relu",
    "conv2d:c=24,h=9,w=6,o=16,k=3,p=0",
    "conv2d:n=2,c=20,h=8,w=8,o=18,k=3,p=1,epilogue=add+relu",
    "conv2d:c=17,h=7,w=9,o=17,k=3,p=0,epilogue=bias",
};

/// The widest vectors here that leave more channels than lanes.
Target target_here() {
  for (const char* name : {"x86-avx2", "x86-avx", "x86-sse42"})
    if (const Target target = *parse_target(name); runs_here(target)) return target;
  return *parse_target("native");
}

/// The choice of an algorithm.
Choices head_for(const Space& space, const std::string& algorithm) {
  const auto decision = space.next({});
  check(decision && decision->name == "algorithm", "a choice of algorithm");
  const auto option = std::ranges::find(decision->options, algorithm);
  check(option != decision->options.end(), "the algorithm among the options");
  return {option - decision->options.begin()};
}

class WinogradSchedules : public testing::TestWithParam<std::string> {};

TEST_P(WinogradSchedules, ComputeTheSame) {
  Target target = target_here();
  target.cores = 2;
  const std::unique_ptr<Backend> backend = llvm_backend();
  for (const std::string_view spec : specs) {
    const Task task{*parse_task_spec(spec), target};
    const Space space(task);
    const Choices head = head_for(space, GetParam());
    Rng rng(1);
    for (int n = 0; n < draws; ++n) {
      const Space::Chain chain = n == 0 ? best_by_prior(space, head) : draw(space, rng, head);
      const Schedule& schedule = chain.draft.schedule;
      const auto found = disagreement(task, schedule, backend.get(), 1);
      ASSERT_FALSE(found) << *found << "\n"
                          << to_text(target) << "\n"
                          << spec << "\n"
                          << to_text(chain.names) << "\n"
                          << to_text(schedule);
    }
  }
}

TEST_P(WinogradSchedules, OfBatchesFitTheirScratch) {
  const Task task{*parse_task_spec("conv2d:n=4,c=64,h=56,w=56,o=64,k=3,p=1"),
                  *parse_target("x86-avx2 cores=2")};
  const Space space(task);
  const Choices head = head_for(space, GetParam());
  Rng rng(1);
  for (int n = 0; n < 12; ++n) {
    const Space::Chain chain = draw(space, rng, head);
    const Result<Program> program =
        tessera::apply(chain.draft.schedule, to_program(task.computation));
    ASSERT_TRUE(program) << program.error().message;
    const auto lowered = lower(*program, task.target);
    EXPECT_TRUE(lowered) << to_text(chain.names) << "\n" << lowered.error().message;
  }
}

INSTANTIATE_TEST_SUITE_P(PerAlgorithm, WinogradSchedules, testing::Values("winograd2", "winograd4"),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace tessera
