#pragma once

#include "base/result.h"
#include "ir/program.h"
#include "target/target.h"

namespace tessera {

/// Refuses a program that needs more vector registers or more thread scratch than the target has.
Result<void> check_resources(const Program& program, const Target& target);

/// Vector registers that the register tensors live at one point take, at most over the program.
std::int64_t register_demand(const Program& program, const Target& target);
/// Bytes of stack tensors live at one point, at most over the program, each rounded up to 64.
std::int64_t stack_demand(const Program& program);

}  // namespace tessera
