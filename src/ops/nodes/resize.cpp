#include "base/text.h"
#include "ops/elementwise.h"
#include "ops/nodes/nodes.h"
#include "ops/nodes/resize_taps.h"
#include "ops/shape.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tessera::ops {
namespace {

/// Where the parameters of Resize stand: its inputs have moved.
struct ResizeInputs {
  std::size_t roi = 1, scales = 2, sizes = 3;
};
constexpr std::size_t absent = 99;

ResizeMethod method_of(const Definition& d) {
  ResizeMethod method{.mode = d.text("mode", "nearest"),
                      .coordinates = d.text("coordinate_transformation_mode", "half_pixel"),
                      .rounding = d.text("nearest_mode", "round_prefer_floor"),
                      .cubic_a = d.real("cubic_coeff_a", -0.75),
                      .excludes_outside = d.integer("exclude_outside", 0) != 0,
                      .is_antialiased = d.integer("antialias", 0) != 0};
  if (method.mode == "bilinear") method.mode = "linear";
  if (d.node().op == "Upsample" || d.version() < 11) {
    method.coordinates = "asymmetric";
    method.rounding = "simple";
  }
  return method;
}

Result<std::vector<double>> scales_of(const Definition& d, const ResizeInputs& inputs) {
  if (d.has_attribute("scales")) return d.reals("scales");
  if (!d.has_elements(inputs.scales)) return std::vector<double>();
  return d.reals(inputs.scales, "scales");
}

/// What one scale for all dimensions makes of `sizes`, when an image is to keep its proportions.
Result<void> keep_proportions(const std::string& policy, std::vector<ResizedExtent>& extents) {
  if (policy == "stretch") return {};
  if (policy != "not_larger" && policy != "not_smaller")
    return Error{"keep_aspect_ratio_policy " + policy +
                 ", expected stretch, not_larger or not_smaller"};
  const auto less = [](const ResizedExtent& a, const ResizedExtent& b) {
    return a.scale < b.scale;
  };
  const double scale = policy == "not_larger" ? std::ranges::min_element(extents, less)->scale
                                              : std::ranges::max_element(extents, less)->scale;
  for (ResizedExtent& extent : extents) {
    extent.scale = scale;
    extent.length = std::floor(scale * static_cast<double>(extent.from) + 0.5);
    extent.to = static_cast<std::int64_t>(extent.length);
  }
  return {};
}

/// The resized dimensions, in the order of `axes`.
Result<std::vector<ResizedExtent>> extents_of(const Definition& d, const ResizeInputs& inputs,
                                              const std::vector<std::int64_t>& axes) {
  const auto scales = scales_of(d, inputs);
  if (!scales) return scales.error();
  Result<std::vector<std::int64_t>> sizes = std::vector<std::int64_t>();
  if (d.has_elements(inputs.sizes)) sizes = d.integers(inputs.sizes, "sizes");
  Result<std::vector<double>> roi = std::vector<double>();
  if (d.has_elements(inputs.roi)) roi = d.reals(inputs.roi, "roi");
  if (!sizes) return sizes.error();
  if (!roi) return roi.error();
  if (std::max(scales->size(), sizes->size()) != axes.size())
    return Error{std::to_string(scales->size()) + " scales and " + std::to_string(sizes->size()) +
                 " sizes, expected one for each of " + std::to_string(axes.size()) + " dimensions"};
  std::vector<ResizedExtent> extents;
  for (std::size_t n = 0; n < axes.size(); ++n) {
    ResizedExtent& extent = extents.emplace_back();
    extent.from = d.shape(0)[*dimension(axes[n], d.shape(0).size())];
    const auto from = static_cast<float>(extent.from);
    const double wanted = sizes->empty() ? std::floor(from * static_cast<float>((*scales)[n]))
                                         : static_cast<double>((*sizes)[n]);
    if (!(wanted >= 1 && wanted <= static_cast<double>(max_elements)))
      return Error{"extent " + std::to_string(extent.from) + " to " + number_text(wanted) +
                   ", expected 1 to 2^40"};
    extent.to = static_cast<std::int64_t>(wanted);
    extent.length = sizes->empty() ? (*scales)[n] * from : wanted;
    extent.scale = sizes->empty() ? (*scales)[n] : wanted / static_cast<double>(extent.from);
    if (roi->size() == 2 * axes.size()) {
      extent.roi_start = (*roi)[n];
      extent.roi_end = (*roi)[n + axes.size()];
    }
  }
  if (!sizes->empty())
    if (const auto kept = keep_proportions(d.text("keep_aspect_ratio_policy", "stretch"), extents);
        !kept)
      return kept.error();
  return extents;
}

/// A single tap's index as arithmetic where it follows a rule, else from a table.
Expr index_at(ComputationBuilder& b, const ResizeTaps& taps, const Expr& o) {
  const std::vector<std::int64_t>& index = taps.index;
  const auto follows = [&](const std::function<std::int64_t(std::int64_t)>& rule) {
    for (std::size_t n = 0; n < index.size(); ++n)
      if (index[n] != rule(static_cast<std::int64_t>(n))) return false;
    return true;
  };
  const std::int64_t step = index.size() > 1 ? index[1] - index[0] : 0;
  if (follows([&](std::int64_t n) { return n * step + index[0]; })) return o * step + index[0];
  const auto repeat = static_cast<std::int64_t>(index.size()) / (index.back() + 1);
  if (repeat > 0 && follows([&](std::int64_t n) { return n / repeat; })) return o / repeat;
  const TensorId table = b.table("resize_index", {static_cast<std::int64_t>(index.size())},
                                 {index.begin(), index.end()}, DType::I64);
  return b.read(table, {o});
}

struct Resized {
  std::vector<std::size_t> dims;
  std::vector<ResizeTaps> taps;
};

TensorId resize_nearest(ComputationBuilder& b, const TensorId& x, const Resized& resized,
                        std::string_view name) {
  std::vector<Axis> axes = spatial_axes(b.shape(x));
  std::vector<Expr> indices = indices_of(axes);
  for (std::size_t n = 0; n < resized.dims.size(); ++n) {
    const std::size_t dim = resized.dims[n];
    axes[dim].extent = static_cast<std::int64_t>(resized.taps[n].index.size());
    indices[dim] = index_at(b, resized.taps[n], indices[dim]);
  }
  return b.stage(name, axes, b.read(x, std::move(indices)));
}

/// One dimension after another; a wide kernel is a reduction, a narrow one a sum.
TensorId resize_weighted(ComputationBuilder& b, const TensorId& x, std::size_t dim,
                         const ResizeTaps& taps, std::string_view name) {
  constexpr std::size_t most_taps_in_a_sum = 4;
  const auto to = static_cast<std::int64_t>(taps.is_outside.size());
  const auto count = static_cast<std::int64_t>(taps.count);
  const TensorId index =
      b.table("resize_index", {to, count}, {taps.index.begin(), taps.index.end()}, DType::I64);
  const TensorId weight = b.table("resize_weight", {to, count}, taps.weight);
  std::vector<Axis> axes = spatial_axes(b.shape(x));
  axes[dim].extent = to;
  const Expr o = axis(axes[dim].name);
  const auto tap = [&](const Expr& t) {
    std::vector<Expr> indices = indices_of(axes);
    indices[dim] = b.read(index, {o, t});
    return b.read(weight, {o, t}) * b.read(x, std::move(indices));
  };
  if (taps.count > most_taps_in_a_sum) {
    const Expr value = tap(axis("t"));
    axes.push_back(reduced("t", count));
    return b.stage(name, axes, Reducer::Sum, value);
  }
  Expr sum = tap(0);
  for (std::int64_t t = 1; t < count; ++t) sum = sum + tap(t);
  return b.stage(name, axes, sum);
}

/// `value` where a coordinate lies beyond the image.
TensorId extrapolate(ComputationBuilder& b, const TensorId& x, const Resized& resized,
                     double value) {
  const std::vector<Axis> axes = spatial_axes(b.shape(x));
  Expr is_inside = boolean(true);
  for (std::size_t n = 0; n < resized.dims.size(); ++n) {
    const std::vector<bool>& outside = resized.taps[n].is_outside;
    if (std::ranges::find(outside, true) == outside.end()) continue;
    std::vector<double> inside;
    for (const bool is_outside : outside) inside.push_back(is_outside ? 0 : 1);
    const auto extent = static_cast<std::int64_t>(inside.size());
    const TensorId table = b.table("resize_inside", {extent}, std::move(inside), DType::I64);
    is_inside = is_inside && 1 <= b.read(table, {axis(axes[resized.dims[n]].name)});
  }
  return b.stage("extrapolated", axes,
                 select(is_inside, b.read(x, indices_of(axes)), number(b.dtype(x), value)));
}

void resize_with(Definition& d, const ResizeInputs& inputs) {
  const std::size_t rank = d.shape(0).size();
  std::vector<std::int64_t> axes = d.integers("axes");
  for (std::size_t n = 0; n < rank && !d.has_attribute("axes"); ++n)
    axes.push_back(static_cast<std::int64_t>(n));
  if (const auto dims = dimensions(axes, rank); !dims) return d.refuse(dims.error().message);
  const auto extents = extents_of(d, inputs, axes);
  if (!extents) return d.refuse(extents.error().message);
  const ResizeMethod method = method_of(d);
  Resized resized;
  bool has_outside = false;
  for (std::size_t n = 0; n < axes.size(); ++n) {
    const auto taps = resize_taps(method, (*extents)[n]);
    if (!taps) return d.refuse(taps.error().message);
    if ((*extents)[n].from == (*extents)[n].to && taps->is_identity()) continue;
    has_outside =
        has_outside || std::ranges::find(taps->is_outside, true) != taps->is_outside.end();
    resized.dims.push_back(*dimension(axes[n], rank));
    resized.taps.push_back(*taps);
  }
  const DType dtype = d.b.dtype(d.input(0));
  TensorId y = d.input(0);
  if (method.mode == "nearest") {
    y = resize_nearest(d.b, y, resized, d.node().op);
  } else {
    y = cast(d.b, y, DType::F32);
    for (std::size_t n = 0; n < resized.dims.size(); ++n)
      y = resize_weighted(d.b, y, resized.dims[n], resized.taps[n], d.node().op);
    if (dtype != DType::F32) y = cast(d.b, y, dtype);
  }
  if (has_outside) y = extrapolate(d.b, y, resized, d.real("extrapolation_value", 0));
  d.output(y);
}

void resize(Definition& d) {
  if (d.version() < 11) return resize_with(d, {.roi = absent, .scales = 1, .sizes = absent});
  resize_with(d, {});
}

void upsample(Definition& d) { resize_with(d, {.roi = absent, .scales = 1, .sizes = absent}); }

constexpr Op list[] = {
    {"", "Resize", resize},
    {"", "Upsample", upsample},
};

}  // namespace

std::span<const Op> resize_nodes() { return list; }

}  // namespace tessera::ops
