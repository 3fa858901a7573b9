#include "extract/passes.h"
#include "extract/rewriter.h"

#include <cmath>

namespace tessera {
namespace {

/// y = x * factor + shift, one of each per channel.
struct Scale {
  std::vector<double> factor, shift;
};

std::optional<Scale> scale_of_norm(const Rewriter& rewriter, const Node& norm) {
  std::vector<const Constant*> parts;
  for (std::size_t n = 1; n < 5; ++n) {
    if (n >= norm.inputs.size()) return std::nullopt;
    parts.push_back(rewriter.constant(norm.inputs[n]));
    if (parts.back() == nullptr) return std::nullopt;
  }
  const auto found = norm.attributes.find("epsilon");
  const double* given =
      found == norm.attributes.end() ? nullptr : std::get_if<double>(&found->second);
  const double epsilon = given == nullptr ? 1e-5 : *given;
  Scale scale;
  for (std::int64_t c = 0; c < parts[0]->data->element_count(); ++c) {
    const double factor = parts[0]->data->get(c) / std::sqrt(parts[3]->data->get(c) + epsilon);
    scale.factor.push_back(factor);
    scale.shift.push_back(parts[1]->data->get(c) - parts[2]->data->get(c) * factor);
  }
  return scale;
}

/// A constant that has one number for all elements of an image, or one per channel.
std::vector<double> per_channel(const Constant& constant, const Shape& image) {
  const Shape& shape = constant.type.shape;
  const std::size_t behind = image.size() - 2;
  const std::int64_t count = element_count(shape);
  const bool is_one = count == 1;
  const bool is_each =
      shape.size() > behind && shape[shape.size() - 1 - behind] == image[1] && count == image[1];
  std::vector<double> numbers;
  for (std::int64_t c = 0; (is_one || is_each) && c < image[1]; ++c)
    numbers.push_back(constant.data->get(is_one ? 0 : c));
  return numbers;
}

/// What a node does to each channel of `x`.
std::optional<Scale> scale_of(const Rewriter& rewriter, const Node& node, const ValueId& x) {
  if (node.op == "BatchNormalization") return scale_of_norm(rewriter, node);
  const Shape& image = rewriter.shape(x);
  const Constant* other = rewriter.constant(node.inputs[node.inputs[0] == x ? 1 : 0]);
  if (other == nullptr || image.size() < 3 || rewriter.shape(node.outputs[0]) != image)
    return std::nullopt;
  const std::vector<double> numbers = per_channel(*other, image);
  if (numbers.empty()) return std::nullopt;
  const std::vector<double> ones(numbers.size(), 1), zeros(numbers.size(), 0);
  return node.op == "Mul" ? Scale{numbers, zeros} : Scale{ones, numbers};
}

/// The convolution with its results scaled; `output` is the value it then makes.
Node scaled_conv(Rewriter& rewriter, const Node& conv, const Scale& scale, const ValueId& output) {
  const Constant& weights = *rewriter.constant(conv.inputs[1]);
  const auto channels = static_cast<std::int64_t>(scale.factor.size());
  HostBuffer scaled = weights.data->copy();
  const std::int64_t per_channel = scaled.element_count() / channels;
  HostBuffer bias(DType::F32, channels);
  for (std::int64_t c = 0; c < channels; ++c) {
    const auto at = static_cast<std::size_t>(c);
    const auto values = scaled.as<float>().subspan(static_cast<std::size_t>(c * per_channel),
                                                   static_cast<std::size_t>(per_channel));
    for (float& value : values)
      value = static_cast<float>(static_cast<double>(value) * scale.factor[at]);
    const bool has_bias = conv.inputs.size() > 2 && !conv.inputs[2].empty();
    const double before = has_bias ? rewriter.constant(conv.inputs[2])->data->get(c) : 0;
    bias.set(c, before * scale.factor[at] + scale.shift[at]);
  }
  Node out = conv;
  out.inputs.resize(3);
  out.inputs[1] =
      rewriter.add_constant(conv.inputs[1] + "/scaled", weights.type, std::move(scaled));
  out.inputs[2] = rewriter.add_constant(conv.inputs[1] + "/bias", {ElementType::Float, {channels}},
                                        std::move(bias));
  out.outputs = {output};
  return out;
}

}  // namespace

void fold_scales(Graph& graph) {
  Rewriter rewriter(graph);
  for (const Node& node : std::vector<Node>(graph.nodes)) {
    static const std::set<std::string> scaling{"BatchNormalization", "Mul", "Add"};
    if (!node.domain.empty() || !scaling.contains(node.op) || node.outputs.size() != 1) continue;
    for (const ValueId& x : node.inputs) {
      const Node* conv = rewriter.maker(x, {"Conv"});
      if (conv == nullptr || !rewriter.has_one_reader(x) ||
          rewriter.constant(conv->inputs[1]) == nullptr)
        continue;
      if (conv->inputs.size() > 2 && !conv->inputs[2].empty() &&
          rewriter.constant(conv->inputs[2]) == nullptr)
        continue;
      if (const auto scale = scale_of(rewriter, node, x))
        rewriter.replace(scaled_conv(rewriter, *conv, *scale, node.outputs.front()));
      break;
    }
  }
  rewriter.finish();
}

}  // namespace tessera
