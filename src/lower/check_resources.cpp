#include "lower/check_resources.h"

#include "ir/rewrite.h"

#include <algorithm>
#include <functional>

namespace tessera {
namespace {

/// The largest sum of `cost` over allocations nested in one another.
std::int64_t peak(const Stmt& s, const std::function<std::int64_t(const Placed&)>& cost) {
  std::int64_t inside = 0;
  map_children(
      s,
      [&](const Stmt& child) {
        inside = std::max(inside, peak(child, cost));
        return child;
      },
      [](const Expr& e) { return e; });
  const Allocate* n = as<Allocate>(s);
  return inside + (n == nullptr ? 0 : cost(n->placed));
}

std::int64_t bytes_of(const Placed& placed) {
  return physical_size(placed.layout, placed.tensor.shape) * size_bytes(placed.tensor.dtype);
}

}  // namespace

std::int64_t register_demand(const Program& program, const Target& target) {
  return peak(program.body, [&](const Placed& placed) {
    if (placed.memory != Memory::Register) return std::int64_t{0};
    return (bytes_of(placed) + target.vector_bytes - 1) / target.vector_bytes;
  });
}

std::int64_t stack_demand(const Program& program) {
  return peak(program.body, [](const Placed& placed) {
    return placed.memory == Memory::Stack ? (bytes_of(placed) + 63) / 64 * 64 : std::int64_t{0};
  });
}

Result<void> check_resources(const Program& program, const Target& target) {
  const std::int64_t registers = register_demand(program, target);
  if (registers > target.vector_registers)
    return Error{"program " + program.name + ": register tensors need " +
                 std::to_string(registers) + " vector registers, " + target.name + " has " +
                 std::to_string(target.vector_registers)};
  const std::int64_t stack = stack_demand(program);
  if (stack > target.stack_bytes)
    return Error{"program " + program.name + ": stack tensors need " + std::to_string(stack) +
                 " bytes, " + target.name + " allows " + std::to_string(target.stack_bytes)};
  return {};
}

}  // namespace tessera
