#include "onnx/attribute_message.h"

#include "onnx/tensor_message.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tessera {
namespace {

using onnx::AttributeProto;

/// Which member of a message holds values of a type.
struct Field {
  AttributeProto::AttributeType type;
  std::string_view name;
  bool is_set;
};

std::array<Field, 14> fields_of(const AttributeProto& message) {
  return {{{AttributeProto::INT, "an int", message.has_i()},
           {AttributeProto::FLOAT, "a float", message.has_f()},
           {AttributeProto::STRING, "a string", message.has_s()},
           {AttributeProto::INTS, "ints", message.ints_size() > 0},
           {AttributeProto::FLOATS, "floats", message.floats_size() > 0},
           {AttributeProto::STRINGS, "strings", message.strings_size() > 0},
           {AttributeProto::TENSOR, "a tensor", message.has_t()},
           {AttributeProto::GRAPH, "a graph", message.has_g()},
           {AttributeProto::TENSORS, "tensors", message.tensors_size() > 0},
           {AttributeProto::GRAPHS, "graphs", message.graphs_size() > 0},
           {AttributeProto::SPARSE_TENSOR, "a sparse tensor", message.has_sparse_tensor()},
           {AttributeProto::SPARSE_TENSORS, "sparse tensors", message.sparse_tensors_size() > 0},
           {AttributeProto::TYPE_PROTO, "a type", message.has_tp()},
           {AttributeProto::TYPE_PROTOS, "types", message.type_protos_size() > 0}}};
}

/// The field that the attribute uses. Old files leave the type out, and some writers a zero.
Result<Field> field_of(const AttributeProto& message) {
  const std::array<Field, 14> fields = fields_of(message);
  const auto set = std::ranges::find(fields, true, &Field::is_set);
  if (message.type() == AttributeProto::UNDEFINED) {
    if (set == fields.end()) return Error{"has neither a type nor a value"};
    return *set;
  }
  const auto* const said = std::ranges::find(fields, message.type(), &Field::type);
  if (said == fields.end()) return Error{"has the unknown type " + std::to_string(message.type())};
  for (const Field& field : fields)
    if (field.is_set && field.type != said->type)
      return Error{"holds " + std::string(field.name) + ", but its type says " +
                   std::string(said->name)};
  return *said;
}

Result<Attribute> read_value(const AttributeProto& message, const Field& field,
                             const ReadTensor& read_tensor, const ReadGraph& read_graph) {
  switch (field.type) {
    case AttributeProto::INT:
      return Attribute(std::int64_t{message.i()});
    case AttributeProto::FLOAT:
      return Attribute(double{message.f()});
    case AttributeProto::STRING:
      return Attribute(message.s());
    case AttributeProto::INTS:
      return Attribute(std::vector<std::int64_t>(message.ints().begin(), message.ints().end()));
    case AttributeProto::FLOATS:
      return Attribute(std::vector<double>(message.floats().begin(), message.floats().end()));
    case AttributeProto::STRINGS:
      return Attribute(
          std::vector<std::string>(message.strings().begin(), message.strings().end()));
    case AttributeProto::TENSOR: {
      Result<Constant> tensor = read_tensor(message.t());
      if (!tensor) return tensor.error();
      return Attribute(*std::move(tensor));
    }
    case AttributeProto::GRAPH: {
      Result<Graph> graph = read_graph(message.g());
      if (!graph) return graph.error();
      return Attribute(std::make_shared<const Graph>(*std::move(graph)));
    }
    default:
      return Error{"holds " + std::string(field.name) + ", which is not supported"};
  }
}

/// Attributes whose name tells their kind, in whatever operator and version; `value`, `to`, `p` and
/// `seed` are of several kinds.
struct Kind {
  Attribute example;
  std::string_view text;
  std::vector<std::string_view> names;
};

std::vector<Kind> kinds() {
  return {
      {std::int64_t{},
       "an int",
       {"align_corners",
        "allowzero",
        "antialias",
        "axis",
        "batch_axis",
        "batch_dims",
        "block_size",
        "blocksize",
        "ceil_mode",
        "center_point_box",
        "count_include_pad",
        "detect_negative",
        "detect_positive",
        "do_rotary",
        "dtype",
        "end",
        "exclude_outside",
        "exclusive",
        "fmod",
        "group",
        "hidden_size",
        "ignore_index",
        "input_forget",
        "interleaved",
        "inverse",
        "is_causal",
        "is_test",
        "k",
        "keepdims",
        "kv_num_heads",
        "largest",
        "layout",
        "linear_before_reset",
        "new_axis",
        "noop_with_empty_axes",
        "num_groups",
        "num_heads",
        "num_outputs",
        "num_scan_inputs",
        "onesided",
        "output_datatype",
        "periodic",
        "q_num_heads",
        "reverse",
        "rotary_embedding_dim",
        "sampling_ratio",
        "saturate",
        "select_last_index",
        "size",
        "sorted",
        "spatial",
        "start",
        "stash_type",
        "storage_order",
        "time_axis",
        "training_mode",
        "transA",
        "transB",
        "unidirectional",
        "upper",
        "value_int"}},
      {double{}, "a float", {"alpha",
                             "beta",
                             "bias",
                             "clip",
                             "cubic_coeff_a",
                             "epsilon",
                             "extrapolation_value",
                             "gamma",
                             "high",
                             "lambd",
                             "low",
                             "max",
                             "mean",
                             "min",
                             "momentum",
                             "ratio",
                             "scale",
                             "softcap",
                             "spatial_scale",
                             "value_float"}},
      {std::string(),
       "a string",
       {"approximate", "auto_pad", "coordinate_transformation_mode", "direction", "equation",
        "keep_aspect_ratio_policy", "mode", "nearest_mode", "padding_mode", "reduction",
        "value_string"}},
      {std::vector<std::int64_t>(),
       "ints",
       {"axes", "dilations", "ends", "kernel_shape", "output_padding", "output_shape", "pads",
        "perm", "pooled_shape", "scan_input_axes", "scan_input_directions", "scan_output_axes",
        "scan_output_directions", "shape", "split", "starts", "strides", "value_ints"}},
      {std::vector<double>(),
       "floats",
       {"activation_alpha", "activation_beta", "scales", "value_floats"}},
      {std::vector<std::string>(), "strings", {"activations", "value_strings"}},
      {std::shared_ptr<const Graph>(), "a graph", {"body", "else_branch", "then_branch"}},
  };
}

}  // namespace

Result<Attribute> read_attribute(const AttributeProto& message, const ReadTensor& read_tensor,
                                 const ReadGraph& read_graph) {
  const Result<Field> field = field_of(message);
  if (!field) return field.error();
  return read_value(message, *field, read_tensor, read_graph);
}

Result<void> verify_attributes(const Node& node) {
  static const std::vector<Kind> all = kinds();
  if (!node.domain.empty() && node.domain != "com.microsoft") return {};
  for (const auto& [name, attribute] : node.attributes)
    for (const Kind& kind : all)
      if (std::ranges::find(kind.names, name) != kind.names.end() &&
          attribute.index() != kind.example.index())
        return Error{node.title() + ": attribute \"" + name + "\" is not " +
                     std::string(kind.text)};
  return {};
}

}  // namespace tessera
