// Random small tasks under random steps, most of which no Space would propose: whatever is not
// refused computes the same, as it is and lowered.
// TESSERA_SEED=N starts at another seed; TESSERA_FOREVER=1 goes on until something fails.
#include "ir/text.h"
#include "schedule/schedule.h"
#include "support/interpreted.h"
#include "support/random_step.h"
#include "support/random_task.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tessera {
namespace {

constexpr std::uint64_t task_count = 400;
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
std::optional<std::string> wrong(const Computation& computation, const Schedule& schedule,
                                 std::uint64_t seed) {
  constexpr Tolerance loose{.absolute = 2e-3, .relative = 2e-3};  // Winograd
  const Program plain = to_program(computation);
  const Result<Program> program = tessera::apply(schedule, plain);
  if (!program) return std::nullopt;
  if (const auto found = difference(*program, plain, seed, loose)) return "scheduled: " + *found;
  try {
    const Result<Lowered> lowered = lower(*program, *parse_target("x86-avx512"));
    if (!lowered) return std::nullopt;
    if (const auto found = difference(*lowered, plain, seed, loose)) return "lowered: " + *found;
  } catch (const std::exception& broken) {
    return broken.what();
  }
  return std::nullopt;
}

Schedule minimised(const Computation& computation, Schedule schedule, std::uint64_t seed) {
  for (std::size_t n = schedule.size(); n-- > 0;) {
    Schedule shorter = schedule;
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(n));
    if (wrong(computation, shorter, seed)) schedule = std::move(shorter);
  }
  return schedule;
}

std::uint64_t first_seed() {
  const char* text = std::getenv("TESSERA_SEED");
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

TEST(Steps, ComputeTheSame) {
  const bool is_endless = std::getenv("TESSERA_FOREVER") != nullptr;
  for (std::uint64_t seed = first_seed(), done = 0; is_endless || done < task_count;
       ++seed, ++done) {
    Rng rng(seed);
    const Computation computation = random_computation(rng);
    const Schedule schedule = random_schedule(computation, rng);
    if (const auto found = wrong(computation, schedule, seed)) {
      const Schedule shortest = minimised(computation, schedule, seed);
      ADD_FAILURE() << *wrong(computation, shortest, seed) << "\nseed " << seed << "\n"
                    << to_text(computation) << "minimised schedule:\n"
                    << to_text(shortest);
      if (is_endless) return;
    }
  }
}

}  // namespace
}  // namespace tessera
