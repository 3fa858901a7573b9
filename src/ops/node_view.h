#pragma once

#include "base/result.h"
#include "graph/graph.h"

#include <optional>
#include <string_view>
#include <vector>

namespace tessera::ops {

/// A node with what is known of its inputs.
class NodeView {
 public:
  /// What a graph knows of the node's inputs; the graph must outlive the view.
  NodeView(const Graph& graph, const Node& node);

  const Node& node() const { return *node_; }
  std::int64_t version() const { return node_->version; }

  std::size_t input_count() const { return types_.size(); }
  bool has_input(std::size_t n) const { return n < types_.size() && types_[n] != nullptr; }
  /// Whether the input is present and not, as a list of axes may be, empty.
  bool has_elements(std::size_t n) const;
  /// Of an input that is present.
  const ValueType& type(std::size_t n) const;
  const Shape& shape(std::size_t n) const { return type(n).shape; }
  /// The value of an input, when it is known; null otherwise.
  const Constant* constant(std::size_t n) const;

  /// The elements of an input that must be known, as an axis or a shape; refuses otherwise.
  Result<std::vector<std::int64_t>> integers(std::size_t n, std::string_view what) const;
  /// What older operator sets keep in an attribute and newer ones in input `n`; none when both are
  /// absent. An input must be known.
  Result<std::vector<std::int64_t>> attribute_or_input(std::string_view name, std::size_t n) const;
  Result<std::vector<double>> reals(std::size_t n, std::string_view what) const;

  bool has_attribute(std::string_view name) const;
  /// The attribute, or the default when it is absent. One of another kind is an absent one:
  /// `verify_attributes` of the import has refused those.
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  double real(std::string_view name, double otherwise) const;
  std::string text(std::string_view name, std::string_view otherwise) const;
  std::vector<std::int64_t> integers(std::string_view name,
                                     std::vector<std::int64_t> otherwise = {}) const;
  std::vector<double> reals(std::string_view name, std::vector<double> otherwise = {}) const;
  std::vector<std::string> texts(std::string_view name) const;
  const Constant* tensor(std::string_view name) const;
  const Graph* graph(std::string_view name) const;

 private:
  const Attribute* find(std::string_view name) const;

  const Node* node_;
  std::vector<const ValueType*> types_;     // null where absent
  std::vector<const Constant*> constants_;  // null where not known
};

/// The dimension that a Concat joins along, from the end when negative.
std::int64_t concat_axis(const NodeView& view);

}  // namespace tessera::ops
