// Random small tasks under random schedules of their Space: the interpreter on the lowered program
// and compiled code on every instruction set of this machine agree with the computation.
// TESSERA_SEED=N starts at another seed; TESSERA_FOREVER=1 goes on until something fails.
#include "ir/text.h"
#include "schedule/rules/layouts.h"
#include "schedule/space.h"
#include "support/agreement.h"
#include "support/random_task.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

namespace tessera {
namespace {

constexpr std::uint64_t schedules_per_target = 720;
constexpr std::uint64_t schedules_per_task = 3;

std::uint64_t first_seed() {
  const char* text = std::getenv("TESSERA_SEED");
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

class Schedules : public testing::TestWithParam<std::string> {};

/// A failure as one paragraph that reproduces it.
std::string report(const std::string& found, std::uint64_t seed, const Task& task,
                   const Schedule& schedule) {
  return found + "\nseed " + std::to_string(seed) + "\ntarget " + to_text(task.target) + "\n" +
         to_text(task.computation) + "minimised schedule:\n" + to_text(schedule);
}

/// Layouts as neighbours in a network may settle them: images plain or with blocked channels, in a
/// halo or not; other tensors row-major.
std::map<TensorId, Layout> random_layouts(const Computation& computation, std::int64_t lanes,
                                          Rng& rng) {
  std::map<TensorId, Layout> layouts;
  const auto settle = [&](const Tensor& tensor) {
    Layout layout = row_major(tensor.shape.size());
    if (tensor.shape.size() == 4) {
      if (rng.below(2) == 0) layout = blocked_channels(lanes);
      if (rng.below(2) == 0) layout.halo = {{}, {}, {1, rng.below(3)}, {1, rng.below(3)}};
    }
    layouts[tensor.name] = layout;
  };
  for (const Operand& operand : computation.operands)
    if (operand.role == Role::Input && rng.below(4) != 0) settle(operand.tensor);
  for (const TensorId& output : computation.outputs)
    if (rng.below(4) != 0) settle(*find_tensor(computation, output));
  return layouts;
}

TEST_P(Schedules, ComputeTheSame) {
  Target target = *parse_target(GetParam());
  target.cores = 2;
  if (!runs_here(target)) GTEST_SKIP() << "this machine has no " << target.name;
  const std::unique_ptr<Backend> backend = llvm_backend();
  const bool is_endless = std::getenv("TESSERA_FOREVER") != nullptr;
  for (std::uint64_t seed = first_seed(), done = 0; is_endless || done < schedules_per_target;
       ++seed) {
    Rng rng(seed);
    Task task{random_computation(rng), target};
    if (seed % 2 == 1) task.layouts = random_layouts(task.computation, target.f32_lanes(), rng);
    const Space space(task);
    for (std::uint64_t n = 0; n < schedules_per_task; ++n, ++done) {
      const Schedule schedule = (n == 0 ? best_by_prior(space) : draw(space, rng)).draft.schedule;
      const auto found = disagreement(task, schedule, backend.get(), seed);
      ASSERT_FALSE(found.has_value())
          << report(*found, seed, task, minimised(task, schedule, backend.get(), seed));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(PerTarget, Schedules,
                         testing::Values("x86-sse42", "x86-avx", "x86-avx2", "x86-avx512"),
                         [](const auto& param) {
                           std::string name = param.param;
                           name.erase(name.find('-'), 1);
                           return name;
                         });

}  // namespace
}  // namespace tessera
