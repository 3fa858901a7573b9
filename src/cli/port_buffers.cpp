#include "cli/port_buffers.h"

#include "base/text.h"

#include <algorithm>
#include <set>

namespace tessera {
namespace {

std::string type_text(ElementType element, const Shape& shape) {
  return std::string(to_text(element)) + to_text(shape);
}

std::string title_of(const Port& port) {
  return "input \"" + port.name + "\": expected " + type_text(port.element, port.shape);
}

std::string names_of(const std::vector<Port>& ports) {
  std::vector<std::string> names;
  for (const Port& port : ports) names.push_back(port.name);
  return join(names, ", ");
}

}  // namespace

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

Result<void> PortBuffers::fill(std::span<const NamedArray> arrays) {
  std::set<std::string> filled;
  for (const NamedArray& array : arrays) {
    const auto port = std::ranges::find(ports_, array.name, &Port::name);
    if (port == ports_.end())
      return Error{"array \"" + array.name + "\": no such input, expected one of " +
                   names_of(ports_)};
    if (array.element != port->element || array.shape != port->shape)
      return Error{title_of(*port) + ", given " + type_text(array.element, array.shape)};
    if (!filled.insert(array.name).second)
      return Error{"input \"" + array.name + "\": given twice"};
    std::ranges::copy(array.bytes, bytes(static_cast<std::size_t>(port - ports_.begin())).begin());
  }
  for (const Port& port : ports_)
    if (!filled.contains(port.name)) return Error{title_of(port) + ", given nothing"};
  return {};
}

NamedArray PortBuffers::array(std::size_t port) const {
  const auto* const begin = static_cast<const std::byte*>(buffers_[port].data());
  return {ports_[port].name,
          ports_[port].element,
          ports_[port].shape,
          {begin, begin + buffers_[port].size_bytes()}};
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
