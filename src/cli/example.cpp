#include "cli/example.h"

#include "base/check.h"
#include "ir/interpret.h"
#include "ops/tasks.h"
#include "schedule/space.h"
#include "tensor/compare.h"

#include <optional>

namespace tessera {
namespace {

// Orders of summing hundreds of products differ, and Winograd rounds in its transforms.
constexpr Tolerance tolerance = {.absolute = 2e-3, .relative = 2e-3};

template <typename T>
T value_of(Result<T> result, std::string_view subject) {
  check(result.has_value(), result ? "" : std::string(subject) + ": " + result.error().message);
  return *std::move(result);
}

/// The best by the prior among the algorithms whose name begins so.
std::optional<Space::Chain> best_of_algorithm(const Space& space, const std::string& beginning) {
  const std::optional<Decision> decision = space.next({});
  if (beginning.empty() || !decision || decision->name != "algorithm") return best_by_prior(space);
  std::optional<Space::Chain> best;
  for (std::size_t n = 0; n < decision->options.size(); ++n) {
    if (!decision->options[n].starts_with(beginning)) continue;
    Space::Chain chain = best_by_prior(space, {static_cast<std::int64_t>(n)});
    if (!best || chain.draft.estimate.cycles < best->draft.estimate.cycles) best = std::move(chain);
  }
  return best;
}

/// A task, its schedules and something to run it on.
struct Trial {
  Space space;
  std::vector<HostBuffer> operands;

  const Computation& computation() const { return space.task().computation; }
};

Trial make_trial(std::string_view spec, const Target& target) {
  const Computation computation = value_of(parse_task_spec(spec), spec);
  Rng rng(1);
  return {Space({computation, target}), value_of(random_operands(computation, rng), spec)};
}

Instance make_instance(const Trial& trial, const Schedule& schedule, const Backend& backend) {
  const Computation& computation = trial.computation();
  const Program program =
      value_of(tessera::apply(schedule, to_program(computation)), computation.name);
  return value_of(Instance::make(program, trial.space.task().target, backend, trial.operands),
                  computation.name);
}

std::vector<HostBuffer> run(const Instance& instance, ThreadPool& pool) {
  instance.run(pool);
  return instance.outputs();
}

/// The largest difference, which must be small.
double difference(const std::vector<HostBuffer>& got, const std::vector<HostBuffer>& want) {
  const Comparison comparison = compare(got.at(0), want.at(0), tolerance);
  check(comparison.equal, "a right result: " + comparison.message);
  return comparison.max_error;
}

}  // namespace

std::vector<Example> examples() {
  return {{.name = "matmul 128x768x768",
           .spec = "matmul:m=128,n=768,k=768",
           .small_spec = "matmul:m=22,n=56,k=40"},
          {.name = "conv2d 3x3 56x56x64",
           .spec = "conv2d:c=64,h=56,w=56,o=64,k=3,p=1,epilogue=bias+relu",
           .small_spec = "conv2d:c=16,h=10,w=13,o=24,k=3,p=1,epilogue=bias+relu",
           .algorithms = {"direct", "winograd"}}};
}

std::vector<CheckedExample> checked(const Example& example, const Target& target,
                                    const Backend& backend, ThreadPool& pool) {
  const Trial small = make_trial(example.small_spec, target);
  const Trial full = make_trial(example.spec, target);
  const auto interpreted = value_of(evaluate(small.computation(), small.operands), example.name);
  const auto plain = run(make_instance(full, {}, backend), pool);  // no step: plain loops
  const Choices default_choices = best_by_prior(full.space).choices;

  std::vector<CheckedExample> all;
  for (const std::string& algorithm : example.algorithms) {
    const auto small_chain = best_of_algorithm(small.space, algorithm);
    const auto chain = best_of_algorithm(full.space, algorithm);
    if (!small_chain || !chain) continue;
    difference(run(make_instance(small, small_chain->draft.schedule, backend), pool), interpreted);
    Instance instance = make_instance(full, chain->draft.schedule, backend);
    const double max_error = difference(run(instance, pool), plain);
    all.push_back({.name = example.name + (algorithm.empty() ? "" : " " + algorithm),
                   .spec = example.spec,
                   .choices = to_text(chain->names),
                   .is_default = chain->choices == default_choices,
                   .flops = flops(full.computation()),
                   .max_error = max_error,
                   .instance = std::move(instance)});
  }
  return all;
}

}  // namespace tessera
