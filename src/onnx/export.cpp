#include "onnx/export.h"

#include "base/check.h"
#include "base/file.h"
#include "onnx/tensor_message.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <system_error>

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// The version of the file format: the newest that has all that is written here.
constexpr std::int64_t format_version = 8;

using WriteConstant = std::function<onnx::TensorProto(const ValueId&, const Constant&)>;

onnx::ValueInfoProto value_message(const ValueId& name, const ValueType* type) {
  onnx::ValueInfoProto message;
  message.set_name(name);
  if (type == nullptr) return message;
  onnx::TypeProto::Tensor& tensor = *message.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(static_cast<int>(type->element));
  tensor.mutable_shape();  // a scalar has a shape too
  for (const std::int64_t extent : type->shape)
    tensor.mutable_shape()->add_dim()->set_dim_value(extent);
  return message;
}

onnx::GraphProto graph_message(const Graph& graph, const WriteConstant& write_constant);

onnx::AttributeProto attribute_message(const std::string& name, const Attribute& attribute,
                                       const WriteConstant& write_constant) {
  onnx::AttributeProto message;
  message.set_name(name);
  std::visit(
      [&]<typename T>(const T& value) {
        if constexpr (std::is_same_v<T, std::int64_t>) {
          message.set_type(onnx::AttributeProto::INT);
          message.set_i(value);
        } else if constexpr (std::is_same_v<T, double>) {
          message.set_type(onnx::AttributeProto::FLOAT);
          message.set_f(static_cast<float>(value));
        } else if constexpr (std::is_same_v<T, std::string>) {
          message.set_type(onnx::AttributeProto::STRING);
          message.set_s(value);
        } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
          message.set_type(onnx::AttributeProto::INTS);
          for (const std::int64_t element : value) message.add_ints(element);
        } else if constexpr (std::is_same_v<T, std::vector<double>>) {
          message.set_type(onnx::AttributeProto::FLOATS);
          for (const double element : value) message.add_floats(static_cast<float>(element));
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          message.set_type(onnx::AttributeProto::STRINGS);
          for (const std::string& element : value) message.add_strings(element);
        } else if constexpr (std::is_same_v<T, Constant>) {
          message.set_type(onnx::AttributeProto::TENSOR);
          *message.mutable_t() = tensor_message("", value);
        } else {
          message.set_type(onnx::AttributeProto::GRAPH);
          *message.mutable_g() = graph_message(*value, write_constant);
        }
      },
      attribute);
  return message;
}

onnx::GraphProto graph_message(const Graph& graph, const WriteConstant& write_constant) {
  onnx::GraphProto message;
  message.set_name(graph.name.empty() ? "network" : graph.name);  // readers refuse an empty one
  for (const GraphInput& input : graph.inputs)
    *message.add_input() = value_message(input.name, &input.type);
  for (const auto& [name, constant] : graph.constants)
    *message.add_initializer() = write_constant(name, constant);
  for (const Node& node : graph.nodes) {
    onnx::NodeProto& out = *message.add_node();
    out.set_name(node.name);
    out.set_domain(node.domain);
    out.set_op_type(node.op);
    for (const ValueId& value : node.inputs) out.add_input(value);
    for (const ValueId& value : node.outputs) out.add_output(value);
    for (const auto& [name, attribute] : node.attributes)
      *out.add_attribute() = attribute_message(name, attribute, write_constant);
  }
  for (const ValueId& output : graph.outputs) {
    const auto type = graph.types.find(output);
    *message.add_output() =
        value_message(output, type == graph.types.end() ? nullptr : &type->second);
  }
  return message;
}

/// The newest version of each domain that the graph's nodes, inner ones included, are written for.
void collect_versions(const Graph& graph, std::map<std::string, std::int64_t>& versions) {
  for (const Node& node : graph.nodes) {
    std::int64_t& version = versions[node.domain];
    version = std::max({version, node.version, std::int64_t{1}});
    for (const auto& [name, attribute] : node.attributes)
      if (const auto* inner = std::get_if<std::shared_ptr<const Graph>>(&attribute))
        collect_versions(**inner, versions);
  }
}

onnx::ModelProto model_message(const Graph& graph, const WriteConstant& write_constant) {
  onnx::ModelProto model;
  model.set_ir_version(format_version);
  model.set_producer_name("tessera");
  std::map<std::string, std::int64_t> versions = {{"", 1}};
  collect_versions(graph, versions);
  for (const auto& [domain, version] : versions) {
    onnx::OperatorSetIdProto& import = *model.add_opset_import();
    import.set_domain(domain);
    import.set_version(version);
  }
  *model.mutable_graph() = graph_message(graph, write_constant);
  return model;
}

std::string bytes_of(const onnx::ModelProto& model) {
  std::string bytes;
  check(model.SerializeToString(&bytes), "a model of less than 2 GB");
  return bytes;
}

std::int64_t size_of_constants(const Graph& graph) {
  std::int64_t size = 0;
  for (const auto& [name, constant] : graph.constants)
    size += constant.data->element_count() * size_bytes(constant.type.element);
  return size;
}

void add_entry(onnx::TensorProto& message, const std::string& key, const std::string& value) {
  onnx::StringStringEntryProto& entry = *message.add_external_data();
  entry.set_key(key);
  entry.set_value(value);
}

}  // namespace

std::string export_onnx(const Graph& graph) {
  return bytes_of(model_message(graph, [](const ValueId& name, const Constant& constant) {
    return tensor_message(name, constant);
  }));
}

Result<void> export_onnx_file(const Graph& graph, const fs::path& path,
                              const ExportOptions& options) {
  if (size_of_constants(graph) <= options.most_bytes_inside)
    return write_file(path.string(), export_onnx(graph));
  fs::path data_path = path;
  data_path += ".data";
  std::ofstream data(data_path, std::ios::binary);
  const auto write_outside = [&](const ValueId& name, const Constant& constant) {
    onnx::TensorProto message = tensor_message(name, constant.type);
    const std::string bytes = raw_bytes(constant);
    message.set_data_location(onnx::TensorProto::EXTERNAL);
    add_entry(message, "location", data_path.filename().string());
    add_entry(message, "offset", std::to_string(data.tellp()));
    add_entry(message, "length", std::to_string(bytes.size()));
    data.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return message;
  };
  const onnx::ModelProto model = model_message(graph, write_outside);
  data.close();
  const Result<void> written = data ? write_file(path.string(), bytes_of(model))
                                    : Error{data_path.string() + ": " + std::strerror(errno)};
  std::error_code ignored;
  if (!written) fs::remove(data_path, ignored);
  return written;
}

}  // namespace tessera
