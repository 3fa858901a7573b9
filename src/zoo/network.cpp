#include "zoo/network.h"

#include "base/hash.h"
#include "base/rng.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::networks {
namespace {

using Integers = std::vector<std::int64_t>;

/// Two elements from each draw: large networks have hundreds of millions.
void fill(std::span<float> values, Spread spread, Rng rng) {
  const auto mean = static_cast<float>(spread.mean);
  const auto step = static_cast<float>(spread.deviation * std::numbers::sqrt3 * 0x1p-31);
  const auto element = [=](std::uint64_t bits) {
    return mean + step * static_cast<float>(static_cast<std::int32_t>(bits));
  };
  for (std::size_t n = 0; n < values.size(); n += 2) {
    const std::uint64_t bits = rng.next();
    values[n] = element(bits);
    if (n + 1 < values.size()) values[n + 1] = element(bits >> 32);
  }
}

Network::Attributes window_attributes(Window window) {
  return {{"kernel_shape", Integers(2, window.kernel)},
          {"strides", Integers(2, window.stride)},
          {"pads", Integers(4, window.pad)}};
}

}  // namespace

std::string Network::fresh_name(std::string_view hint) {
  std::string name = stage_ + std::string(hint);
  const int count = name_counts_[name]++;
  return count == 0 ? name : name + "_" + std::to_string(count);
}

ValueId Network::input(std::string name, Shape shape, ElementType element) {
  const ValueType type{element, std::move(shape)};
  graph_.inputs.push_back({name, type});
  graph_.types[name] = type;
  return name;
}

void Network::output(const ValueId& value, const std::string& name, Shape shape) {
  for (Node& node : graph_.nodes) {
    std::ranges::replace(node.inputs, value, name);
    std::ranges::replace(node.outputs, value, name);
  }
  graph_.outputs.push_back(name);
  graph_.types[name] = {ElementType::Float, std::move(shape)};
}

ValueId Network::op(std::string_view op, std::vector<ValueId> inputs, Attributes attributes) {
  const std::string name = fresh_name(op);
  const ValueId result = name + ".out";
  graph_.nodes.push_back({.name = name,
                          .domain = "",
                          .op = std::string(op),
                          .version = opset_,
                          .inputs = std::move(inputs),
                          .outputs = {result},
                          .attributes = std::move(attributes)});
  return result;
}

std::vector<ValueId> Network::split(const ValueId& x, std::int64_t axis, Integers parts) {
  op("Split", {x, integers(parts)}, {{"axis", axis}});
  Node& node = graph_.nodes.back();
  node.outputs.clear();
  for (std::size_t n = 0; n < parts.size(); ++n)
    node.outputs.push_back(node.name + ".out" + std::to_string(n));
  return node.outputs;
}

ValueId Network::constant(ElementType element, Shape shape, std::span<const double> values) {
  HostBuffer buffer(dtype_of(element), std::ssize(values));
  for (std::int64_t n = 0; n < std::ssize(values); ++n)
    buffer.set(n, values[static_cast<std::size_t>(n)]);
  ValueId id = fresh_name("constant");
  const ValueType type{element, std::move(shape)};
  graph_.types[id] = type;
  graph_.constants[id] = {type, std::make_shared<const HostBuffer>(std::move(buffer))};
  return id;
}

ValueId Network::real(double value) { return constant(ElementType::Float, {}, {&value, 1}); }

ValueId Network::integer(std::int64_t value) {
  const auto real_value = static_cast<double>(value);
  return constant(ElementType::Int64, {}, {&real_value, 1});
}

ValueId Network::integers(const Integers& values) {
  return constant(ElementType::Int64, {std::ssize(values)},
                  std::vector<double>(values.begin(), values.end()));
}

ValueId Network::fill_later(std::string_view name, Shape shape, Filling filling) {
  filling.id = fresh_name(name);
  const ValueType type{ElementType::Float, std::move(shape)};
  graph_.types[filling.id] = type;
  graph_.constants[filling.id] = {.type = type, .data = nullptr};
  fillings_.push_back(filling);
  return filling.id;
}

