#include "extract/passes.h"
#include "extract/rewriter.h"

#include <cmath>

namespace tessera {
namespace {

/// y = x * factor + shift, one of each per channel.
struct Scale {
  std::vector<double> factor, shift;
};

std::optional<Scale> scale_of(const Rewriter& rewriter, const Node& norm) {
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
  for (const Node& norm : std::vector<Node>(graph.nodes)) {
    if (norm.op != "BatchNormalization" || !norm.domain.empty() || norm.outputs.size() != 1)
      continue;
    const Node* conv = rewriter.maker(norm.inputs[0], {"Conv"});
    if (conv == nullptr || !rewriter.has_one_reader(norm.inputs[0]) ||
        rewriter.constant(conv->inputs[1]) == nullptr)
      continue;
    if (conv->inputs.size() > 2 && !conv->inputs[2].empty() &&
        rewriter.constant(conv->inputs[2]) == nullptr)
      continue;
    if (const auto scale = scale_of(rewriter, norm))
      rewriter.replace(scaled_conv(rewriter, *conv, *scale, norm.outputs.front()));
  }
  rewriter.finish();
}

}  // namespace tessera
