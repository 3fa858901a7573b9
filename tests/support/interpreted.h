#pragma once

#include "ir/program.h"
#include "lower/lower.h"
#include "tensor/compare.h"
#include "tensor/host_buffer.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace tessera {

/// Row-major contents of tensors.
using Contents = std::map<TensorId, HostBuffer>;

/// Reproducible contents of the operands.
Contents random_contents(const Program& program, std::uint64_t seed);

/// Interprets a program on its operands among `contents`, packed as it wants them, and gives its
/// outputs.
Result<Contents> interpreted(const Program& program, const Contents& contents);
/// First what prepares constants, if there is any, then the rest.
Result<Contents> interpreted(const Lowered& lowered, const Contents& contents);

/// How two programs with the same operands and outputs, layouts aside, differ under the
/// interpreter; nothing when they agree.
std::optional<std::string> difference(const Program& got, const Program& want, std::uint64_t seed,
                                      const Tolerance& tolerance = {});
std::optional<std::string> difference(const Lowered& got, const Program& want, std::uint64_t seed,
                                      const Tolerance& tolerance = {});

}  // namespace tessera
