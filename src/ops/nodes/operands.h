#pragma once

#include "ops/elementwise.h"
#include "ops/op.h"

#include <functional>
#include <optional>

namespace tessera::ops {

/// The two operands of a binary node. Before version 7 `axis` says with which dimension of the
/// first operand those of the second begin; later they end together.
std::vector<TensorId> two_operands(const Definition& d);

/// Whether one of the required inputs has no elements. Then an output of `element`, or of the type
/// of the first input, is given that has none either.
bool gives_nothing(Definition& d, std::optional<ElementType> element = std::nullopt);

using Scalar2 = std::function<Expr(const Expr&, const Expr&)>;

/// `f` of the elements of two operands of one dtype.
TensorId of_both(const Definition& d, const Scalar2& f);
/// The same, refused for bool.
TensorId of_both_numbers(const Definition& d, const Scalar2& f);

}  // namespace tessera::ops
