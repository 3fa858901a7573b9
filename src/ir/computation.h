#pragma once

#include "ir/expr.h"
#include "tensor/tensor.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera {

enum class AxisKind : std::uint8_t { Spatial, Reduce };

/// One iteration variable of a stage.
struct Axis {
  std::string name;
  std::int64_t extent = 1;
  AxisKind kind = AxisKind::Spatial;
  friend bool operator==(const Axis&, const Axis&) = default;
};

enum class Reducer : std::uint8_t { Sum, Prod, Max, Min };

/// The value that changes nothing: 0, 1, -inf, inf.
Expr identity(Reducer reducer, DType dtype);
/// `a` and `b` reduced.
Expr combine(Reducer reducer, Expr a, Expr b);

/// A tensor defined by an expression over axes: the spatial axes in the order of the tensor's
/// dimensions, then the reduce axes. A stage with reduce axes has a reducer, the others none.
struct Stage {
  Tensor tensor;
  std::vector<Axis> axes;
  std::optional<Reducer> reducer;
  Expr value = 0;
  friend bool operator==(const Stage&, const Stage&) = default;
};

enum class Role : std::uint8_t { Input, Constant, Output };

/// A tensor that comes from outside. `Constant` contents are known when code is made, so their
/// layout is free and work on them is done once.
struct Operand {
  Role role = Role::Input;  // Input or Constant
  Tensor tensor;
  friend bool operator==(const Operand&, const Operand&) = default;
};

/// A small constant tensor whose values stand in the text.
struct Table {
  Tensor tensor;
  std::vector<double> values;
  friend bool operator==(const Table&, const Table&) = default;
};

/// *What* is computed: stages in order, each reading operands, tables and earlier stages.
struct Computation {
  std::string name;
  std::vector<Operand> operands;
  std::vector<Table> tables;
  std::vector<Stage> stages;
  std::vector<TensorId> outputs;  // stages that leave
  friend bool operator==(const Computation&, const Computation&) = default;
};

const Stage* find_stage(const Computation& computation, std::string_view name);
/// Operand, table or stage tensor of that name, or null.
const Tensor* find_tensor(const Computation& computation, std::string_view name);

/// Arithmetic operations of the computation as written: a multiply-add counts two, a comparison or
/// transcendental one, index arithmetic nothing.
double flops(const Computation& computation);
/// Bytes of all operands and outputs, each counted once.
double traffic_bytes(const Computation& computation);

}  // namespace tessera
