#include "base/check.h"
#include "ir/rewrite.h"
#include "lower/lower.h"
#include "schedule/schedule.h"
#include "support/interpreted.h"
#include "support/small_tasks.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tessera {
namespace {

constexpr std::size_t max_text = 2000;
constexpr std::int64_t max_buffer = 1 << 14;

/// Whether the interpreter can hold the tensors of a program in little memory.
bool is_small(const Program& program) {
  bool fits = true;
  const auto add = [&](const Placed& placed) {
    fits = fits && physical_size(placed.layout, placed.tensor.shape) <= max_buffer;
  };
  for (const Param& param : program.params) add(param.placed);
  visit(program.body, [&](const Stmt& s) {
    if (const Allocate* n = as<Allocate>(s)) add(n->placed);
  });
  return fits;
}

/// Winograd trades accuracy for speed.
constexpr Tolerance loose{.absolute = 1e-3, .relative = 1e-3};

/// Steps are refused or give a program that computes the same, as it is and lowered.
void try_schedule(const Schedule& schedule, const Computation& computation) {
  static const Target target = *parse_target("x86-avx2");
  const Program plain = to_program(computation);
  const Result<Program> program = tessera::apply(schedule, plain);
  if (!program) return;
  const Result<Lowered> lowered = lower(*program, target);
  if (!is_small(*program)) return;
  const auto found = difference(*program, plain, 1, loose);
  check(!found, "the same results: " + found.value_or(""));
  const auto wrong = lowered ? difference(*lowered, plain, 1, loose) : std::nullopt;
  check(!wrong, "the same results lowered: " + wrong.value_or(""));
}

}  // namespace
}  // namespace tessera

/// Whatever parses prints as text that parses to the same schedule, and is safe to apply.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > tessera::max_text) return 0;
  const tessera::Result<tessera::Schedule> parsed =
      tessera::parse_schedule(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!parsed) return 0;
  const tessera::Result<tessera::Schedule> again =
      tessera::parse_schedule(tessera::to_text(*parsed));
  tessera::check(again.has_value(), "the text of a schedule parses");
  tessera::check(*again == *parsed, "the text of a schedule keeps all of it");
  static const tessera::Computation tasks[] = {
      tessera::matmul_relu(5, 9, 6), tessera::softmax(3, 10),
      tessera::conv({.inputs = 2, .outputs = 3, .size = 4})};
  for (const tessera::Computation& task : tasks) tessera::try_schedule(*parsed, task);
  return 0;
}
