#include "ops/elementwise.h"

#include "ops/activation.h"
#include "ops/functions.h"
#include "ops/nodes/elements.h"
#include "ops/nodes/nodes.h"
#include "ops/nodes/operands.h"
#include "ops/rearrange.h"
#include "ops/shape.h"

namespace tessera::ops {
namespace {

template <UnaryOp Operator>
void real_function(Definition& d) {
  if (gives_nothing(d)) return;
  d.output(unary(d.b, Operator, d.input(0), d.node().op));
}

template <TensorId (*F)(ComputationBuilder&, const TensorId&, std::string_view)>
void function(Definition& d) {
  d.output(F(d.b, d.input(0), d.node().op));
}

/// Of any number; the smallest integer of a narrow type has no opposite and stays what it is.
template <UnaryOp Operator>
void opposite(Definition& d) {
  if (gives_nothing(d)) return;
  if (Operator == UnaryOp::Abs && d.type(0).element == ElementType::UInt64)
    return d.output(copy(d.b, d.input(0), d.node().op));
  d.output(map_number(
      d.b, d.input(0),
      [&](const Expr& e) { return wrapped(unary(Operator, e), d.type(0).element); }, d.node().op));
}

void sign_node(Definition& d) {
  if (d.type(0).element != ElementType::UInt64) return function<sign>(d);
  d.output(map(
      d.b, d.input(0), [](const Expr& e) { return select(binary(BinaryOp::Equal, e, 0), 0, 1); },
      d.node().op));
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
        const auto placed = [&](const Expr& value) { return in_order(value, d.type(0).element); };
        const Expr raised = low ? max(placed(e), placed(*low)) : placed(e);
        return placed(high ? min(raised, placed(*high)) : raised);
      },
      d.node().op));
}

void convert(Definition& d, ElementType to) {
  if (!d.has_elements(0)) return d.output_empty(d.shape(0), to);
  const ElementType from = d.type(0).element;
  const auto change = [&](const Expr& e) {
    return is_float(dtype_of(to)) ? as_real(e, from) : converted(e, to);
  };
  d.output(map(d.b, d.input(0), change, d.node().op), to);
}

void cast_node(Definition& d) {
  const std::int64_t to = d.integer("to", 0);
  const std::optional<ElementType> element = element_type_of(to);
  if (!element) return d.refuse("to is " + std::to_string(to) + ", expected a type of numbers");
  convert(d, *element);
}

void cast_like(Definition& d) { convert(d, d.type(1).element); }

/// The same bits: of integers at any time, of floats when they are known.
void bit_cast_node(Expansion& e) {
  const ElementType from = e.type(0).element;
  const std::optional<ElementType> to = element_type_of(e.integer("to", 0));
  if (!to || size_bytes(*to) != size_bytes(from))
    return e.refuse("to is " + std::to_string(e.integer("to", 0)) +
                    ", expected a type as large as " + std::string(to_text(from)));
  if (!is_float(dtype_of(from)) && !is_float(dtype_of(*to)))
    return e.output(e.add("Cast", {e.input(0)}, {{"to", e.integer("to", 0)}}));
  const Constant* known = e.view().constant(0);
  if (known == nullptr) return e.refuse("bits of floats that are known only when the network runs");
  std::vector<std::byte> bits(
      static_cast<std::size_t>(known->data->element_count() * size_bytes(from)));
  encode(*known->data, from, bits);
  e.output(e.constant(
      Constant{{*to, known->type.shape},
               std::make_shared<HostBuffer>(decode(*to, known->data->element_count(), bits))}));
}

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
    {"", "Abs", opposite<UnaryOp::Abs>, 1, true},
    {"", "Acos", function<acos>},
    {"", "Acosh", function<acosh>},
    {"", "Asin", function<asin>},
    {"", "Asinh", function<asinh>},
    {"", "Atan", function<atan>},
    {"", "Atanh", function<atanh>},
    {"", "BitCast", bit_cast_node},
    {"", "BitwiseNot", bitwise_not},
    {"", "Cast", cast_node, 1, true},
    {"", "CastLike", cast_like, 2, true},
    {"", "Ceil", real_function<UnaryOp::Ceil>, 1, true},
    {"", "Clip", clip},
    {"", "Cos", real_function<UnaryOp::Cos>, 1, true},
    {"", "Cosh", function<cosh>},
    {"", "Dropout", dropout},
    {"", "Erf", real_function<UnaryOp::Erf>, 1, true},
    {"", "Exp", real_function<UnaryOp::Exp>, 1, true},
    {"", "Floor", real_function<UnaryOp::Floor>, 1, true},
    {"", "Identity", identity_node, 1, true},
    {"", "Log", real_function<UnaryOp::Log>, 1, true},
    {"", "Neg", opposite<UnaryOp::Neg>, 1, true},
    {"", "Reciprocal", function<reciprocal>},
    {"", "Round", real_function<UnaryOp::Round>, 1, true},
    {"", "Sigmoid", real_function<UnaryOp::Sigmoid>, 1, true},
    {"", "Sign", sign_node},
    {"", "Sin", real_function<UnaryOp::Sin>, 1, true},
    {"", "Sinh", function<sinh>},
    {"", "Sqrt", real_function<UnaryOp::Sqrt>, 1, true},
    {"", "Tan", function<tan>},
    {"", "Tanh", real_function<UnaryOp::Tanh>, 1, true},
};

}  // namespace

std::span<const Op> elementwise_nodes() { return list; }

}  // namespace tessera::ops
