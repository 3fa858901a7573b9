#include "ops/builder.h"

#include "base/check.h"
#include "base/text.h"
#include "ir/simplify.h"
#include "ir/verify.h"
#include "ir/words.h"

#include <algorithm>
#include <cctype>

namespace tessera {
namespace {

/// `wanted` with everything but letters, digits and `_` replaced: dots are kept for schedules.
std::string identifier(std::string_view wanted) {
  std::string name(wanted);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name.insert(0, "_");
  if (std::ranges::find(reserved_words, name) != reserved_words.end()) name += '_';
  return name;
}

}  // namespace

TensorId ComputationBuilder::input(std::string_view name, Shape shape, DType dtype) {
  return operand(Role::Input, name, std::move(shape), dtype);
}

TensorId ComputationBuilder::constant(std::string_view name, Shape shape, DType dtype) {
  return operand(Role::Constant, name, std::move(shape), dtype);
}

TensorId ComputationBuilder::operand(Role role, std::string_view name, Shape shape, DType dtype) {
  if (!accepts(name, shape)) return {};
  TensorId id = unique_name(name);
  computation_.operands.push_back({role, {id, dtype, std::move(shape)}});
  return id;
}

TensorId ComputationBuilder::table(std::string_view name, Shape shape, std::vector<double> values,
                                   DType dtype) {
  if (!accepts(name, shape)) return {};
  if (element_count(shape) != static_cast<std::int64_t>(values.size()))
    return refuse(name, std::to_string(values.size()) + " values for shape " + to_text(shape));
  TensorId id = unique_name(name);
  computation_.tables.push_back({{id, dtype, std::move(shape)}, std::move(values)});
  return id;
}

TensorId ComputationBuilder::stage(std::string_view name, std::vector<Axis> axes,
                                   const Expr& value) {
  return append(name, std::move(axes), std::nullopt, value);
}

TensorId ComputationBuilder::stage(std::string_view name, std::vector<Axis> axes, Reducer reducer,
                                   const Expr& value) {
  const bool reduces =
      std::ranges::any_of(axes, [](const Axis& a) { return a.kind == AxisKind::Reduce; });
  return append(name, std::move(axes), reduces ? std::optional(reducer) : std::nullopt, value);
}

TensorId ComputationBuilder::append(std::string_view name, std::vector<Axis> axes,
                                    std::optional<Reducer> reducer, const Expr& value) {
  Shape shape;
  LoopScope scope;
  for (const Axis& a : axes) {
    if (a.kind == AxisKind::Spatial) shape.push_back(a.extent);
    scope.enter(a.name, a.extent);
  }
  TensorId id = unique_name(name);
  if (!accepts(name, shape)) {  // what reads it goes on with a scalar of its dtype
    computation_.stages.push_back({{id, value.dtype(), {}}, {}, std::nullopt, value});
    return id;
  }
  computation_.stages.push_back(
      {{id, value.dtype(), std::move(shape)}, std::move(axes), reducer, simplify(value, scope)});
  return id;
}

TensorId ComputationBuilder::refuse(std::string_view name, std::string_view message) {
  if (!refusal_) refusal_ = Error{std::string(name) + ": " + std::string(message)};
  return {};
}

bool ComputationBuilder::accepts(std::string_view name, const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 1 || extent > max_elements / count) {
      refuse(name,
             "expected positive extents and at most 2^40 elements, got shape " + to_text(shape));
      break;
    }
    count *= extent;
  }
  return !refusal_;
}

Tensor ComputationBuilder::tensor(const TensorId& id) const {
  if (id.empty() && refusal_) return {};
  const Tensor* found = find_tensor(computation_, id);
  check(found != nullptr, "a tensor of this builder");
  return *found;
}

Expr ComputationBuilder::read(const TensorId& id, std::vector<Expr> indices) const {
  return load(id, dtype(id), std::move(indices));
}

std::vector<Axis> ComputationBuilder::axes(const TensorId& id) const {
  const Stage* stage = find_stage(computation_, id);
  if (stage == nullptr) return spatial_axes(shape(id));
  const auto rank = static_cast<std::ptrdiff_t>(stage->tensor.shape.size());
  return {stage->axes.begin(), stage->axes.begin() + rank};
}

Result<Computation> ComputationBuilder::finish(std::string_view name) const {
  if (refusal_) return *refusal_;
  Computation computation = computation_;
  computation.name = identifier(name);
  if (const Result<void> verified = verify(computation); !verified) return verified.error();
  return computation;
}

std::string ComputationBuilder::unique_name(std::string_view wanted) const {
  const std::string base = identifier(wanted);
  std::string name = base;
  for (int n = 2; find_tensor(computation_, name) != nullptr; ++n)
    name = base + "_" + std::to_string(n);
  return name;
}

Axis spatial(std::string name, std::int64_t extent) {
  return {std::move(name), extent, AxisKind::Spatial};
}
Axis reduced(std::string name, std::int64_t extent) {
  return {std::move(name), extent, AxisKind::Reduce};
}

std::vector<Axis> spatial_axes(const Shape& shape) {
  constexpr std::string_view letters = "ijkl";
  std::vector<Axis> axes;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool is_short = shape.size() <= letters.size();
    axes.push_back(
        spatial(is_short ? std::string(1, letters[d]) : "i" + std::to_string(d), shape[d]));
  }
  return axes;
}

std::vector<Expr> indices_of(const std::vector<Axis>& axes) {
  std::vector<Expr> indices;
  for (const Axis& a : axes) indices.push_back(axis(a.name));
  return indices;
}

}  // namespace tessera
