#include "base/text.h"
#include "ops/nodes/nodes.h"
#include "ops/shape.h"

#include <algorithm>

/// Pooling of regions [x1, y1, x2, y2] of images, which are known only at run time.
namespace tessera::ops {
namespace {

Expr floor(const Expr& e) { return unary(UnaryOp::Floor, e); }
Expr ceil(const Expr& e) { return unary(UnaryOp::Ceil, e); }
Expr round(const Expr& e) { return unary(UnaryOp::Round, e); }
Expr as_real(const Expr& e) { return cast(DType::F32, e); }
Expr as_index(const Expr& e) { return cast(DType::I64, e); }

Result<void> check_images(const Definition& d, const Shape& regions) {
  if (d.shape(0).size() != 4 || d.shape(1) != regions)
    return Error{"images " + to_text(d.shape(0)) + " and regions " + to_text(d.shape(1)) +
                 ", expected rank 4 and " + to_text(regions)};
  if (!is_float(dtype_of(d.type(0).element)) || !is_float(dtype_of(d.type(1).element)))
    return Error{"expected images and regions of reals"};
  return {};
}

/// One side of the regions of RoiAlign.
struct Side {
  std::int64_t first;    // column of the region where the side begins; it ends two further on
  std::int64_t outputs;  // bins
  std::int64_t samples;  // in each bin
  std::int64_t size;     // of the image
};

/// Where samples lie along one side: [region, bin, sample].
TensorId sample_points(const Definition& d, const Side& side, std::string_view name) {
  const double scale = d.real("spatial_scale", 1);
  const bool is_half_pixel =
      d.version() >= 16 && d.text("coordinate_transformation_mode", "half_pixel") == "half_pixel";
  const auto bound = [&](std::int64_t column) {
    return d.b.read(d.input(1), {axis("region"), column}) * real(scale) -
           real(is_half_pixel ? 0.5 : 0);
  };
  const Expr start = bound(side.first), length = bound(side.first + 2) - start;
  const Expr span = is_half_pixel ? length : max(length, real(1));
  const Expr step =
      (as_real(axis("sample")) + real(0.5)) * real(1.0 / static_cast<double>(side.samples));
  return d.b.stage(name,
                   {spatial("region", d.shape(1)[0]), spatial("bin", side.outputs),
                    spatial("sample", side.samples)},
                   start + (as_real(axis("bin")) + step) *
                               (span * real(1.0 / static_cast<double>(side.outputs))));
}

/// The two elements between which a point lies and their shares; points far outside have none.
struct Neighbours {
  Expr low, high, low_share, high_share;
};

Neighbours neighbours(const Expr& point, std::int64_t size) {
  const Expr last = real(static_cast<double>(size - 1));
  const Expr inside = min(max(point, real(0)), last);
  const Expr is_near = real(-1) <= point && point <= real(static_cast<double>(size));
  const Expr low = min(floor(inside), last), high = min(floor(inside) + real(1), last);
  const Expr share = inside - low;
  return {as_index(low), as_index(high), select(is_near, real(1) - share, real(0)),
          select(is_near, share, real(0))};
}

/// Bilinear samples of each bin, averaged, or the largest of their weighted corners.
void roi_align(Definition& d) {
  const std::int64_t count = d.has_input(1) && !d.shape(1).empty() ? d.shape(1)[0] : 0;
  if (const Result<void> fits = check_images(d, {count, 4}); !fits)
    return d.refuse(fits.error().message);
  const std::int64_t height = d.integer("output_height", 1), width = d.integer("output_width", 1);
  const std::int64_t samples = d.integer("sampling_ratio", 0);
  const std::string mode = d.text("mode", "avg");
  if (mode != "avg" && mode != "max")
    return d.refuse("mode is \"" + mode + "\", expected avg or max");
  if (samples < 1)
    return d.refuse("sampling_ratio is " + std::to_string(samples) +
                    ", expected a number of samples that does not depend on the regions");
  if (d.shape(2) != Shape{count} || is_float(dtype_of(d.type(2).element)))
    return d.refuse("image indices " + to_text(d.shape(2)) + ", expected one integer per region");

  const Shape& shape = d.shape(0);
  const TensorId ys =
      sample_points(d, {.first = 1, .outputs = height, .samples = samples, .size = shape[2]}, "ys");
  const TensorId xs =
      sample_points(d, {.first = 0, .outputs = width, .samples = samples, .size = shape[3]}, "xs");
  const Expr r = axis("region");
  const Neighbours v = neighbours(d.b.read(ys, {r, axis("y"), axis("v")}), shape[2]);
  const Neighbours u = neighbours(d.b.read(xs, {r, axis("x"), axis("u")}), shape[3]);
  const Expr image = min(max(as_index(d.b.read(d.input(2), {r})), 0), shape[0] - 1);
  const auto corner = [&](const Expr& row, const Expr& column, const Expr& share) {
    return share * d.b.read(d.input(0), {image, axis("c"), row, column});
  };
  const Expr corners[] = {corner(v.low, u.low, v.low_share * u.low_share),
                          corner(v.low, u.high, v.low_share * u.high_share),
                          corner(v.high, u.low, v.high_share * u.low_share),
                          corner(v.high, u.high, v.high_share * u.high_share)};
  const std::vector<Axis> axes = {spatial("region", count), spatial("c", shape[1]),
                                  spatial("y", height),     spatial("x", width),
                                  reduced("v", samples),    reduced("u", samples)};
  if (mode == "max")
    return d.output(d.b.stage(d.node().op, axes, Reducer::Max,
                              max(max(corners[0], corners[1]), max(corners[2], corners[3]))));
  const double share = 1.0 / static_cast<double>(samples * samples);
  d.output(d.b.stage(d.node().op, axes, Reducer::Sum,
                     (corners[0] + corners[1] + corners[2] + corners[3]) * real(share)));
}

/// Whether element `at` lies in bin `bin` of `bins` along a side of a region that is rounded to
/// elements.
Expr lies_in_bin(const Expr& first, const Expr& last, const Expr& at, const Expr& bin,
                 std::int64_t bins) {
  const Expr length = max(last - first + real(1), real(1)) * real(1.0 / static_cast<double>(bins));
  const Expr start = floor(as_real(bin) * length) + first;
  const Expr end = ceil((as_real(bin) + real(1)) * length) + first;
  return start <= as_real(at) && as_real(at) < end;
}

/// The largest element of each bin, zero for an empty one. Regions are [image, x1, y1, x2, y2].
void max_roi_pool(Definition& d) {
  const std::int64_t count = d.shape(1).empty() ? 0 : d.shape(1)[0];
  if (const Result<void> fits = check_images(d, {count, 5}); !fits)
    return d.refuse(fits.error().message);
  const std::vector<std::int64_t> bins = d.integers("pooled_shape");
  if (bins.size() != 2 || *std::ranges::min_element(bins) < 1)
    return d.refuse("pooled_shape is " + to_text(bins) + ", expected two positive numbers");
  const Shape& shape = d.shape(0);
  const double scale = d.real("spatial_scale", 1);
  const Expr r = axis("region");
  const auto bound = [&](int column) {
    return round(d.b.read(d.input(1), {r, column}) * real(scale));
  };
  const Expr is_inside = lies_in_bin(bound(2), bound(4), axis("row"), axis("y"), bins[0]) &&
                         lies_in_bin(bound(1), bound(3), axis("column"), axis("x"), bins[1]);
  const Expr image = min(max(as_index(d.b.read(d.input(1), {r, 0})), 0), shape[0] - 1);
  const Expr nothing = identity(Reducer::Max, DType::F32);
  std::vector<Axis> axes = {spatial("region", count), spatial("c", shape[1]), spatial("y", bins[0]),
                            spatial("x", bins[1])};
  const std::vector<Axis> outputs = axes;
  axes.push_back(reduced("row", shape[2]));
  axes.push_back(reduced("column", shape[3]));
  const Expr value = d.b.read(d.input(0), {image, axis("c"), axis("row"), axis("column")});
  const TensorId found = d.b.stage("found", axes, Reducer::Max, select(is_inside, value, nothing));
  const Expr largest = d.b.read(found, indices_of(outputs));
  d.output(d.b.stage(d.node().op, outputs,
                     select(binary(BinaryOp::Equal, largest, nothing), real(0), largest)));
}

constexpr Op list[] = {
    {"", "MaxRoiPool", max_roi_pool, 2},
    {"", "RoiAlign", roi_align, 3},
};

}  // namespace

std::span<const Op> region_nodes() { return list; }

}  // namespace tessera::ops
