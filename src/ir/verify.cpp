#include "ir/verify.h"

#include "base/text.h"
#include "ir/scope.h"
#include "ir/text.h"

#include <algorithm>
#include <string>

namespace tessera {
namespace {

Error about(const std::string& subject, const Result<void>& refusal) {
  return Error{subject + ": " + refusal.error().message};
}

/// Axes, and whether they fit the reducer and the tensor's shape.
Result<void> verify_axes(const Stage& stage, Scope& scope) {
  Shape shape;
  bool has_reduction = false;
  for (const Axis& axis : stage.axes) {
    if (Result<void> added = scope.add_axis(axis.name, false); !added) return added;
    if (axis.extent < 1)
      return Error{"axis " + axis.name + ": extent " + std::to_string(axis.extent) + " is below 1"};
    if (axis.kind == AxisKind::Spatial && has_reduction)
      return Error{"axis " + axis.name + " is spatial, after a reduce axis"};
    if (axis.kind == AxisKind::Spatial) shape.push_back(axis.extent);
    has_reduction = has_reduction || axis.kind == AxisKind::Reduce;
  }
  if (shape != stage.tensor.shape)
    return Error{"spatial axes " + to_text(shape) + ", expected " + to_text(stage.tensor.shape)};
  if (has_reduction != stage.reducer.has_value())
    return Error{has_reduction ? "reduce axes without a reducer" : "a reducer without reduce axes"};
  if (stage.reducer && stage.tensor.dtype == DType::Bool)
    return Error{std::string(to_text(*stage.reducer)) + " of bool, expected numbers"};
  return verify(stage.tensor.shape);
}

Result<void> verify_stage(const Stage& stage, Scope& scope) {
  scope.remove_axes();
  if (Result<void> sound = verify_axes(stage, scope); !sound) return sound;
  const Result<DType> dtype = scope.verify(stage.value);
  if (!dtype) return dtype.error();
  if (*dtype != stage.tensor.dtype)
    return Error{"value is " + std::string(to_text(*dtype)) + ", expected " +
                 std::string(to_text(stage.tensor.dtype))};
  return {};
}

Result<void> add(Scope& scope, const Tensor& tensor) {
  if (Result<void> sound = verify(tensor.shape); !sound) return sound;
  return scope.add_tensor(tensor.name,
                          {.dtype = tensor.dtype, .extents = tensor.shape, .halo = {}});
}

Result<void> verify_outputs(const Computation& computation) {
  if (computation.outputs.empty()) return Error{"computation " + computation.name + ": no output"};
  std::vector<TensorId> seen;
  for (const TensorId& output : computation.outputs) {
    if (find_stage(computation, output) == nullptr)
      return Error{"output " + output + ": no stage of that name"};
    if (std::find(seen.begin(), seen.end(), output) != seen.end())
      return Error{"output " + output + ": listed twice"};
    seen.push_back(output);
  }
  return {};
}

}  // namespace

Result<void> verify(const Computation& computation) {
  if (Result<void> sound = verify_name(computation.name); !sound)
    return about("computation", sound);
  Scope scope;
  for (const Operand& operand : computation.operands) {
    const std::string subject = std::string(to_text(operand.role)) + " " + operand.tensor.name;
    if (operand.role == Role::Output)
      return Error{subject + ": an operand, expected input or constant"};
    if (Result<void> added = add(scope, operand.tensor); !added) return about(subject, added);
  }
  for (const Table& table : computation.tables) {
    if (Result<void> sound = verify(table); !sound) return sound;
    if (Result<void> added = add(scope, table.tensor); !added)
      return about("table " + table.tensor.name, added);
  }
  for (const Stage& stage : computation.stages) {
    Result<void> sound = verify_stage(stage, scope);
    if (sound) sound = add(scope, stage.tensor);
    if (!sound) return about("stage " + stage.tensor.name, sound);
  }
  return verify_outputs(computation);
}

}  // namespace tessera
