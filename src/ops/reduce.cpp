#include "ops/reduce.h"

#include "ops/elementwise.h"
#include "ops/shape.h"

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

/// In the order of the enumerators.
constexpr std::string_view names[] = {"sum", "mean", "prod", "max", "min", "l1", "l2"};

}  // namespace

std::string_view to_text(Reduction reduction) { return names[static_cast<std::size_t>(reduction)]; }

std::optional<Reduction> parse_reduction(std::string_view text) {
  const auto found = std::ranges::find(names, text);
  if (found == std::end(names)) return std::nullopt;
  return static_cast<Reduction>(found - std::begin(names));
}

}  // namespace tessera

namespace tessera::ops {
namespace {

/// What is reduced for one element. The mean sums x/n, which one fused multiply-add does.
Expr summand(Reduction reduction, const Expr& x, std::int64_t count) {
  switch (reduction) {
    case Reduction::Mean:
      return x * real(1.0 / static_cast<double>(count));
    case Reduction::L1:
      return unary(UnaryOp::Abs, x);
    case Reduction::L2:
      return x * x;
    default:
      return x;
  }
}

bool takes(Reduction reduction, DType dtype) {
  const bool is_arithmetic = reduction == Reduction::Sum || reduction == Reduction::Prod ||
                             reduction == Reduction::Max || reduction == Reduction::Min;
  return is_float(dtype) || (is_arithmetic && dtype != DType::Bool);
}

}  // namespace

Reducer reducer_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::Prod:
      return Reducer::Prod;
    case Reduction::Max:
      return Reducer::Max;
    case Reduction::Min:
      return Reducer::Min;
    default:
      return Reducer::Sum;
  }
}

TensorId reduce(ComputationBuilder& builder, Reduction reduction, const TensorId& x,
                const ReduceOptions& options, std::string_view name) {
  const Tensor tensor = builder.tensor(x);
  if (!takes(reduction, tensor.dtype))
    return builder.refuse(name,
                          std::string(to_text(reduction)) + " is " + undefined_for(tensor.dtype));
  std::vector<std::int64_t> wanted = options.dims;
  if (wanted.empty()) {
    wanted.resize(tensor.shape.size());
    std::iota(wanted.begin(), wanted.end(), 0);
  }
  const Result<std::vector<std::size_t>> dims = dimensions(wanted, tensor.shape.size());
  if (!dims) return builder.refuse(name, dims.error().message);

  const ReducedAxes over = reduced_axes(builder, x, *dims);
  const bool has_root = reduction == Reduction::L2;
  const TensorId reduced = builder.stage(
      has_root ? std::string(name) + "_squares" : std::string(name),
      options.keeps_dims ? with_unit_axes(over.axes, *dims) : over.axes, reducer_of(reduction),
      summand(reduction, builder.read(x, over.element), over.count));
  return has_root ? unary(builder, UnaryOp::Sqrt, reduced, name) : reduced;
}

}  // namespace tessera::ops
