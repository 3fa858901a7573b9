#include "ops/elementwise.h"

#include "ops/activation.h"
#include "ops/functions.h"
#include "ops/nodes/elements.h"
#include "ops/nodes/nodes.h"
#include "ops/rearrange.h"
#include "ops/shape.h"

namespace tessera::ops {
namespace {

template <UnaryOp Operator>
void real_function(Definition& d) {
  d.output(unary(d.b, Operator, d.input(0), d.node().op));
}

template <TensorId (*F)(ComputationBuilder&, const TensorId&, std::string_view)>
void function(Definition& d) {
  d.output(F(d.b, d.input(0), d.node().op));
}

/// Of any number; the smallest integer of a narrow type has no opposite and stays what it is.
template <UnaryOp Operator>
void opposite(Definition& d) {
  d.output(map_number(
      d.b, d.input(0),
      [&](const Expr& e) { return wrapped(unary(Operator, e), d.type(0).element); }, d.node().op));
}

void bitwise_not(Definition& d) {
  if (is_float(dtype_of(d.type(0).element))) return d.refuse("expected integers");
  const auto range = narrow_range(d.type(0).element);
  const std::int64_t all_ones = range && range->low == 0 ? range->high : -1;
  d.output(map_number(
      d.b, d.input(0), [&](const Expr& e) { return integer(e.dtype(), all_ones) - e; },
      d.node().op));
}

/// Bounds are attributes before version 11 and scalars after it; either may be absent.
void clip(Definition& d) {
  const auto bound = [&](std::size_t n, std::string_view attribute) -> std::optional<Expr> {
    if (d.version() >= 11) return d.has_input(n) ? std::optional(scalar_input(d, n)) : std::nullopt;
    return d.has_attribute(attribute) ? std::optional(real(d.real(attribute, 0))) : std::nullopt;
  };
  const std::optional<Expr> low = bound(1, "min"), high = bound(2, "max");
  const DType dtype = dtype_of(d.type(0).element);
  if ((low && low->dtype() != dtype) || (high && high->dtype() != dtype))
    return d.refuse("bounds are not of the type of what they bound");
  d.output(map_number(
      d.b, d.input(0),
      [&](const Expr& e) {
        const Expr raised = low ? max(e, *low) : e;
        return high ? min(raised, *high) : raised;
      },
      d.node().op));
}

void convert(Definition& d, ElementType to) {
  d.output(map(d.b, d.input(0), [&](const Expr& e) { return converted(e, to); }, d.node().op), to);
}

void cast_node(Definition& d) {
  const std::int64_t to = d.integer("to", 0);
  const std::optional<ElementType> element = element_type_of(to);
  if (!element) return d.refuse("to is " + std::to_string(to) + ", expected a type of numbers");
  convert(d, *element);
}

void cast_like(Definition& d) { convert(d, d.type(1).element); }

void identity_node(Definition& d) {
  if (!d.has_elements(0)) return d.output_empty(d.shape(0));
  d.output(copy(d.b, d.input(0), d.node().op));
}

/// As networks run it once trained: nothing is dropped. The mask says so; before version 10 it has
/// the type of the input.
void dropout(Definition& d) {
  const bool may_train = d.version() >= 12 && d.has_input(2);
  const bool drops_nothing =
      d.has_input(1) && d.constant(1) != nullptr && d.constant(1)->data->get(0) == 0;
  if (may_train && !drops_nothing) {
    const Constant* training = d.constant(2);
    if (training == nullptr || training->data->get(0) != 0)
      return d.refuse("training_mode is not known to be false");
  }
  d.output(copy(d.b, d.input(0), d.node().op));
  if (d.node().outputs.size() < 2) return;
  const ElementType element = d.version() < 10 ? d.type(0).element : ElementType::Bool;
  d.output(map(
               d.b, d.input(0), [&](const Expr&) { return number(dtype_of(element), 1); }, "mask"),
           element);
}

constexpr Op list[] = {
    {"", "Abs", opposite<UnaryOp::Abs>},
    {"", "Acos", function<acos>},
    {"", "Acosh", function<acosh>},
    {"", "Asin", function<asin>},
    {"", "Asinh", function<asinh>},
    {"", "Atan", function<atan>},
    {"", "Atanh", function<atanh>},
    {"", "BitwiseNot", bitwise_not},
    {"", "Cast", cast_node},
    {"", "CastLike", cast_like, 2},
    {"", "Ceil", real_function<UnaryOp::Ceil>},
    {"", "Clip", clip},
    {"", "Cos", real_function<UnaryOp::Cos>},
    {"", "Cosh", function<cosh>},
    {"", "Dropout", dropout},
    {"", "Erf", real_function<UnaryOp::Erf>},
    {"", "Exp", real_function<UnaryOp::Exp>},
    {"", "Floor", real_function<UnaryOp::Floor>},
    {"", "Identity", identity_node, 1, true},
    {"", "Log", real_function<UnaryOp::Log>},
    {"", "Neg", opposite<UnaryOp::Neg>},
    {"", "Reciprocal", function<reciprocal>},
    {"", "Round", real_function<UnaryOp::Round>},
    {"", "Sigmoid", real_function<UnaryOp::Sigmoid>},
    {"", "Sign", function<sign>},
    {"", "Sin", real_function<UnaryOp::Sin>},
    {"", "Sinh", function<sinh>},
    {"", "Sqrt", real_function<UnaryOp::Sqrt>},
    {"", "Tan", function<tan>},
    {"", "Tanh", real_function<UnaryOp::Tanh>},
};

}  // namespace

std::span<const Op> elementwise_nodes() { return list; }

}  // namespace tessera::ops
