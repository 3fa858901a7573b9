#include "tensor/dtype.h"

#include "base/check.h"

#include <array>
#include <limits>
#include <utility>

namespace tessera {
namespace {

constexpr std::array<std::pair<DType, std::string_view>, 4> names{{
    {DType::F32, "f32"},
    {DType::I32, "i32"},
    {DType::I64, "i64"},
    {DType::Bool, "bool"},
}};

}  // namespace

std::string_view to_text(DType dtype) {
  for (const auto& [value, name] : names)
    if (value == dtype) return name;
  fail("a listed dtype");
}

std::optional<DType> parse_dtype(std::string_view text) {
  for (const auto& [value, name] : names)
    if (name == text) return value;
  return std::nullopt;
}

std::int64_t size_bytes(DType dtype) {
  switch (dtype) {
    case DType::F32:
    case DType::I32:
      return 4;
    case DType::I64:
      return 8;
    case DType::Bool:
      return 1;
  }
  fail("a listed dtype");
}

bool is_float(DType dtype) { return dtype == DType::F32; }

std::int64_t truncated(double value, DType dtype) {
  if (dtype == DType::Bool) return value != 0 ? 1 : 0;
  using Wide = std::numeric_limits<std::int64_t>;
  using Narrow = std::numeric_limits<std::int32_t>;
  const bool is_narrow = dtype == DType::I32;
  const std::int64_t low = is_narrow ? Narrow::min() : Wide::min();
  const std::int64_t high = is_narrow ? Narrow::max() : Wide::max();
  if (!(value > static_cast<double>(low))) return low;
  if (value >= static_cast<double>(high)) return high;
  return static_cast<std::int64_t>(value);
}

}  // namespace tessera
