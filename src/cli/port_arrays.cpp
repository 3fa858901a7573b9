#include "cli/port_arrays.h"

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

Result<void> fill(PortBuffers& inputs, std::span<const NamedArray> arrays) {
  const std::vector<Port>& ports = inputs.ports();
  std::set<std::string> filled;
  for (const NamedArray& array : arrays) {
    const auto port = std::ranges::find(ports, array.name, &Port::name);
    if (port == ports.end())
      return Error{"array \"" + array.name + "\": no such input, expected one of " +
                   names_of(ports)};
    if (array.element != port->element || array.shape != port->shape)
      return Error{title_of(*port) + ", given " + type_text(array.element, array.shape)};
    if (!filled.insert(array.name).second)
      return Error{"input \"" + array.name + "\": given twice"};
    std::ranges::copy(array.bytes,
                      inputs.bytes(static_cast<std::size_t>(port - ports.begin())).begin());
  }
  for (const Port& port : ports)
    if (!filled.contains(port.name)) return Error{title_of(port) + ", given nothing"};
  return {};
}

NamedArray array_of(const PortBuffers& buffers, std::size_t port) {
  const Port& type = buffers.ports()[port];
  const std::span<const std::byte> bytes = buffers.bytes(port);
  return {type.name, type.element, type.shape, {bytes.begin(), bytes.end()}};
}

}  // namespace tessera
