#include "ops/nodes/nodes.h"

#include <algorithm>

namespace tessera::ops {
namespace {

Constant integers(const std::vector<std::int64_t>& values) {
  auto data = std::make_shared<HostBuffer>(DType::I64, static_cast<std::int64_t>(values.size()));
  for (std::size_t n = 0; n < values.size(); ++n)
    data->set_integer(static_cast<std::int64_t>(n), values[n]);
  return {{ElementType::Int64, {static_cast<std::int64_t>(values.size())}}, std::move(data)};
}

/// The extents of the input; from version 15 on a range of them.
Result<std::vector<Constant>> shape_of(const NodeView& view) {
  const auto rank = static_cast<std::int64_t>(view.shape(0).size());
  const auto bounded = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t start = bounded(view.integer("start", 0));
  const std::int64_t end = bounded(view.integer("end", rank));
  const Shape& shape = view.shape(0);
  return std::vector{integers({shape.begin() + start, shape.begin() + std::max(start, end)})};
}

constexpr Op list[] = {
    {"", "Shape", shape_of},
};

}  // namespace

std::span<const Op> shape_nodes() { return list; }

}  // namespace tessera::ops
