#include "base/text.h"
#include "ops/constants.h"
#include "ops/nodes/nodes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera::ops {
namespace {

using Values = Result<std::vector<Constant>>;

Values one(Result<Constant> value) {
  if (!value) return value.error();
  return std::vector{*std::move(value)};
}

/// The extents of the input; from version 15 on a range of them.
Values shape_of(const NodeView& view) {
  const auto rank = static_cast<std::int64_t>(view.shape(0).size());
  const auto bounded = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t start = bounded(view.integer("start", 0));
  const std::int64_t end = std::max(start, bounded(view.integer("end", rank)));
  return one(integer_list(
      std::span(view.shape(0))
          .subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start))));
}

Values size_of(const NodeView& view) {
  return one(constant_of(ElementType::Int64, {}, std::array{element_count(view.shape(0))}));
}

Values constant(const NodeView& view) {
  if (const Constant* value = view.tensor("value")) return one(*value);
  if (view.has_attribute("value_int"))
    return one(constant_of(ElementType::Int64, {}, std::array{view.integer("value_int", 0)}));
  if (view.has_attribute("value_ints")) return one(integer_list(view.integers("value_ints")));
  if (view.has_attribute("value_float"))
    return one(constant_of(ElementType::Float, {}, std::array{view.real("value_float", 0)}));
  if (view.has_attribute("value_floats")) {
    const std::vector<double> values = view.reals("value_floats");
    return one(constant_of(ElementType::Float, {static_cast<std::int64_t>(values.size())}, values));
  }
  return Error{"expected a tensor, integers or floats as its value"};
}

Values constant_of_shape(const NodeView& view) {
  const auto shape = view.integers(0, "shape");
  if (!shape) return shape.error();
  const Constant* value = view.tensor("value");
  if (value == nullptr) return one(filled(ElementType::Float, *shape, 0));
  if (value->data->element_count() != 1)
    return Error{"value of shape " + to_text(value->type.shape) + ", expected one element"};
  return one(filled(value->type.element, *shape, value->data->get(0)));
}

/// start, start + delta, .. before limit.
template <typename T>
Values range_of(ElementType element, T start, T limit, T delta) {
  if (delta == 0) return Error{"delta 0, expected another"};
  const double count =
      std::max(0.0, std::ceil((static_cast<double>(limit) - static_cast<double>(start)) /
                              static_cast<double>(delta)));
  if (!(count <= static_cast<double>(most_constant_elements)))
    return Error{"expected at most 2^27 elements"};
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::size_t n = 0; n < values.size(); ++n) values[n] = start + static_cast<T>(n) * delta;
  return one(constant_of(element, {static_cast<std::int64_t>(values.size())}, values));
}

Values range(const NodeView& view) {
  const ElementType element = view.type(0).element;
  for (const std::size_t n : {0, 1, 2})
    if (view.constant(n) == nullptr || view.constant(n)->data->element_count() != 1)
      return Error{"expected a known scalar as start, limit and delta; its shape depends on them"};
  const auto& start = *view.constant(0)->data;
  const auto& limit = *view.constant(1)->data;
  const auto& delta = *view.constant(2)->data;
  if (is_float(dtype_of(element)))
    return range_of(element, start.get(0), limit.get(0), delta.get(0));
  return range_of(element, start.get_integer(0), limit.get_integer(0), delta.get_integer(0));
}

Values eye_like(const NodeView& view) {
  const Shape& shape = view.shape(0);
  if (shape.size() != 2) return Error{"shape " + to_text(shape) + ", expected two dimensions"};
  const std::int64_t wanted =
      view.integer("dtype", static_cast<std::int64_t>(view.type(0).element));
  const std::optional<ElementType> element = element_type_of(wanted);
  if (!element) return Error{"no known element type " + std::to_string(wanted)};
  if (element_count(shape) > most_constant_elements)
    return Error{"shape " + to_text(shape) + ", expected at most 2^27 elements"};
  std::vector<std::int64_t> values(static_cast<std::size_t>(element_count(shape)));
  for (std::int64_t row = 0; row < shape[0]; ++row) {
    const std::int64_t column = row + view.integer("k", 0);
    if (column >= 0 && column < shape[1])
      values[static_cast<std::size_t>(row * shape[1] + column)] = 1;
  }
  return one(constant_of(*element, shape, values));
}

Values refuse_random(const NodeView&) {
  return Error{"its values are random; compiled networks give the same output for the same input"};
}

constexpr Op list[] = {
    {"", "Shape", shape_of},
    {"", "Size", size_of},
    {"", "Constant", constant, 0},
    {"", "ConstantOfShape", constant_of_shape},
    {"", "Range", range, 3},
    {"", "EyeLike", eye_like},
    {"", "RandomNormal", refuse_random, 0},
    {"", "RandomNormalLike", refuse_random},
    {"", "RandomUniform", refuse_random, 0},
    {"", "RandomUniformLike", refuse_random},
    {"", "Bernoulli", refuse_random},
    {"", "Multinomial", refuse_random},
};

}  // namespace

std::span<const Op> shape_nodes() { return list; }

}  // namespace tessera::ops
