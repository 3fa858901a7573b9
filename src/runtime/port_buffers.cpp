#include "runtime/port_buffers.h"

#include "base/rng.h"

namespace tessera {
PortBuffers::PortBuffers(const std::vector<Port>& ports) : ports_(ports) {
  for (const Port& port : ports) {
    const std::int64_t size = element_count(port.shape) * size_bytes(port.element);
    buffers_.emplace_back(DType::Bool, size);
    inputs_.push_back(buffers_.back().data());
    outputs_.push_back(buffers_.back().data());
  }
}

std::span<std::byte> PortBuffers::bytes(std::size_t port) {
  return {static_cast<std::byte*>(buffers_[port].data()),
          static_cast<std::size_t>(buffers_[port].size_bytes())};
}

std::span<const std::byte> PortBuffers::bytes(std::size_t port) const {
  return {static_cast<const std::byte*>(buffers_[port].data()),
          static_cast<std::size_t>(buffers_[port].size_bytes())};
}

void PortBuffers::fill_random(std::uint64_t seed) {
  Rng rng(seed);
  for (std::size_t n = 0; n < ports_.size(); ++n) {
    HostBuffer values(dtype_of(ports_[n].element), element_count(ports_[n].shape));
    tessera::fill_random(values, rng);
    encode(values, ports_[n].element, bytes(n));
  }
}

}  // namespace tessera
