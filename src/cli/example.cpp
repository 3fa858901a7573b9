#include "cli/example.h"

#include "base/check.h"
#include "ir/interpret.h"
#include "ops/tasks.h"
#include "schedule/space.h"
#include "tensor/compare.h"

#include <array>
#include <limits>

namespace tessera {
namespace {

constexpr std::string_view conv = "conv2d:c=64,h=56,w=56,o=64,k=3,p=1,epilogue=bias+relu";
constexpr std::string_view small_conv = "conv2d:c=16,h=10,w=13,o=24,k=3,p=1,epilogue=bias+relu";
constexpr std::array all = {
    Example{"matmul 128x768x768", "matmul:m=128,n=768,k=768", "matmul:m=22,n=56,k=40", ""},
    Example{"conv2d 3x3 56x56x64 direct", conv, small_conv, "direct"},
    Example{"conv2d 3x3 56x56x64 winograd", conv, small_conv, "winograd"},
};

// Orders of summing hundreds of products differ, and Winograd rounds in its transforms.
constexpr Tolerance tolerance = {.absolute = 2e-3, .relative = 2e-3};

template <typename T>
T value_of(Result<T> result, std::string_view subject) {
  check(result.has_value(), result ? "" : std::string(subject) + ": " + result.error().message);
  return *std::move(result);
}

/// The best by the prior among the choices whose text begins so.
std::optional<Choices> best_that_begins(const Space& space, const std::string& beginning) {
  const auto belongs = [&](const Choices& choices) {
    return to_text(space, choices).starts_with(beginning);
  };
  if (Choices best = best_by_prior(space); belongs(best)) return best;
  std::optional<Choices> best;
  double best_cycles = std::numeric_limits<double>::infinity();
  const auto improves = [&](const Choices& choices) {
    const double cycles = belongs(choices) ? space.draft(choices).cycles : best_cycles;
    if (cycles >= best_cycles) return false;
    best = choices;
    best_cycles = cycles;
    return true;
  };
  Rng rng(1);
  for (int n = 0; n < 64; ++n) improves(draw(space, rng));
  for (bool goes_on = best.has_value(); goes_on;) {
    goes_on = false;
    for (const Choices& other : neighbours(space, *best)) goes_on = improves(other) || goes_on;
  }
  return best;
}

/// A task with its operands and one of its schedules, compiled.
struct Trial {
  Computation computation;
  std::vector<HostBuffer> operands;
  std::string choices;
  bool is_default = false;
  Instance instance;
};

std::optional<Trial> make_trial(std::string_view spec, const Example& example, const Target& target,
                                const Backend& backend) {
  Computation computation = value_of(parse_task_spec(spec), spec);
  const Space space({computation, target});
  const std::string beginning =
      example.algorithm.empty() ? "" : "algorithm=" + std::string(example.algorithm);
  const std::optional<Choices> choices = best_that_begins(space, beginning);
  if (!choices) return std::nullopt;
  Rng rng(1);
  std::vector<HostBuffer> operands = random_operands(computation, rng);
  const Program program = value_of(
      tessera::apply(space.draft(*choices).schedule, to_program(computation)), example.name);
  Instance instance = value_of(Instance::make(program, target, backend, operands), example.name);
  return Trial{std::move(computation), std::move(operands), to_text(space, *choices),
               *choices == best_by_prior(space), std::move(instance)};
}

/// Runs a trial; gives its largest difference from `want`.
double check_outputs(const Trial& trial, const std::vector<HostBuffer>& want, ThreadPool& pool) {
  trial.instance.run(pool);
  const Comparison comparison = compare(trial.instance.outputs()[0], want[0], tolerance);
  check(comparison.equal, trial.computation.name + " " + trial.choices + ": " + comparison.message);
  return comparison.max_error;
}

std::vector<HostBuffer> plain_outputs(const Trial& trial, const Target& target,
                                      const Backend& backend, ThreadPool& pool) {
  const Instance plain =
      value_of(Instance::make(to_program(trial.computation), target, backend, trial.operands),
               trial.computation.name);
  plain.run(pool);
  return plain.outputs();
}

}  // namespace

std::span<const Example> examples() { return all; }

std::optional<CheckedExample> make_checked(const Example& example, const Target& target,
                                           const Backend& backend, ThreadPool& pool) {
  const std::optional<Trial> small = make_trial(example.small_spec, example, target, backend);
  std::optional<Trial> trial = make_trial(example.spec, example, target, backend);
  if (!small || !trial) return std::nullopt;
  check_outputs(*small, value_of(evaluate(small->computation, small->operands), example.name),
                pool);
  const double max_error =
      check_outputs(*trial, plain_outputs(*trial, target, backend, pool), pool);
  return CheckedExample{example,           std::move(trial->choices),
                        trial->is_default, flops(trial->computation),
                        max_error,         std::move(trial->instance)};
}

}  // namespace tessera
