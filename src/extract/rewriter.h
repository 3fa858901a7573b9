#pragma once

#include "graph/graph.h"

#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace tessera {

/// Whether a node is a Gemm that computes x W + b.
bool is_plain_gemm(const Node& node);

/// Looks at a graph from a value's point of view, for passes that match patterns. The view is of
/// the graph as it was when made.
class Rewriter {
 public:
  explicit Rewriter(Graph& graph);

  Graph& graph() { return graph_; }
  /// The node that makes a value, if it is of one of the given operators; null otherwise.
  const Node* maker(const ValueId& value, std::initializer_list<std::string_view> ops) const;
  /// The nodes that read a value.
  std::vector<const Node*> readers(const ValueId& value) const;
  /// Whether one node reads the value and it does not leave the graph.
  bool has_one_reader(const ValueId& value) const;
  bool is_output(const ValueId& value) const { return outputs_.contains(value); }
  /// The value of a constant with one element.
  std::optional<double> scalar(const ValueId& value) const;
  const Constant* constant(const ValueId& value) const;
  const Shape& shape(const ValueId& value) const { return graph_.types.at(value).shape; }

  /// Adds a constant under a new name made of `hint`.
  ValueId add_constant(const ValueId& hint, ValueType type, HostBuffer data);
  /// A node that takes [begin, end) of `from` along an axis.
  Node slice(const ValueId& from, const ValueId& to, std::int64_t axis, std::int64_t begin,
             std::int64_t end);
  /// A node that gives `from` another shape, and the type of `to`.
  Node reshape(const ValueId& from, const ValueId& to, const Shape& shape);
  /// Puts `node` where the maker of its first output stood.
  void replace(Node node);
  /// Drops nodes that were replaced and what nothing needs any more.
  void finish();
  bool has_changed() const { return has_changed_; }

 private:
  Graph& graph_;
  std::map<ValueId, std::size_t> maker_;
  std::map<ValueId, std::vector<std::size_t>> readers_;
  std::set<ValueId> outputs_;
  bool has_changed_ = false;
};

}  // namespace tessera
