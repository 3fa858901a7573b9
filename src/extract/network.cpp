#include "extract/network.h"

#include "base/text.h"

namespace tessera {

const ValueId& Network::root_of(const ValueId& value) const {
  const auto view = views.find(value);
  return view == views.end() ? value : root_of(view->second);
}

std::string to_text(const Network& network) {
  std::string out = "network " + network.name + "\n";
  const auto list = [&](const std::vector<ValueId>& values) {
    std::string text;
    for (const ValueId& value : values) {
      const ValueType& type = network.types.at(value);
      text += (text.empty() ? "" : ", ") + value + " " + std::string(to_text(type.element)) +
              to_text(type.shape);
      if (const auto layout = network.layouts.find(value); layout != network.layouts.end())
        text += " layout " + to_text(layout->second);
    }
    return text;
  };
  for (const Call& call : network.calls)
    out += list(call.outputs) + " = " + call.title + "(" + list(call.inputs) + ")\n";
  for (const auto& [view, value] : network.views) out += view + " is " + value + "\n";
  return out;
}

}  // namespace tessera
