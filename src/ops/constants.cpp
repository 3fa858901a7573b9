#include "ops/constants.h"

#include "base/text.h"

#include <algorithm>

namespace tessera::ops {
namespace {

template <typename T>
void set(HostBuffer& buffer, std::size_t n, T value) {
  if constexpr (std::is_same_v<T, double>)
    buffer.set(static_cast<std::int64_t>(n), value);
  else
    buffer.set_integer(static_cast<std::int64_t>(n), value);
}

template <typename T>
Constant from_values(ElementType element, Shape shape, std::span<const T> values) {
  auto data =
      std::make_shared<HostBuffer>(dtype_of(element), static_cast<std::int64_t>(values.size()));
  for (std::size_t n = 0; n < values.size(); ++n) set(*data, n, values[n]);
  return {{element, std::move(shape)}, std::move(data)};
}

}  // namespace

Constant constant_of(ElementType element, Shape shape, std::span<const double> values) {
  return from_values(element, std::move(shape), values);
}

Constant constant_of(ElementType element, Shape shape, std::span<const std::int64_t> values) {
  return from_values(element, std::move(shape), values);
}

Constant integer_list(std::span<const std::int64_t> values) {
  return constant_of(ElementType::Int64, {static_cast<std::int64_t>(values.size())}, values);
}

Result<Constant> filled(ElementType element, const Shape& shape, double value) {
  std::int64_t count = std::ranges::find(shape, 0) == shape.end() ? 1 : 0;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || (count > 0 && extent > most_constant_elements / count))
      return Error{"shape " + to_text(shape) +
                   ", expected extents of at least 0 and at most 2^27 elements"};
    count *= extent;
  }
  auto data = std::make_shared<HostBuffer>(dtype_of(element), count);
  if (value != 0) {
    if (data->dtype() == DType::F32)
      std::ranges::fill(data->as<float>(), static_cast<float>(value));
    else
      for (std::int64_t n = 0; n < count; ++n) data->set(n, value);
  }
  return Constant{{element, shape}, std::move(data)};
}

Constant picked(const Constant& from, Shape shape, std::span<const std::int64_t> positions) {
  auto data =
      std::make_shared<HostBuffer>(from.data->dtype(), static_cast<std::int64_t>(positions.size()));
  for (std::size_t n = 0; n < positions.size(); ++n) {
    if (is_float(data->dtype()))
      set(*data, n, from.data->get(positions[n]));
    else
      set(*data, n, from.data->get_integer(positions[n]));
  }
  return {{from.type.element, std::move(shape)}, std::move(data)};
}

}  // namespace tessera::ops
