#include "extract/passes.h"
#include "extract/rewriter.h"

#include <algorithm>

namespace tessera {
namespace {

/// Zeros that a Pad puts around the spatial dimensions of images, as `pads` of a convolution has
/// them; nothing when it does otherwise.
std::optional<std::vector<std::int64_t>> zeros_around(const Rewriter& rewriter, const Node& pad) {
  const auto mode = pad.attributes.find("mode");
  if (mode != pad.attributes.end() && std::get<std::string>(mode->second) != "constant")
    return std::nullopt;
  const auto given = [&](std::size_t n) { return n < pad.inputs.size() && !pad.inputs[n].empty(); };
  const Constant* widths = given(1) ? rewriter.constant(pad.inputs[1]) : nullptr;
  if (widths == nullptr || given(3) || (given(2) && rewriter.scalar(pad.inputs[2]) != 0.0))
    return std::nullopt;
  const auto rank = static_cast<std::int64_t>(rewriter.shape(pad.inputs[0]).size());
  std::vector<std::int64_t> around;
  for (std::int64_t n = 0; n < 2 * rank; ++n) {
    const std::int64_t width = widths->data->get_integer(n);
    if (width < 0 || (n % rank < 2 && width != 0)) return std::nullopt;
    if (n % rank >= 2) around.push_back(width);
  }
  return around;
}

std::optional<Node> with_pads(const Node& conv, const std::vector<std::int64_t>& more) {
  const auto automatic = conv.attributes.find("auto_pad");
  if (automatic != conv.attributes.end() && std::get<std::string>(automatic->second) != "NOTSET")
    return std::nullopt;
  Node out = conv;
  const auto found = conv.attributes.find("pads");
  std::vector<std::int64_t> pads = more;
  if (found != conv.attributes.end())
    std::ranges::transform(pads, std::get<std::vector<std::int64_t>>(found->second), pads.begin(),
                           std::plus());
  out.attributes["pads"] = pads;
  return out;
}

}  // namespace

void fold_pads(Graph& graph) {
  Rewriter rewriter(graph);
  std::vector<Node> convs;
  for (const Node& conv : graph.nodes) {
    if (!conv.domain.empty() || conv.op != "Conv") continue;
    const Node* pad = rewriter.maker(conv.inputs[0], {"Pad"});
    const auto around = pad == nullptr ? std::nullopt : zeros_around(rewriter, *pad);
    std::optional<Node> padded = around ? with_pads(conv, *around) : std::nullopt;
    if (!padded) continue;
    padded->inputs[0] = pad->inputs[0];
    convs.push_back(*std::move(padded));
  }
  for (Node& conv : convs) rewriter.replace(std::move(conv));
  rewriter.finish();
}

}  // namespace tessera