ValueId Network::weight(std::string_view name, Shape shape, Spread spread) {
  return fill_later(name, std::move(shape), {.id = {}, .spread = spread});
}

ValueId Network::weight(std::string_view name, Shape shape, double gain, std::int64_t fan_in) {
  return weight(name, std::move(shape),
                {.deviation = gain / std::sqrt(static_cast<double>(fan_in))});
}

ValueId Network::conv(const ValueId& x, std::int64_t in, std::int64_t out, Window window,
                      ConvOptions options) {
  const std::int64_t group_in = in / options.groups;
  const Shape shape = {out, group_in, window.kernel, window.kernel};
  std::vector<ValueId> inputs = {
      x, weight("Conv.weight", shape, options.gain, group_in * window.kernel * window.kernel)};
  if (options.has_bias) inputs.push_back(bias(out));
  Attributes attributes = window_attributes(window);
  attributes["dilations"] = Integers{1, 1};
  attributes["group"] = options.groups;
  return op("Conv", std::move(inputs), std::move(attributes));
}

ValueId Network::batch_norm(const ValueId& x, std::int64_t channels, double scale) {
  const Shape shape = {channels};
  const auto statistic = [&](std::string_view name, Spread spread) {
    return fill_later(name, shape, {.id = {}, .spread = spread, .is_learned = false});
  };
  const ValueId gamma = weight("BatchNorm.weight", shape, {scale, 0.1 * scale});
  const ValueId beta = weight("BatchNorm.bias", shape, {.deviation = 0.1 * scale});
  const ValueId mean = statistic("BatchNorm.running_mean", {.deviation = 0.1});
  const ValueId variance = statistic("BatchNorm.running_var", {1, 0.1});
  return op("BatchNormalization", {x, gamma, beta, mean, variance}, {{"epsilon", 1e-5}});
}

ValueId Network::concat(std::vector<ValueId> parts, std::int64_t axis) {
  return op("Concat", std::move(parts), {{"axis", axis}});
}

ValueId Network::max_pool(const ValueId& x, Window window, std::int64_t ceil_mode) {
  Attributes attributes = window_attributes(window);
  attributes["ceil_mode"] = ceil_mode;
  return op("MaxPool", {x}, std::move(attributes));
}

ValueId Network::average_pool(const ValueId& x, Window window) {
  return op("AveragePool", {x}, window_attributes(window));
}

ValueId Network::gemm(const ValueId& x, std::int64_t in, std::int64_t out, double gain) {
  return op("Gemm", {x, weight("Gemm.weight", {out, in}, gain, in), bias(out)},
            {{"alpha", 1.0}, {"beta", 1.0}, {"transB", std::int64_t{1}}});
}

ValueId Network::classifier(const ValueId& x, std::int64_t channels, std::int64_t classes) {
  return gemm(flatten(op("GlobalAveragePool", {x})), channels, classes, after_relu);
}

ValueId Network::reshape(const ValueId& x, const Shape& shape) {
  return op("Reshape", {x, integers(shape)});
}

ValueId Network::transpose(const ValueId& x, Integers order) {
  return op("Transpose", {x}, {{"perm", std::move(order)}});
}

std::int64_t Network::parameter_count() const {
  std::int64_t count = 0;
  for (const Filling& filling : fillings_)
    if (filling.is_learned) count += element_count(graph_.types.at(filling.id).shape);
  return count;
}

Graph Network::graph() const {
  Graph filled = graph_;
  for (const Filling& filling : fillings_) {
    Constant& constant = filled.constants.at(filling.id);
    HostBuffer buffer(DType::F32, element_count(constant.type.shape));
    fill(buffer.as<float>(), filling.spread, Rng(fingerprint(graph_.name + filling.id).low));
    constant.data = std::make_shared<const HostBuffer>(std::move(buffer));
  }
  return filled;
}

}  // namespace tessera::networks
