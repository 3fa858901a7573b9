#include "support/agreement.h"

#include "base/check.h"
#include "ir/interpret.h"
#include "lower/lower.h"
#include "measure/instance.h"
#include "tensor/compare.h"

namespace tessera {
namespace {

/// Winograd trades accuracy for speed; the rest only reorders sums.
Tolerance tolerance_for(const Schedule& schedule) {
  for (const Step& step : schedule)
    if (std::get_if<ChooseAlgorithm>(&step) != nullptr) return {.absolute = 2e-3, .relative = 2e-3};
  return {};
}

std::optional<std::string> difference(const std::vector<HostBuffer>& got,
                                      const std::vector<HostBuffer>& want,
                                      const Tolerance& tolerance) {
  for (std::size_t n = 0; n < want.size(); ++n)
    if (const Comparison result = compare(got[n], want[n], tolerance); !result.equal)
      return "output " + std::to_string(n) + " " + result.message;
  return std::nullopt;
}

std::optional<std::string> run(const Program& program, const Target& target, const Backend& backend,
                               const std::vector<HostBuffer>& operands,
                               const std::vector<HostBuffer>& want, const Tolerance& tolerance) {
  const Result<Instance> instance = Instance::make(program, target, backend, operands);
  if (!instance) return "refused: " + instance.error().message;
  ThreadPool pool(2);
  instance->run(pool);
  return difference(instance->outputs(), want, tolerance);
}

}  // namespace

std::optional<std::string> disagreement(const Task& task, const Schedule& schedule,
                                        const Backend* backend, std::uint64_t seed) {
  Rng rng(seed);
  const Result<std::vector<HostBuffer>> operands = random_operands(task.computation, rng);
  if (!operands) return "refused: " + operands.error().message;
  const Result<std::vector<HostBuffer>> want = evaluate(task.computation, *operands);
  if (!want) return "computation: " + want.error().message;
  const Result<Program> program = tessera::apply(schedule, to_program(task.computation));
  if (!program) return "refused: " + program.error().message;
  const Tolerance tolerance = tolerance_for(schedule);
  if (auto found = run(*program, task.target, *interpret_backend(), *operands, *want, tolerance))
    return "lowered program: " + *found;
  if (backend == nullptr) return std::nullopt;
  if (auto found = run(*program, task.target, *backend, *operands, *want, tolerance))
    return std::string(backend->name()) + ": " + *found;
  return std::nullopt;
}

Schedule minimised(const Task& task, Schedule schedule, const Backend* backend,
                   std::uint64_t seed) {
  for (std::size_t n = schedule.size(); n-- > 0;) {
    Schedule shorter = schedule;
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(n));
    const auto found = disagreement(task, shorter, backend, seed);
    if (found && found->find("refused") == std::string::npos) schedule = std::move(shorter);
  }
  return schedule;
}

}  // namespace tessera
