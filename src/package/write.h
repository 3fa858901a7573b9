#pragma once

#include "base/result.h"
#include "runtime/execution_plan.h"
#include "target/target.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tessera {

/// Constants at their place in the weights of a package.
struct WeightsPiece {
  std::int64_t offset = 0;
  std::span<const std::byte> bytes;
};

/// Writes a package that `Package::open` reads on a machine like `target`: `code` is what
/// `link_objects` gives, `weights` are pieces in rising order of offset, with zeros between and
/// after them up to `plan.weights_bytes`. The file appears whole or not at all. Refuses what
/// `verify` refuses, pieces that overlap, and with `PATH: reason` what the system refuses.
Result<void> write_package(const std::string& path, const ExecutionPlan& plan, const Target& target,
                           std::string_view code, std::span<const WeightsPiece> weights);

}  // namespace tessera
