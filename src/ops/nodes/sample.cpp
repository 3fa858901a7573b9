#include "base/text.h"
#include "ops/nodes/nodes.h"
#include "ops/shape.h"

#include <algorithm>

/// Operators that read images at computed coordinates, or add blocks into them.
namespace tessera::ops {
namespace {

enum class Outside : std::uint8_t { Zeros, Border, Reflection };

/// How a grid of coordinates in [-1, 1] reads an image.
struct Sampling {
  std::int64_t taps = 2;  // along each dimension: 1 nearest, 2 linear, 4 cubic
  Outside outside = Outside::Zeros;
  bool aligns_corners = false;
};

Result<Sampling> sampling_of(const Definition& d) {
  Sampling sampling;
  const std::string mode = d.text("mode", "linear"), outside = d.text("padding_mode", "zeros");
  if (mode == "nearest")
    sampling.taps = 1;
  else if (mode == "cubic" || mode == "bicubic")
    sampling.taps = 4;
  else if (mode != "linear" && mode != "bilinear")
    return Error{"mode " + mode + ", expected nearest, linear or cubic"};
  if (outside == "border")
    sampling.outside = Outside::Border;
  else if (outside == "reflection")
    sampling.outside = Outside::Reflection;
  else if (outside != "zeros")
    return Error{"padding_mode " + outside + ", expected zeros, border or reflection"};
  sampling.aligns_corners = d.integer("align_corners", 0) != 0;
  return sampling;
}

Expr floor_of(const Expr& e) { return unary(UnaryOp::Floor, e); }

/// A coordinate in [-1, 1] as a place among `extent` elements, brought inside where that is asked.
Expr place_of(const Sampling& s, const Expr& coordinate, std::int64_t extent) {
  const auto size = static_cast<double>(extent);
  const Expr unit = (coordinate + real(1)) / real(2);
  Expr place = s.aligns_corners ? unit * real(size - 1) : unit * real(size) - real(0.5);
  if (s.taps == 1) place = unary(UnaryOp::Round, place);
  if (s.outside == Outside::Zeros || s.taps == 4) return place;  // elements are brought inside
  if (s.outside == Outside::Border) return min(max(place, real(0)), real(size - 1));
  const double low = s.aligns_corners ? 0 : -0.5, width = s.aligns_corners ? size - 1 : size;
  if (width == 0) return real(0);
  const Expr from_low = place - real(low);
  const Expr within = from_low - floor_of(from_low / real(2 * width)) * real(2 * width);
  return min(within, real(2 * width) - within) + real(low);
}

/// The element that stands for one which may lie outside; -1 for a zero.
Expr element_of(const Sampling& s, const Expr& index, std::int64_t extent) {
  if (s.outside == Outside::Zeros) return select(0 <= index && index < extent, index, -1);
  if (s.outside == Outside::Border || extent == 1) return min(max(index, 0), extent - 1);
  const std::int64_t period = s.aligns_corners ? 2 * (extent - 1) : 2 * extent;
  const Expr within = index % period;
  return min(within, period - (s.aligns_corners ? 0 : 1) - within);
}

/// The weight of an element at a given distance; Keys' cubic has a = -0.75.
Expr weight_of(const Sampling& s, const Expr& distance) {
  const Expr x = unary(UnaryOp::Abs, distance);
  if (s.taps == 2) return real(1) - x;
  const Expr near = (real(1.25) * x - real(2.25)) * x * x + real(1);
  const Expr far = ((x - real(5)) * x + real(8)) * x * real(-0.75) + real(3);
  return select(x <= real(1), near, far);
}

/// What one dimension of the image contributes: the elements and weights of each tap, as stages
/// over the points of the grid and the taps.
struct Along {
  TensorId element, weight;
};

Along sampled_along(Definition& d, const Sampling& s, std::size_t dim, std::size_t dims) {
  const Shape& grid = d.shape(1);
  const std::int64_t extent = d.shape(0)[2 + dim];
  std::vector<Axis> axes = spatial_axes(Shape(grid.begin(), grid.end() - 1));
  std::vector<Expr> point = indices_of(axes);
  point.emplace_back(static_cast<std::int64_t>(dims - 1 - dim));  // x comes first
  const TensorId place = d.b.stage("place", axes, place_of(s, d.b.read(d.input(1), point), extent));
  point.pop_back();
  axes.push_back(spatial("t", s.taps));
  const Expr at = d.b.read(place, point), t = axis("t");
  const std::int64_t first = s.taps == 4 ? -1 : 0;
  const Expr index = tessera::cast(DType::I64, floor_of(at)) + t + first;
  const Expr distance = at - floor_of(at) - tessera::cast(DType::F32, t + first);
  return {d.b.stage("element", axes, element_of(s, index, extent)),
          d.b.stage("weight", axes, s.taps == 1 ? real(1) : weight_of(s, distance))};
}

void grid_sample(Definition& d) {
  const Shape &image = d.shape(0), &grid = d.shape(1);
  const auto sampling = sampling_of(d);
  if (!sampling) return d.refuse(sampling.error().message);
  if (image.size() < 3 || image.size() > 5 || grid.size() != image.size() || grid[0] != image[0] ||
      grid.back() != static_cast<std::int64_t>(image.size()) - 2)
    return d.refuse("an image " + to_text(image) + " and a grid " + to_text(grid));
  if (!is_float(d.b.dtype(d.input(1)))) return d.refuse("expected a grid of f32");
  const std::size_t dims = image.size() - 2;
  std::vector<Axis> axes = {spatial("n", image[0]), spatial("c", image[1])};
  std::vector<Expr> point = {axis("n")};
  for (std::size_t n = 0; n < dims; ++n) {
    axes.push_back(spatial("o" + std::to_string(n), grid[1 + n]));
    point.push_back(axis(axes.back().name));
  }
  std::vector<Expr> element = {axis("n"), axis("c")};
  Expr is_inside = boolean(true), weight = real(1);
  for (std::size_t n = 0; n < dims; ++n) {
    const Along along = sampled_along(d, *sampling, n, dims);
    std::vector<Expr> tap = point;
    tap.emplace_back(0);
    if (sampling->taps > 1) {
      axes.push_back(reduced("t" + std::to_string(n), sampling->taps));
      tap.back() = axis(axes.back().name);
    }
    const Expr index = d.b.read(along.element, tap);
    is_inside = is_inside && 0 <= index;
    element.push_back(max(index, 0));
    weight = n == 0 ? d.b.read(along.weight, tap) : weight * d.b.read(along.weight, tap);
  }
  const DType dtype = d.b.dtype(d.input(0));
  const Expr value = select(is_inside, d.b.read(d.input(0), element), number(dtype, 0));
  if (sampling->taps > 1 && dtype != DType::F32)
    return d.refuse("an image of " + std::string(to_text(dtype)) + ", expected floats");
  d.output(
      d.b.stage(d.node().op, axes, Reducer::Sum, sampling->taps == 1 ? value : weight * value));
}

/// The coordinates, in [-1, 1], that a matrix makes of those of each element of an image.
void affine_grid(Definition& d) {
  const Shape& theta = d.shape(0);
  const auto size = d.integers(1, "size");
  if (!size) return d.refuse(size.error().message);
  const auto dims = static_cast<std::int64_t>(size->size()) - 2;
  if (dims < 2 || dims > 3 || theta != Shape{(*size)[0], dims, dims + 1})
    return d.refuse("matrices " + to_text(theta) + " for an image " + to_text(*size));
  if (!is_float(d.b.dtype(d.input(0)))) return d.refuse("expected matrices of f32");
  std::vector<Axis> axes = {spatial("n", theta[0])};
  for (std::int64_t n = 0; n < dims; ++n)
    axes.push_back(spatial("o" + std::to_string(n), (*size)[static_cast<std::size_t>(n) + 2]));
  axes.push_back(spatial("i", dims));
  const auto factor = [&](std::int64_t column) {
    return d.b.read(d.input(0), {axis("n"), axis("i"), column});
  };
  const bool aligns_corners = d.integer("align_corners", 0) != 0;
  Expr sum = factor(dims);
  for (std::int64_t n = 0; n < dims; ++n) {  // x, the last dimension, comes first
    const Axis& along = axes[static_cast<std::size_t>(dims - n)];
    const auto extent = static_cast<double>(along.extent);
    const double step = aligns_corners ? (extent > 1 ? 2 / (extent - 1) : 0) : 2 / extent;
    const double first = aligns_corners ? -1 : 1 / extent - 1;
    const Expr at = tessera::cast(DType::F32, axis(along.name)) * real(step) + real(first);
    sum = sum + factor(n) * at;
  }
  d.output(d.b.stage(d.node().op, axes, sum));
}

/// Adds the columns of blocks [N, C * taps, positions] into an image, as im2col took them out.
void col2im(Definition& d) {
  const auto image = d.integers(1, "image_shape"), block = d.integers(2, "block_shape");
  if (!image) return d.refuse(image.error().message);
  if (!block) return d.refuse(block.error().message);
  const std::size_t dims = image->size();
  const std::vector<std::int64_t> ones(dims, 1);
  const auto strides = d.integers("strides", ones), dilations = d.integers("dilations", ones);
  const auto pads = d.integers("pads", std::vector<std::int64_t>(2 * dims));
  const Shape& shape = d.shape(0);
  const auto sound = [&](const std::vector<std::int64_t>& values, std::size_t count,
                         std::int64_t least) {
    return values.size() == count && std::ranges::all_of(values, [&](std::int64_t v) {
             return v >= least && v <= 1 << 20;  // so that their products stay integers
           });
  };
  if (shape.size() != 3 || !sound(*image, dims, 1) || !sound(*block, dims, 1) ||
      !sound(strides, dims, 1) || !sound(dilations, dims, 1) || !sound(pads, 2 * dims, 0) ||
      !verify(*image) || !verify(*block) || shape[1] % element_count(*block) != 0)
    return d.refuse("blocks " + to_text(*block) + " of an image " + to_text(*image) + " in " +
                    to_text(shape));
  std::vector<Axis> axes = {spatial("n", shape[0]), spatial("c", shape[1] / element_count(*block))};
  std::vector<Axis> taps;
  Expr row = axis("c"), column = 0, is_hit = boolean(true);
  std::int64_t columns = 1;
  for (std::size_t n = 0; n < dims; ++n) {
    axes.push_back(spatial("y" + std::to_string(n), (*image)[n]));
    taps.push_back(reduced("r" + std::to_string(n), (*block)[n]));
    const Expr tap = axis(taps.back().name);
    const std::int64_t positions =
        ((*image)[n] + pads[n] + pads[n + dims] - dilations[n] * ((*block)[n] - 1) - 1) /
            strides[n] +
        1;
    if (positions < 1 || columns > max_elements / positions)
      return d.refuse(std::to_string(positions) + " positions of blocks, expected 1 or more");
    const Expr offset = axis(axes.back().name) + pads[n] - tap * dilations[n];
    const Expr position = offset / strides[n];
    row = row * (*block)[n] + tap;
    column = column * positions + position;
    columns *= positions;
    is_hit = is_hit && tessera::binary(BinaryOp::Equal, offset % strides[n], 0) && 0 <= position &&
             position < positions;
  }
  if (columns != shape[2])
    return d.refuse(std::to_string(shape[2]) + " columns, expected " + std::to_string(columns));
  axes.insert(axes.end(), taps.begin(), taps.end());
  const TensorId x = d.input(0);
  d.output(
      d.b.stage(d.node().op, axes, Reducer::Sum,
                select(is_hit, d.b.read(x, {axis("n"), row, column}), number(d.b.dtype(x), 0))));
}

constexpr Op list[] = {
    {"", "GridSample", grid_sample, 2},
    {"", "AffineGrid", affine_grid, 2},
    {"", "Col2Im", col2im, 3},
};

}  // namespace

std::span<const Op> sample_nodes() { return list; }

}  // namespace tessera::ops
