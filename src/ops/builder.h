#pragma once

#include "base/result.h"
#include "ir/computation.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Larger tensors are refused, so that sizes and offsets never overflow.
inline constexpr std::int64_t max_elements = std::int64_t{1} << 40;

/// Builds a Computation. Ops (the functions of `ops/*.h`) append stages to it, so that a chain of
/// ops is one Computation, its prologue and epilogue included:
///
///     ComputationBuilder builder;
///     const TensorId x = builder.input("x", {128, 768});
///     const TensorId w = builder.constant("w", {768, 768});
///     builder.output(ops::relu(builder, ops::matmul(builder, x, w)));
///     Result<Computation> dense = builder.finish("dense");
///
/// The first refusal is kept for `finish`. Until then a scalar stands for what was refused, so that
/// ops chain without a check between them; an op must accept or refuse every shape.
///
/// Wanted names become unique identifiers: `relu`, `relu_2`.
class ComputationBuilder {
 public:
  TensorId input(std::string_view name, Shape shape, DType dtype = DType::F32);
  TensorId constant(std::string_view name, Shape shape, DType dtype = DType::F32);
  TensorId table(std::string_view name, Shape shape, std::vector<double> values,
                 DType dtype = DType::F32);

  /// Appends a stage whose shape is the extents of `axes` and whose dtype is that of `value`. The
  /// value is simplified, so that an op may write a guard or a division that its extents make
  /// needless.
  TensorId stage(std::string_view name, std::vector<Axis> axes, const Expr& value);
  /// The same with reduce axes, which come after the spatial ones; without any, the reducer has
  /// nothing to do and is left out.
  TensorId stage(std::string_view name, std::vector<Axis> axes, Reducer reducer, const Expr& value);

  void output(const TensorId& stage) { computation_.outputs.push_back(stage); }

  /// Keeps `NAME: MESSAGE` if it is the first refusal, and gives the scalar that stands for the
  /// result.
  TensorId refuse(std::string_view name, std::string_view message);
  const std::optional<Error>& refusal() const { return refusal_; }

  Tensor tensor(const TensorId& id) const;
  Shape shape(const TensorId& id) const { return tensor(id).shape; }
  DType dtype(const TensorId& id) const { return tensor(id).dtype; }
  Expr read(const TensorId& id, std::vector<Expr> indices) const;
  /// Spatial axes that run over the tensor: those of its stage, or `i j k l` for what comes from
  /// outside.
  std::vector<Axis> axes(const TensorId& id) const;
  bool is_stage(const TensorId& id) const { return find_stage(computation_, id) != nullptr; }

  /// The verified computation, or the first refusal.
  Result<Computation> finish(std::string_view name) const;

 private:
  std::string unique_name(std::string_view wanted) const;
  bool accepts(std::string_view name, const Shape& shape);
  TensorId operand(Role role, std::string_view name, Shape shape, DType dtype);
  TensorId append(std::string_view name, std::vector<Axis> axes, std::optional<Reducer> reducer,
                  const Expr& value);

  Computation computation_;
  std::optional<Error> refusal_;
};

Axis spatial(std::string name, std::int64_t extent);
Axis reduced(std::string name, std::int64_t extent);
/// One spatial axis per extent, called `i j k l`, or `i0 i1 ..` when there are more than four.
std::vector<Axis> spatial_axes(const Shape& shape);
/// The value of each axis, in order.
std::vector<Expr> indices_of(const std::vector<Axis>& axes);

}  // namespace tessera
