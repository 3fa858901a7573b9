// What code is made of for a few tasks: one line per task with the fingerprint of its lowered
// programs under the default schedule. A refactor leaves tests/golden/kernels.txt alone; a change
// that means to make other kernels rewrites it with UPDATE_GOLDEN=1.
#include "ir/text.h"
#include "lower/lower.h"
#include "ops/tasks.h"
#include "schedule/space.h"
#include "support/golden.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

constexpr std::string_view target = "x86-avx2 cores=2 l1=32K l2=1M l3=32M";

constexpr std::string_view specs[] = {
    "matmul:m=128,n=768,k=768,epilogue=bias+relu",
    "matmul:m=197,n=768,k=768,epilogue=bias+gelu",
    "matmul:m=128,n=128,k=64,batch=12,b=input,tb=1",
    "matmul:m=1,n=1024,k=1024",
    "conv2d:c=64,h=28,w=28,o=64,k=3,p=1,epilogue=bias+relu",
    "conv2d:c=3,h=56,w=56,o=64,k=7,s=2,p=3",
    "conv2d:c=64,h=14,w=14,o=64,k=3,p=1,g=32",
    "depthwise:c=96,h=28,w=28,k=3,p=1,epilogue=bias+relu6",
    "maxpool:c=64,h=28,w=28,k=3,s=2,p=1",
    "softmax:rows=1536,cols=128",
    "layernorm:rows=128,cols=768",
    "gelu:rows=128,cols=3072",
    "transpose:rows=256,cols=384",
};

/// The programs of the best schedule by the prior among those whose first answers are `head`.
std::string kernel_text(const Task& task, const Choices& head) {
  const Space space(task);
  const Schedule schedule = best_by_prior(space, head).draft.schedule;
  const Result<Program> program = tessera::apply(schedule, to_program(task.computation));
  if (!program) return program.error().message;
  const Result<Lowered> lowered = lower(*program, task.target);
  if (!lowered) return lowered.error().message;
  return to_text(lowered->main) + (lowered->prepare ? to_text(*lowered->prepare) : "");
}

TEST(Kernels, AreTheSame) {
  std::string lines;
  const auto add = [&](const Task& task, const Choices& head, const std::string& name) {
    lines += to_text(fingerprint(kernel_text(task, head))) + " " + name + "\n";
  };
  for (const std::string_view spec : specs) {
    const Task task{*parse_task_spec(spec), *parse_target(target)};
    add(task, {}, std::string(spec));
    const auto decision = Space(task).next({});
    for (std::size_t n = 0; decision && n < decision->options.size(); ++n)
      if (decision->options[n].starts_with("winograd"))
        add(task, {static_cast<std::int64_t>(n)}, std::string(spec) + " " + decision->options[n]);
  }
  expect_golden(lines, "kernels");
}

}  // namespace
}  // namespace tessera
