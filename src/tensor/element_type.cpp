#include "tensor/element_type.h"

#include "base/check.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace tessera {
namespace {

struct Row {
  ElementType type;
  std::string_view text;
  std::int64_t size_bytes;
  DType dtype;
};

constexpr std::array rows{Row{ElementType::Float, "float", 4, DType::F32},
                          Row{ElementType::UInt8, "uint8", 1, DType::I32},
                          Row{ElementType::Int8, "int8", 1, DType::I32},
                          Row{ElementType::UInt16, "uint16", 2, DType::I32},
                          Row{ElementType::Int16, "int16", 2, DType::I32},
                          Row{ElementType::Int32, "int32", 4, DType::I32},
                          Row{ElementType::Int64, "int64", 8, DType::I64},
                          Row{ElementType::Bool, "bool", 1, DType::Bool},
                          Row{ElementType::Float16, "float16", 2, DType::F32},
                          Row{ElementType::Double, "double", 8, DType::F32},
                          Row{ElementType::UInt32, "uint32", 4, DType::I64},
                          Row{ElementType::UInt64, "uint64", 8, DType::I64},
                          Row{ElementType::BFloat16, "bfloat16", 2, DType::F32}};

const Row& row_of(ElementType type) {
  for (const Row& row : rows)
    if (row.type == type) return row;
  fail("a known element type");
}

float from_half(std::uint16_t bits) {
  const int sign = bits >> 15;
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  float magnitude = 0;
  if (exponent == 31)
    magnitude = fraction == 0 ? INFINITY : NAN;
  else if (exponent == 0)
    magnitude = std::ldexp(static_cast<float>(fraction), -24);
  else
    magnitude = std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  return sign != 0 ? -magnitude : magnitude;
}

/// The value in units of the last place of a half of its size, rounded to even.
std::uint16_t to_half(float value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const float magnitude = std::abs(value);
  if (magnitude == 0) return sign;
  if (std::isnan(value)) return sign | 0x7e00;
  if (magnitude >= 65520) return sign | 0x7c00;  // halfway past the largest half, and infinity
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int ulp = std::max(exponent - 11, -24);
  const auto units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, -ulp)));
  // Units of a normal number hold the hidden bit, which adds one to the exponent field.
  return static_cast<std::uint16_t>(sign + ((ulp + 24) << 10) + units);
}

float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t to_bfloat16(float value) {
  if (std::isnan(value)) return 0x7fc0;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

template <typename To, typename From, typename Convert>
void convert_each(std::int64_t count, const void* from, void* to, const Convert& convert) {
  for (std::int64_t n = 0; n < count; ++n) {
    From value;
    std::memcpy(&value, static_cast<const char*>(from) + n * std::int64_t{sizeof(From)},
                sizeof(From));
    const To converted = convert(value);
    std::memcpy(static_cast<char*>(to) + n * std::int64_t{sizeof(To)}, &converted, sizeof(To));
  }
}

/// Elements that are converted as C++ does, and what they are converted to.
template <typename E, typename V>
struct Cast {
  using Element = E;
  using Value = V;
};

/// Calls `f` with the Cast of a type that is neither stored as it is, nor bool, nor a half.
template <typename F>
void with_cast(ElementType type, const F& f) {
  switch (type) {
    case ElementType::UInt8:
      return f(Cast<std::uint8_t, std::int32_t>{});
    case ElementType::Int8:
      return f(Cast<std::int8_t, std::int32_t>{});
    case ElementType::UInt16:
      return f(Cast<std::uint16_t, std::int32_t>{});
    case ElementType::Int16:
      return f(Cast<std::int16_t, std::int32_t>{});
    case ElementType::UInt32:
      return f(Cast<std::uint32_t, std::int64_t>{});
    case ElementType::Double:
      return f(Cast<double, float>{});
    default:
      fail("an element type that is cast");
  }
}

std::uint8_t truth(std::uint8_t byte) { return byte != 0 ? 1 : 0; }

}  // namespace

std::string_view to_text(ElementType type) { return row_of(type).text; }

std::optional<ElementType> parse_element_type(std::string_view text) {
  for (const Row& row : rows)
    if (row.text == text) return row.type;
  return std::nullopt;
}

std::optional<ElementType> element_type_of(std::int64_t onnx_number) {
  for (const Row& row : rows)
    if (static_cast<std::int64_t>(row.type) == onnx_number) return row.type;
  return std::nullopt;
}

std::int64_t size_bytes(ElementType type) { return row_of(type).size_bytes; }

DType dtype_of(ElementType type) { return row_of(type).dtype; }

ElementType element_type_of(DType dtype) {
  switch (dtype) {
    case DType::F32:
      return ElementType::Float;
    case DType::I32:
      return ElementType::Int32;
    case DType::I64:
      return ElementType::Int64;
    case DType::Bool:
      return ElementType::Bool;
  }
  fail("a known dtype");
}

bool is_stored_as_is(ElementType type) {
  return type == ElementType::Float || type == ElementType::Int32 || type == ElementType::Int64 ||
         type == ElementType::UInt64;
}

void decode(ElementType type, std::int64_t count, const void* elements, void* values) {
  if (is_stored_as_is(type)) {
    std::memcpy(values, elements, static_cast<std::size_t>(count * size_bytes(type)));
  } else if (type == ElementType::Bool) {
    convert_each<std::uint8_t, std::uint8_t>(count, elements, values, truth);
  } else if (type == ElementType::Float16) {
    convert_each<float, std::uint16_t>(count, elements, values, from_half);
  } else if (type == ElementType::BFloat16) {
    convert_each<float, std::uint16_t>(count, elements, values, from_bfloat16);
  } else {
    with_cast(type, [&]<typename E, typename V>(Cast<E, V>) {
      convert_each<V, E>(count, elements, values, [](E e) { return static_cast<V>(e); });
    });
  }
}

void encode(ElementType type, std::int64_t count, const void* values, void* elements) {
  if (is_stored_as_is(type)) {
    std::memcpy(elements, values, static_cast<std::size_t>(count * size_bytes(type)));
  } else if (type == ElementType::Bool) {
    convert_each<std::uint8_t, std::uint8_t>(count, values, elements, truth);
  } else if (type == ElementType::Float16) {
    convert_each<std::uint16_t, float>(count, values, elements, to_half);
  } else if (type == ElementType::BFloat16) {
    convert_each<std::uint16_t, float>(count, values, elements, to_bfloat16);
  } else {
    with_cast(type, [&]<typename E, typename V>(Cast<E, V>) {
      convert_each<E, V>(count, values, elements, [](V v) { return static_cast<E>(v); });
    });
  }
}

HostBuffer decode(ElementType type, std::int64_t count, std::span<const std::byte> bytes) {
  check(static_cast<std::int64_t>(bytes.size()) == count * size_bytes(type),
        "as many bytes as the elements have");
  HostBuffer out(dtype_of(type), count);
  if (count > 0) decode(type, count, bytes.data(), out.data());
  return out;
}

void encode(const HostBuffer& values, ElementType type, std::span<std::byte> bytes) {
  const std::int64_t count = values.element_count();
  check(values.dtype() == dtype_of(type), "values of the dtype of the element type");
  check(static_cast<std::int64_t>(bytes.size()) == count * size_bytes(type),
        "as many bytes as the elements have");
  if (count > 0) encode(type, count, values.data(), bytes.data());
}

}  // namespace tessera
