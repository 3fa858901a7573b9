#pragma once

#include "graph/graph.h"

#include <cstdint>
#include <map>
#include <numbers>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::networks {

/// How a convolution or a pooling looks at its image.
struct Window {
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t pad = 0;
};

/// How the elements of a weight are drawn: uniformly, within sqrt(3) deviations of the mean.
struct Spread {
  double mean = 0;
  double deviation = 0;
};

/// The gain that keeps the second moment of signals: a ReLU before the layer has zeroed half of
/// them (He et al. 2015), or nothing has.
inline constexpr double after_relu = std::numbers::sqrt2;
inline constexpr double after_nothing = 1;

struct ConvOptions {
  std::int64_t groups = 1;
  bool has_bias = false;
  double gain = after_relu;  // deviation of the weights times sqrt(fan in)
};

/// Writes a network node by node, with the operators that PyTorch's exporters choose. Contents of
/// weights depend on the names of network and weight alone.
class Network {
 public:
  using Attributes = std::map<std::string, Attribute>;

  explicit Network(std::string name) { graph_.name = std::move(name); }

  /// The operator set of nodes that follow; 17 unless chosen.
  void use_opset(std::int64_t version) { opset_ = version; }
  /// Names of what follows begin with `stage/`.
  void begin(std::string stage) { stage_ = std::move(stage) + "/"; }

  ValueId input(std::string name, Shape shape, ElementType element = ElementType::Float);
  /// Makes a value an output of the network, of the given name. Floats.
  void output(const ValueId& value, const std::string& name, Shape shape);

  ValueId op(std::string_view op, std::vector<ValueId> inputs, Attributes attributes = {});
  std::vector<ValueId> split(const ValueId& x, std::int64_t axis, std::vector<std::int64_t> parts);

  ValueId constant(ElementType element, Shape shape, std::span<const double> values);
  ValueId real(double value);
  ValueId integer(std::int64_t value);
  ValueId integers(const std::vector<std::int64_t>& values);
  /// A learned weight.
  ValueId weight(std::string_view name, Shape shape, Spread spread);
  /// The weight of a layer that sums `fan_in` products.
  ValueId weight(std::string_view name, Shape shape, double gain, std::int64_t fan_in);
  ValueId bias(std::int64_t count) { return weight("bias", {count}, {.deviation = 0.05}); }

  ValueId conv(const ValueId& x, std::int64_t in, std::int64_t out, Window window,
               ConvOptions options = {});
  ValueId batch_norm(const ValueId& x, std::int64_t channels, double scale = 1);
  ValueId relu(const ValueId& x) { return op("Relu", {x}); }
  ValueId add(const ValueId& a, const ValueId& b) { return op("Add", {a, b}); }
  ValueId concat(std::vector<ValueId> parts, std::int64_t axis);
  ValueId max_pool(const ValueId& x, Window window, std::int64_t ceil_mode = 0);
  ValueId average_pool(const ValueId& x, Window window);
  /// A layer on rows: x W^T + b.
  ValueId gemm(const ValueId& x, std::int64_t in, std::int64_t out, double gain = after_nothing);
  /// Global average pooling, then classes.
  ValueId classifier(const ValueId& x, std::int64_t channels, std::int64_t classes = 1000);
  ValueId flatten(const ValueId& x) { return op("Flatten", {x}, {{"axis", std::int64_t{1}}}); }
  ValueId reshape(const ValueId& x, const Shape& shape);
  ValueId transpose(const ValueId& x, std::vector<std::int64_t> order);

  /// The network without contents of weights.
  const Graph& outline() const { return graph_; }
  /// Elements of all learned weights.
  std::int64_t parameter_count() const;
  /// The network, weights filled.
  Graph graph() const;

 private:
  struct Filling {
    ValueId id;
    Spread spread;
    bool is_learned = true;
  };

  std::string fresh_name(std::string_view hint);
  ValueId fill_later(std::string_view name, Shape shape, Filling filling);

  Graph graph_;
  std::int64_t opset_ = 17;
  std::string stage_;
  std::map<std::string, int> name_counts_;
  std::vector<Filling> fillings_;
};

}  // namespace tessera::networks
