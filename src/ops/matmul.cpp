#include "ops/matmul.h"

#include "base/text.h"
#include "ops/shape.h"

namespace tessera::ops {
namespace {

/// One operand: batches of matrices, or a vector, which has no free dimension.
struct Side {
  Shape batch;
  std::optional<Axis> free;
  std::int64_t inner = 1;
  bool inner_first = false;  // the matrix is [inner, free]
};

Side side_of(const Shape& shape, std::string free_name, bool inner_first) {
  if (shape.size() == 1) return {.batch = {}, .free = {}, .inner = shape[0], .inner_first = false};
  const std::int64_t first = shape[shape.size() - 2], second = shape.back();
  return {.batch = {shape.begin(), shape.end() - 2},
          .free = spatial(std::move(free_name), inner_first ? second : first),
          .inner = inner_first ? first : second,
          .inner_first = inner_first};
}

Expr element(const ComputationBuilder& builder, const TensorId& id, const Side& side,
             const std::vector<Axis>& batch, const Axis& inner) {
  std::vector<Expr> indices = broadcast_indices(side.batch, batch);
  if (side.inner_first) indices.push_back(axis(inner.name));
  if (side.free) indices.push_back(axis(side.free->name));
  if (!side.inner_first) indices.push_back(axis(inner.name));
  return builder.read(id, std::move(indices));
}

std::vector<Axis> batch_axes(const Shape& batch) {
  std::vector<Axis> axes;
  for (const std::int64_t extent : batch)
    axes.push_back(spatial("b" + std::to_string(axes.size()), extent));
  return axes;
}

}  // namespace

TensorId matmul(ComputationBuilder& builder, const TensorId& a, const TensorId& b,
                const MatmulOptions& options, std::string_view name) {
  const Tensor left = builder.tensor(a), right = builder.tensor(b);
  const std::string shapes = "shapes " + to_text(left.shape) + " and " + to_text(right.shape);
  if (left.dtype != right.dtype)
    return builder.refuse(name, dtypes_differ(left.dtype, right.dtype));
  if (left.dtype == DType::Bool) return builder.refuse(name, undefined_for(left.dtype));
  if (left.shape.empty() || right.shape.empty())
    return builder.refuse(name, shapes + "; expected no scalar");
  if ((options.transpose_a && left.shape.size() < 2) ||
      (options.transpose_b && right.shape.size() < 2))
    return builder.refuse(name, shapes + "; a vector has no transpose");
  const Side row = side_of(left.shape, "i", options.transpose_a);
  const Side column = side_of(right.shape, "j", !options.transpose_b);
  if (row.inner != column.inner)
    return builder.refuse(name, "inner extents " + std::to_string(row.inner) + " and " +
                                    std::to_string(column.inner) + " differ");
  const Result<Shape> batch = broadcast(row.batch, column.batch);
  if (!batch) return builder.refuse(name, "batch " + batch.error().message);

  const std::vector<Axis> batches = batch_axes(*batch);
  const Axis inner = reduced("k", row.inner);
  std::vector<Axis> axes = batches;
  if (row.free) axes.push_back(*row.free);
  if (column.free) axes.push_back(*column.free);
  axes.push_back(inner);
  return builder.stage(
      name, std::move(axes), Reducer::Sum,
      element(builder, a, row, batches, inner) * element(builder, b, column, batches, inner));
}

}  // namespace tessera::ops
