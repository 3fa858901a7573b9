#include "base/text.h"

#include "graph/graph.h"

namespace tessera {

std::string to_text(const ValueType& type) {
  return std::string(to_text(type.element)) + to_text(type.shape);
}

namespace {

constexpr std::int64_t most_elements_shown = 8;

std::string to_text(const Constant& constant) {
  std::string out = to_text(constant.type);
  if (constant.data->element_count() > most_elements_shown) return out;
  out += " =";
  for (std::int64_t n = 0; n < constant.data->element_count(); ++n)
    out += " " + (is_float(constant.data->dtype()) ? number_text(constant.data->get(n))
                                                   : std::to_string(constant.data->get_integer(n)));
  return out;
}

std::string to_text(const Attribute& attribute) {
  return std::visit(
      []<typename T>(const T& value) -> std::string {
        if constexpr (std::is_same_v<T, std::int64_t>) {
          return std::to_string(value);
        } else if constexpr (std::is_same_v<T, double>) {
          return number_text(value);
        } else if constexpr (std::is_same_v<T, std::string>) {
          return "\"" + value + "\"";
        } else if constexpr (std::is_same_v<T, Constant>) {
          return to_text(value);
        } else if constexpr (std::is_same_v<T, std::shared_ptr<const Graph>>) {
          return "graph " + value->name;
        } else {
          std::string out = "[";
          for (const auto& element : value)
            out += (out.size() > 1 ? ", " : "") + to_text(Attribute(element));
          return out + "]";
        }
      },
      attribute);
}

}  // namespace

std::string Node::attributes_text() const {
  std::string out;
  for (const auto& [key, attribute] : attributes)
    out += (out.empty() ? "" : " ") + key + "=" + to_text(attribute);
  return out;
}

std::string to_text(const Graph& graph) {
  std::string out = "graph " + graph.name + "\n";
  for (const GraphInput& input : graph.inputs)
    out += "input " + input.name + " " + to_text(input.type) + "\n";
  for (const auto& [name, constant] : graph.constants)
    out += "constant " + name + " " + to_text(constant) + "\n";
  for (const Node& node : graph.nodes) {
    std::string results;
    for (const ValueId& value : node.outputs) {
      const auto type = graph.types.find(value);
      results += (results.empty() ? "" : ", ") + (value.empty() ? "_" : value);
      if (type != graph.types.end()) results += " " + to_text(type->second);
    }
    out += results + " = " + (node.domain.empty() ? node.op : node.domain + "." + node.op) + "(";
    for (std::size_t n = 0; n < node.inputs.size(); ++n)
      out += (n == 0 ? "" : ", ") + (node.inputs[n].empty() ? "_" : node.inputs[n]);
    out += ")" + (node.attributes.empty() ? "" : " " + node.attributes_text()) + "\n";
  }
  for (const ValueId& value : graph.outputs) out += "output " + value + "\n";
  return out;
}

}  // namespace tessera
