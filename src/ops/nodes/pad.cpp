#include "base/text.h"
#include "ops/nodes/nodes.h"
#include "ops/rearrange.h"
#include "ops/shape.h"

#include <algorithm>

/// Operators that put elements around a tensor or cut some away.
namespace tessera::ops {
namespace {

struct Padding {
  std::vector<std::int64_t> before, after;
};

/// Pads come as all before, then all after; for some dimensions when axes are given.
Result<Padding> padding_of(const Definition& d) {
  const std::size_t rank = d.shape(0).size();
  const auto pads = d.attribute_or_input(d.has_attribute("paddings") ? "paddings" : "pads", 1);
  if (!pads) return pads.error();
  std::vector<std::int64_t> axes;
  for (std::size_t n = 0; n < rank; ++n) axes.push_back(static_cast<std::int64_t>(n));
  if (d.has_input(3)) {
    const auto given = d.integers(3, "axes");
    if (!given) return given.error();
    axes = *given;
  }
  if (const auto dims = dimensions(axes, rank); !dims) return dims.error();
  if (pads->size() != 2 * axes.size())
    return Error{std::to_string(pads->size()) + " pads, expected two for each of " +
                 std::to_string(axes.size()) + " dimensions"};
  Padding out{std::vector<std::int64_t>(rank), std::vector<std::int64_t>(rank)};
  for (std::size_t n = 0; n < axes.size(); ++n) {
    const std::size_t dim = *dimension(axes[n], rank);
    out.before[dim] = (*pads)[n];
    out.after[dim] = (*pads)[n + axes.size()];
  }
  return out;
}

/// The element of `extent` that stands at `index`, which may lie outside.
Expr reflected(const Expr& index, std::int64_t extent) {
  if (extent == 1) return 0;
  const std::int64_t period = 2 * (extent - 1);
  return min(index % period, period - index % period);
}
Expr nearest_edge(const Expr& index, std::int64_t extent) { return min(max(index, 0), extent - 1); }
Expr wrapped(const Expr& index, std::int64_t extent) { return index % extent; }

using Mapping = Expr (*)(const Expr&, std::int64_t);

Mapping mapping_of(std::string_view mode) {
  if (mode == "reflect") return reflected;
  if (mode == "edge") return nearest_edge;
  if (mode == "wrap") return wrapped;
  return nullptr;
}

/// x with elements of its own around it.
TensorId pad_by(ComputationBuilder& b, const TensorId& x, const Padding& padding, Mapping mapping,
                std::string_view name) {
  std::vector<Axis> axes = spatial_axes(b.shape(x));
  std::vector<Expr> indices;
  for (std::size_t n = 0; n < axes.size(); ++n) {
    const std::int64_t before = padding.before[n], after = padding.after[n];
    if (std::max(before, after) > max_elements || std::min(before, after) < -max_elements)
      return b.refuse(name, "padding " + to_text(padding.before) + " and " +
                                to_text(padding.after) + "; expected at most 2^40 elements");
    const bool is_whole = before == 0 && after == 0;
    const Expr index = axis(axes[n].name) - before;
    indices.push_back(is_whole ? index : mapping(index, axes[n].extent));
    axes[n].extent += before + after;
  }
  return b.stage(name, axes, b.read(x, std::move(indices)));
}

/// What constant padding is filled with: an attribute, an input, or zero.
Expr fill_of(const Definition& d) {
  const DType dtype = d.b.dtype(d.input(0));
  if (d.has_elements(2)) {
    const std::vector<Expr> first(d.shape(2).size(), 0);  // a scalar, or a list of one
    return tessera::cast(dtype, d.b.read(d.input(2), first));
  }
  return number(dtype, d.real("value", 0));
}

void pad_node(Definition& d) {
  const auto padding = padding_of(d);
  if (!padding) return d.refuse(padding.error().message);
  const std::string mode = d.text("mode", "constant");
  if (mode == "constant")
    return d.output(pad(d.b, d.input(0), padding->before, padding->after, fill_of(d), d.node().op));
  const Mapping mapping = mapping_of(mode);
  if (mapping == nullptr)
    return d.refuse("mode " + mode + ", expected constant, reflect, edge or wrap");
  d.output(pad_by(d.b, d.input(0), *padding, mapping, d.node().op));
}

/// Brings dimensions to given extents by cutting or padding both ends alike.
void center_crop_pad(Definition& d) {
  const std::size_t rank = d.shape(0).size();
  const auto extents = d.integers(1, "shape");
  if (!extents) return d.refuse(extents.error().message);
  std::vector<std::int64_t> axes = d.integers("axes");
  for (std::size_t n = 0; n < rank && !d.has_attribute("axes"); ++n)
    axes.push_back(static_cast<std::int64_t>(n));
  if (const auto dims = dimensions(axes, rank); !dims) return d.refuse(dims.error().message);
  if (axes.size() != extents->size())
    return d.refuse("extents " + to_text(*extents) + " for axes " + to_text(axes));
  Padding padding{std::vector<std::int64_t>(rank), std::vector<std::int64_t>(rank)};
  for (std::size_t n = 0; n < axes.size(); ++n) {
    const std::size_t dim = *dimension(axes[n], rank);
    const std::int64_t more =
        std::clamp((*extents)[n], std::int64_t{0}, max_elements) - d.shape(0)[dim];
    padding.before[dim] = more / 2;
    padding.after[dim] = more - more / 2;
  }
  d.output(pad(d.b, d.input(0), padding.before, padding.after, number(d.b.dtype(d.input(0)), 0),
               d.node().op));
}

/// Zeros below, or above, a diagonal of the last two dimensions.
void trilu(Definition& d) {
  if (!d.has_elements(0)) return d.output_empty(d.shape(0));
  const TensorId x = d.input(0);
  const std::vector<Axis> axes = spatial_axes(d.shape(0));
  if (axes.size() < 2)
    return d.refuse("shape " + to_text(d.shape(0)) + ", expected two dimensions or more");
  if (d.has_elements(1) && d.type(1).element != ElementType::Int64)
    return d.refuse("k is " + std::string(to_text(d.type(1).element)) + ", expected int64");
  const std::vector<Expr> at = indices_of(axes);
  const Expr shift =
      !d.has_elements(1) ? Expr(0) : d.b.read(d.input(1), std::vector<Expr>(d.shape(1).size(), 0));
  const Expr diagonal = at[at.size() - 2] + shift, column = at.back();
  const Expr is_kept = d.integer("upper", 1) != 0 ? diagonal <= column : column <= diagonal;
  d.output(d.b.stage(d.node().op, axes, select(is_kept, d.b.read(x, at), number(d.b.dtype(x), 0))));
}

constexpr Op list[] = {
    {"", "Pad", pad_node},
    {"", "CenterCropPad", center_crop_pad, 2},
    {"", "Trilu", trilu, 1, true},
};

}  // namespace

std::span<const Op> pad_nodes() { return list; }

}  // namespace tessera::ops
