#pragma once

#include "base/result.h"
#include "npz/npz.h"
#include "runtime/execution_plan.h"
#include "tensor/host_buffer.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera {

/// Memory for the ports of a package, aligned as sessions like it.
class PortBuffers {
 public:
  explicit PortBuffers(const std::vector<Port>& ports);

  /// Reproducible contents: floats in [-1, 1), integers in [0, 8).
  void fill_random(std::uint64_t seed);
  /// Contents by name. Refuses an array that no port is called like, one of another type or shape
  /// than its port, and a port without one, as inputs.
  Result<void> fill(std::span<const NamedArray> arrays);
  std::span<const void* const> inputs() const { return inputs_; }
  std::span<void* const> outputs() const { return outputs_; }
  NamedArray array(std::size_t port) const;

 private:
  std::span<std::byte> bytes(std::size_t port);

  std::vector<Port> ports_;
  std::vector<HostBuffer> buffers_;
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
};

}  // namespace tessera
