#pragma once

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
  std::span<const void* const> inputs() const { return inputs_; }
  std::span<void* const> outputs() const { return outputs_; }
  const std::vector<Port>& ports() const { return ports_; }
  /// Elements of a port in row-major order.
  std::span<std::byte> bytes(std::size_t port);
  std::span<const std::byte> bytes(std::size_t port) const;

 private:
  std::vector<Port> ports_;
  std::vector<HostBuffer> buffers_;
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
};

}  // namespace tessera
