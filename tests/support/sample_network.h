#pragma once

#include "package/write.h"
#include "runtime/execution_plan.h"
#include "target/target.h"
#include "tensor/host_buffer.h"

#include <string>
#include <vector>

namespace tessera {

/// A small network compiled for a target, with all that `write_package` takes: layers
/// T = max(X * W, 0) in a chain, from an input `x` to an output `y`.
struct SampleNetwork {
  struct Sizes {
    std::int64_t rows = 5;
    std::vector<std::int64_t> widths = {24, 40, 13};  // of `x`, then of each layer's output
    ElementType element = ElementType::Float;         // of `x` and `y`
  };

  SampleNetwork(const Target& made_for, const Sizes& sizes);
  explicit SampleNetwork(const Target& made_for = detect_host())
      : SampleNetwork(made_for, Sizes()) {}

  std::vector<WeightsPiece> pieces() const;
  Result<void> write(const std::string& path) const;
  /// `y` of `x`, both row-major f32, by the interpreter.
  HostBuffer interpreted(const HostBuffer& x) const;

  Target target;
  ExecutionPlan plan;
  std::vector<std::string> objects;
  std::string code;
  std::vector<HostBuffer> weights;  // row-major
  std::vector<HostBuffer> packed;   // as kernels take them
  std::vector<std::int64_t> weight_offsets;
};

}  // namespace tessera
