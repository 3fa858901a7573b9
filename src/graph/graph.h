#pragma once

#include "tensor/element_type.h"
#include "tensor/host_buffer.h"
#include "tensor/tensor.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tessera {

struct Graph;

/// Names a value: a graph input, a constant or an output of a node. Each is defined once.
using ValueId = std::string;

struct ValueType {
  ElementType element = ElementType::Float;
  Shape shape;
  friend bool operator==(const ValueType&, const ValueType&) = default;
};

/// `float[1, 3]`.
std::string to_text(const ValueType& type);

/// A value known before the network runs. Contents are shared, row-major, in `dtype_of(element)`.
struct Constant {
  ValueType type;
  std::shared_ptr<const HostBuffer> data;
};

using Attribute =
    std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                 std::vector<std::string>, Constant, std::shared_ptr<const Graph>>;

/// The domain of operators that only nodes made here have.
inline constexpr std::string_view own_domain = "tessera";

/// One operator applied, with the meaning that ONNX gives it.
struct Node {
  std::string name;
  std::string domain;           // empty for ONNX itself
  std::string op;               // as "Conv"
  std::int64_t version = 0;     // of the operator set that the node was written for
  std::vector<ValueId> inputs;  // empty where an optional one is absent
  std::vector<ValueId> outputs;
  std::map<std::string, Attribute> attributes;

  /// `Conv "layer1"`, for messages.
  std::string title() const;
  /// `group=1 pads=[1, 1, 1, 1]`.
  std::string attributes_text() const;
};

struct GraphInput {
  ValueId name;
  ValueType type;
  friend bool operator==(const GraphInput&, const GraphInput&) = default;
};

/// A network: nodes in an order in which each reads what stands before it. All shapes are fixed.
struct Graph {
  std::string name;
  std::vector<GraphInput> inputs;
  std::vector<ValueId> outputs;
  std::map<ValueId, Constant> constants;
  std::vector<Node> nodes;
  /// Of inputs, constants and, once inferred (ops/infer.h), of what nodes give.
  std::map<ValueId, ValueType> types;
};

/// The values that a node reads, those that graphs in its attributes take from around it included.
std::set<ValueId> reads_of(const Node& node);

/// Refuses a value defined twice or read before it is defined, and an output that nothing defines.
Result<void> verify(const Graph& graph);

/// Nodes in an order in which each reads what stands before it; refuses cycles and undefined
/// values. Keeps the given order where it can.
Result<void> sort_nodes(Graph& graph);

/// Drops nodes and constants that no output needs.
void drop_dead(Graph& graph);

/// One line per value and node; large constants are shown by shape only.
std::string to_text(const Graph& graph);

}  // namespace tessera
