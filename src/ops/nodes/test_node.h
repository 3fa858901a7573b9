#pragma once

#include "ops/constants.h"
#include "ops/infer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// A node whose inputs are all known, so that inferring its graph computes what it gives.
class TestNode {
 public:
  explicit TestNode(std::string op, std::int64_t version = 23, std::string domain = "")
      : node_{.name = "node",
              .domain = std::move(domain),
              .op = std::move(op),
              .version = version,
              .inputs = {},
              .outputs = {"out0"},
              .attributes = {}} {}

  TestNode& input(Shape shape, const std::vector<double>& values,
                  ElementType element = ElementType::Float) {
    const ValueId name = "in" + std::to_string(node_.inputs.size());
    node_.inputs.push_back(name);
    graph_.constants[name] = ops::constant_of(element, std::move(shape), values);
    return *this;
  }
  /// One that is known only when the network runs: for shapes, and for refusals.
  TestNode& unknown_input(Shape shape, ElementType element = ElementType::Float) {
    node_.inputs.push_back("in" + std::to_string(node_.inputs.size()));
    graph_.inputs.push_back({node_.inputs.back(), {element, std::move(shape)}});
    return *this;
  }
  TestNode& absent_input() {
    node_.inputs.emplace_back();
    return *this;
  }
  TestNode& attribute(const std::string& name, Attribute value) {
    node_.attributes[name] = std::move(value);
    return *this;
  }
  TestNode& outputs(std::size_t count) {
    while (node_.outputs.size() < count)
      node_.outputs.push_back("out" + std::to_string(node_.outputs.size()));
    return *this;
  }

  TestNode& absent_output(std::size_t n) {
    node_.outputs.at(n).clear();
    return *this;
  }

  /// Compares one output, element by element.
  void expect(std::size_t output, const Shape& shape, const std::vector<double>& values,
              ElementType element = ElementType::Float, double tolerance = 1e-5) const {
    const Inferred inferred = run();
    for (const NodeProblem& problem : inferred.problems) FAIL() << to_text(problem);
    const auto found = inferred.graph.constants.find(node_.outputs.at(output));
    ASSERT_NE(found, inferred.graph.constants.end()) << "output " << output << " was not computed";
    const auto& [type, data] = found->second;
    EXPECT_EQ(to_text(type.element), to_text(element));
    ASSERT_EQ(type.shape, shape);
    for (std::size_t n = 0; n < values.size(); ++n) {
      const double got = data->get(static_cast<std::int64_t>(n));
      if (got == values[n] || (std::isnan(got) && std::isnan(values[n]))) continue;
      EXPECT_NEAR(got, values[n], tolerance * (1 + std::abs(values[n]))) << "element " << n;
    }
  }
  void expect(const Shape& shape, const std::vector<double>& values,
              ElementType element = ElementType::Float, double tolerance = 1e-5) const {
    expect(0, shape, values, element, tolerance);
  }

  /// Why the node is refused.
  std::string refusal() const {
    const Inferred inferred = run();
    return inferred.problems.empty() ? "not refused" : inferred.problems.front().reason;
  }

 private:
  Inferred run() const {
    Graph graph = graph_;
    graph.nodes = {node_};
    for (const ValueId& output : node_.outputs)
      if (!output.empty()) graph.outputs.push_back(output);
    return infer(std::move(graph));
  }

  Graph graph_;
  Node node_;
};

}  // namespace tessera
