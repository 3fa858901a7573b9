#include "ops/shape.h"

#include "base/text.h"

#include <algorithm>
#include <string>

namespace tessera::ops {
namespace {

/// A name that no axis has.
std::string unused_name(const std::vector<Axis>& axes, const std::string& wanted) {
  std::string name = wanted;
  for (int n = 2; std::ranges::find(axes, name, &Axis::name) != axes.end(); ++n)
    name = wanted + std::to_string(n);
  return name;
}

}  // namespace

Result<std::size_t> dimension(std::int64_t dim, std::size_t rank) {
  const auto n = static_cast<std::int64_t>(rank);
  if (dim < -n || dim >= n)
    return Error{"no dimension " + std::to_string(dim) + " in rank " + std::to_string(rank)};
  return static_cast<std::size_t>(dim < 0 ? dim + n : dim);
}

Result<std::vector<std::size_t>> dimensions(const std::vector<std::int64_t>& dims,
                                            std::size_t rank) {
  std::vector<std::size_t> out;
  for (const std::int64_t dim : dims) {
    const Result<std::size_t> d = dimension(dim, rank);
    if (!d) return d.error();
    out.push_back(*d);
  }
  std::ranges::sort(out);
  if (std::ranges::adjacent_find(out) != out.end())
    return Error{"dimensions " + to_text(dims) + " name one twice"};
  return out;
}

Result<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()), 1);
  for (std::size_t back = 1; back <= out.size(); ++back) {
    const std::int64_t in_a = back <= a.size() ? a[a.size() - back] : 1;
    const std::int64_t in_b = back <= b.size() ? b[b.size() - back] : 1;
    if (in_a != in_b && in_a != 1 && in_b != 1)
      return Error{"shapes " + to_text(a) + " and " + to_text(b) + " do not broadcast"};
    out[out.size() - back] = in_a == 1 ? in_b : in_a;
  }
  return out;
}

std::vector<Expr> broadcast_indices(const Shape& shape, std::span<const Axis> axes) {
  std::vector<Expr> indices;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const Axis& a = axes[axes.size() - shape.size() + d];
    indices.push_back(shape[d] == a.extent ? axis(a.name) : Expr(0));
  }
  return indices;
}

Expr wrapped_index(const Expr& index, std::int64_t extent) {
  const Expr wide = cast(DType::I64, index);
  return min(max(select(wide < 0, wide + extent, wide), 0), extent - 1);
}

ReducedAxes reduced_axes(const ComputationBuilder& builder, const TensorId& id,
                         const std::vector<std::size_t>& dims) {
  ReducedAxes out;
  const std::vector<Axis> all = builder.axes(id);
  out.element = indices_of(all);
  for (std::size_t d = 0; d < all.size(); ++d) {
    if (std::ranges::find(dims, d) != dims.end()) continue;
    out.axes.push_back(all[d]);
    out.kept.push_back(out.element[d]);
  }
  for (const std::size_t d : dims) {
    out.axes.push_back(reduced(all[d].name, all[d].extent));
    out.count *= all[d].extent;
  }
  return out;
}

std::vector<Axis> with_unit_axes(std::vector<Axis> axes, const std::vector<std::size_t>& dims) {
  for (const std::size_t d : dims)
    axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(d), spatial(unused_name(axes, "u"), 1));
  return axes;
}

std::string undefined_for(DType dtype) { return "not defined for " + std::string(to_text(dtype)); }

std::string dtypes_differ(DType a, DType b) {
  return "dtypes " + std::string(to_text(a)) + " and " + std::string(to_text(b)) + " differ";
}

Expr number(DType dtype, double value) {
  if (is_float(dtype)) return real(value);
  if (dtype == DType::Bool) return boolean(value != 0);
  const double limit = dtype == DType::I64 ? 0x1p62 : 0x1p31 - 1;
  return Expr(
      ExprNode{Integer{dtype, static_cast<std::int64_t>(std::clamp(value, -limit, limit))}});
}

}  // namespace tessera::ops
