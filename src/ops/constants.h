#pragma once

#include "base/result.h"
#include "graph/graph.h"

#include <span>
#include <vector>

/// Constants made while a graph is inferred.
namespace tessera::ops {

/// The most elements of a value that is computed here: 512 MB of floats.
inline constexpr std::int64_t most_constant_elements = std::int64_t{1} << 27;

/// One value per element of `shape`, in row-major order.
Constant constant_of(ElementType element, Shape shape, std::span<const double> values);
Constant constant_of(ElementType element, Shape shape, std::span<const std::int64_t> values);
/// A list of Int64.
Constant integer_list(std::span<const std::int64_t> values);
/// Refuses negative extents and more than `most_constant_elements`; an extent of zero is none.
Result<Constant> filled(ElementType element, const Shape& shape, double value);
/// The elements of `from` at row-major `positions`, in a shape of as many elements.
Constant picked(const Constant& from, Shape shape, std::span<const std::int64_t> positions);

}  // namespace tessera::ops
