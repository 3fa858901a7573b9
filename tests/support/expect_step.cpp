#include "support/expect_step.h"

#include "base/check.h"
#include "ir/text.h"
#include "support/golden.h"
#include "support/interpreted.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

/// Winograd trades accuracy for speed.
constexpr Tolerance loose{.absolute = 1e-3, .relative = 1e-3};

}  // namespace

Program scheduled(const Computation& computation, const Schedule& schedule) {
  Result<Program> program = tessera::apply(schedule, to_program(computation));
  check(program.has_value(), program ? "" : "a legal schedule: " + program.error().message);
  return *std::move(program);
}

std::string refusal(const Computation& computation, const Schedule& schedule) {
  const Result<Program> program = tessera::apply(schedule, to_program(computation));
  return program ? "accepted" : program.error().message;
}

void expect_same(const Computation& computation, const Schedule& schedule) {
  const auto found =
      difference(scheduled(computation, schedule), to_program(computation), 1, loose);
  EXPECT_FALSE(found) << *found << "\n" << to_text(computation) << to_text(schedule);
}

void expect_golden_program(const Computation& computation, const Schedule& schedule) {
  expect_same(computation, schedule);
  expect_golden(to_text(scheduled(computation, schedule)));
}

void expect_refusal(const Computation& computation, const Schedule& schedule,
                    const std::string& message) {
  EXPECT_EQ(refusal(computation, schedule), message) << to_text(computation) << to_text(schedule);
}

}  // namespace tessera
