// Random small tasks under random steps, most of which no Space would propose: whatever is not
// refused computes the same, as it is, lowered and, for some tasks, compiled.
// TESSERA_SEED=N starts at another seed; TESSERA_FOREVER=1 goes on until something fails.
#include "ir/text.h"
#include "support/agreement.h"
#include "support/interpreted.h"
#include "support/random_step.h"
#include "support/random_task.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <exception>

namespace tessera {
namespace {

constexpr std::uint64_t task_count = 600;
constexpr std::uint64_t tasks_per_compiled = 6;
constexpr int steps_tried = 20;

/// The steps that were legal.
Schedule random_schedule(const Computation& computation, Rng& rng) {
  Schedule schedule;
  Program program = to_program(computation);
  for (int n = 0; n < steps_tried; ++n) {
    Step step = random_step(program, rng);
    Result<Program> next = tessera::apply(step, program);
    if (!next) continue;
    program = *std::move(next);
    schedule.push_back(std::move(step));
  }
  return schedule;
}

/// Nothing when the schedule computes the same or is refused.
std::optional<std::string> wrong(const Task& task, const Schedule& schedule, const Backend* backend,
                                 std::uint64_t seed) {
  constexpr Tolerance loose{.absolute = 2e-3, .relative = 2e-3};  // Winograd
  const Program plain = to_program(task.computation);
  const Result<Program> program = tessera::apply(schedule, plain);
  if (!program) return std::nullopt;
  if (const auto found = difference(*program, plain, seed, loose))
    return "scheduled program: " + *found;
  try {
    const auto found = disagreement(task, schedule, backend, seed);
    const bool is_refused = found && found->find("refused: ") != std::string::npos;
    return is_refused ? std::nullopt : found;
  } catch (const std::exception& broken) {
    return broken.what();
  }
}

Schedule minimised_steps(const Task& task, Schedule schedule, const Backend* backend,
                         std::uint64_t seed) {
  for (std::size_t n = schedule.size(); n-- > 0;) {
    Schedule shorter = schedule;
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(n));
    if (wrong(task, shorter, backend, seed)) schedule = std::move(shorter);
  }
  return schedule;
}

std::uint64_t first_seed() {
  const char* text = std::getenv("TESSERA_SEED");
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

TEST(Steps, ComputeTheSame) {
  Target target = detect_host();
  target.cores = 2;
  const std::unique_ptr<Backend> llvm = llvm_backend();
  const bool is_endless = std::getenv("TESSERA_FOREVER") != nullptr;
  for (std::uint64_t seed = first_seed(), done = 0; is_endless || done < task_count;
       ++seed, ++done) {
    Rng rng(seed);
    const Task task{random_computation(rng), target};
    const Schedule schedule = random_schedule(task.computation, rng);
    const Backend* backend = seed % tasks_per_compiled == 0 ? llvm.get() : nullptr;
    const auto found = wrong(task, schedule, backend, seed);
    ASSERT_FALSE(found) << *found << "\nseed " << seed << "\ntarget " << to_text(target) << "\n"
                        << to_text(task.computation) << "minimised schedule:\n"
                        << to_text(minimised_steps(task, schedule, backend, seed));
  }
}

}  // namespace
}  // namespace tessera
