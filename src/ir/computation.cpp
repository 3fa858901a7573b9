#include "ir/computation.h"

#include "base/check.h"
#include "ir/rewrite.h"

#include <limits>
#include <set>

namespace tessera {

Expr identity(Reducer reducer, DType dtype) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto limit = [&](double as_real, std::int64_t as_integer) {
    return is_float(dtype) ? real(as_real) : Expr(ExprNode{Integer{dtype, as_integer}});
  };
  const bool is_narrow = dtype == DType::I32;
  const std::int64_t lowest = is_narrow ? std::numeric_limits<std::int32_t>::min()
                                        : std::numeric_limits<std::int64_t>::min();
  const std::int64_t highest = is_narrow ? std::numeric_limits<std::int32_t>::max()
                                         : std::numeric_limits<std::int64_t>::max();
  switch (reducer) {
    case Reducer::Sum:
      return limit(0.0, 0);
    case Reducer::Prod:
      return limit(1.0, 1);
    case Reducer::Max:
      return limit(-infinity, lowest);
    case Reducer::Min:
      return limit(infinity, highest);
  }
  fail("a listed reducer");
}

Expr combine(Reducer reducer, Expr a, Expr b) {
  switch (reducer) {
    case Reducer::Sum:
      return std::move(a) + std::move(b);
    case Reducer::Prod:
      return std::move(a) * std::move(b);
    case Reducer::Max:
      return max(std::move(a), std::move(b));
    case Reducer::Min:
      return min(std::move(a), std::move(b));
  }
  fail("a listed reducer");
}

const Stage* find_stage(const Computation& computation, std::string_view name) {
  for (const Stage& stage : computation.stages)
    if (stage.tensor.name == name) return &stage;
  return nullptr;
}

const Tensor* find_tensor(const Computation& computation, std::string_view name) {
  for (const Operand& operand : computation.operands)
    if (operand.tensor.name == name) return &operand.tensor;
  for (const Table& table : computation.tables)
    if (table.tensor.name == name) return &table.tensor;
  const Stage* stage = find_stage(computation, name);
  return stage == nullptr ? nullptr : &stage->tensor;
}

namespace {

/// Operations on element values in `e`: not those on indices, which are i64 below a load or
/// condition.
double operations(const Expr& e) {
  return match(
      *e, [](const Integer&) { return 0.0; }, [](const Real&) { return 0.0; },
      [](const AxisRef&) { return 0.0; }, [](const Unary& u) { return 1 + operations(u.a); },
      [](const Binary& b) { return 1 + operations(b.a) + operations(b.b); },
      [](const Select& s) { return std::max(operations(s.yes), operations(s.no)); },
      [](const Cast& c) { return operations(c.a); }, [](const Load&) { return 0.0; });
}

}  // namespace

double flops(const Computation& computation) {
  double total = 0;
  for (const Stage& stage : computation.stages) {
    double points = 1;
    for (const Axis& a : stage.axes) points *= static_cast<double>(a.extent);
    total += points * (operations(stage.value) + (stage.reducer ? 1 : 0));
  }
  return total;
}

double traffic_bytes(const Computation& computation) {
  const auto bytes = [](const Tensor& t) {
    return static_cast<double>(element_count(t.shape) * size_bytes(t.dtype));
  };
  double total = 0;
  for (const Operand& operand : computation.operands) total += bytes(operand.tensor);
  for (const TensorId& output : computation.outputs)
    total += bytes(*find_tensor(computation, output));
  return total;
}

}  // namespace tessera
