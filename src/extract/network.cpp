#include "extract/network.h"

#include "base/text.h"

namespace tessera {

const ValueId& Network::root_of(const ValueId& value) const {
  const auto view = views.find(value);
  return view == views.end() ? value : root_of(view->second);
}

const ValueId& Network::whole_of(const ValueId& value) const {
  const auto part = parts.find(value);
  return part == parts.end() ? value : whole_of(part->second.whole);
}

std::pair<ValueId, std::int64_t> Network::holder_of(const ValueId& value) const {
  ValueId holder = root_of(value);
  std::int64_t bytes = 0;
  for (auto part = parts.find(holder); part != parts.end(); part = parts.find(holder)) {
    bytes += offset_of(part->second) * size_bytes(dtype_of(types.at(holder).element));
    holder = root_of(part->second.whole);
  }
  return {holder, bytes};
}

Layout Network::layout_of(const ValueId& value) const {
  const ValueId& root = whole_of(root_of(value));
  const auto layout = layouts.find(root);
  return layout == layouts.end() ? row_major(types.at(value).shape.size()) : layout->second;
}

std::int64_t Network::offset_of(const Part& part) const {
  const Shape& shape = types.at(part.whole).shape;
  const Layout layout = layout_of(part.whole);
  Shape first(shape.size(), 0);
  for (std::size_t d = 0; d < layout.halo.size(); ++d) first[d] = -layout.halo[d].before;
  first[part.axis] += part.begin;
  return offset(layout, shape, first);
}

std::string to_text(const Network& network) {
  std::string out = "network " + network.name + "\n";
  const auto list = [&](const std::vector<ValueId>& values) {
    std::string text;
    for (const ValueId& value : values) {
      const ValueType& type = network.types.at(value);
      text += (text.empty() ? "" : ", ") + value + " " + std::string(to_text(type.element)) +
              to_text(type.shape);
      const Layout layout = network.layout_of(value);
      if (layout != row_major(type.shape.size())) text += " layout " + to_text(layout);
    }
    return text;
  };
  for (const Call& call : network.calls)
    out += list(call.outputs) + " = " + call.title + "(" + list(call.inputs) + ")\n";
  for (const auto& [view, value] : network.views) out += view + " is " + value + "\n";
  for (const auto& [value, part] : network.parts)
    out += value + " is " + part.whole + " from " + std::to_string(part.begin) + " along " +
           std::to_string(part.axis) + "\n";
  return out;
}

}  // namespace tessera
