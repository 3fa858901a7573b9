#pragma once

#include "graph/graph.h"

#include <initializer_list>
#include <string>
#include <vector>

namespace tessera {

/// Builds graphs for tests: values are called as they are given, nodes as what they make.
class SmallGraph {
 public:
  SmallGraph& input(const ValueId& name, Shape shape);
  /// Reproducible contents in [0.5, 1.5).
  SmallGraph& weights(const ValueId& name, Shape shape);
  SmallGraph& scalar(const ValueId& name, double value);
  /// An integer without dimensions.
  SmallGraph& index(const ValueId& name, std::int64_t value);
  SmallGraph& integers(const ValueId& name, const std::vector<std::int64_t>& values);
  SmallGraph& node(const std::string& op, std::vector<ValueId> inputs, const ValueId& output,
                   std::map<std::string, Attribute> attributes = {});
  SmallGraph& nodes(const std::string& op, std::vector<ValueId> inputs,
                    std::vector<ValueId> outputs, std::map<std::string, Attribute> attributes = {});
  SmallGraph& output(const ValueId& name);

  /// With all types known; every node must be.
  Graph inferred() const;

 private:
  Graph graph_{
      .name = "small", .inputs = {}, .outputs = {}, .constants = {}, .nodes = {}, .types = {}};
};

/// The outputs of an inferred graph for reproducible inputs, by the interpreter.
std::vector<HostBuffer> evaluated(const Graph& graph);

/// How the outputs of two graphs differ; empty when they agree.
std::string difference(const Graph& a, const Graph& b);

}  // namespace tessera
