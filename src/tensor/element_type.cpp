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

template <typename T>
T read(std::span<const std::byte> bytes, std::int64_t n) {
  T value;
  std::memcpy(&value, bytes.data() + n * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <typename T>
void write(std::span<std::byte> bytes, std::int64_t n, T value) {
  std::memcpy(bytes.data() + n * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
}

/// Calls `f` with a value of the C++ type that stands for integers and wide floats of `type`.
template <typename F>
void with_number(ElementType type, const F& f) {
  switch (type) {
    case ElementType::UInt8:
      return f(std::uint8_t{});
    case ElementType::Int8:
      return f(std::int8_t{});
    case ElementType::UInt16:
      return f(std::uint16_t{});
    case ElementType::Int16:
      return f(std::int16_t{});
    case ElementType::UInt32:
      return f(std::uint32_t{});
    case ElementType::Double:
      return f(double{});
    default:
      fail("an element type that is stored in another dtype");
  }
}

/// Whether memory of `type` is memory of its dtype.
bool is_stored_as_is(ElementType type) {
  return type == ElementType::Float || type == ElementType::Int32 || type == ElementType::Int64 ||
         type == ElementType::UInt64;
}

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

HostBuffer decode(ElementType type, std::int64_t count, std::span<const std::byte> bytes) {
  check(static_cast<std::int64_t>(bytes.size()) == count * size_bytes(type),
        "as many bytes as the elements have");
  HostBuffer out(dtype_of(type), count);
  if (is_stored_as_is(type)) {
    if (!bytes.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  }
  if (type == ElementType::Bool) {
    for (std::int64_t n = 0; n < count; ++n)
      out.set_integer(n, read<std::uint8_t>(bytes, n) != 0 ? 1 : 0);
    return out;
  }
  if (type == ElementType::Float16 || type == ElementType::BFloat16) {
    const auto convert = type == ElementType::Float16 ? from_half : from_bfloat16;
    for (std::int64_t n = 0; n < count; ++n)
      out.as<float>()[static_cast<std::size_t>(n)] = convert(read<std::uint16_t>(bytes, n));
    return out;
  }
  with_number(type, [&]<typename T>(T) {
    for (std::int64_t n = 0; n < count; ++n) {
      if constexpr (std::is_same_v<T, double>)
        out.as<float>()[static_cast<std::size_t>(n)] = static_cast<float>(read<T>(bytes, n));
      else
        out.set_integer(n, read<T>(bytes, n));
    }
  });
  return out;
}

void encode(const HostBuffer& values, ElementType type, std::span<std::byte> bytes) {
  const std::int64_t count = values.element_count();
  check(values.dtype() == dtype_of(type), "values of the dtype of the element type");
  check(static_cast<std::int64_t>(bytes.size()) == count * size_bytes(type),
        "as many bytes as the elements have");
  if (is_stored_as_is(type)) {
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return;
  }
  if (type == ElementType::Bool) {
    for (std::int64_t n = 0; n < count; ++n)
      write(bytes, n, static_cast<std::uint8_t>(values.get_integer(n) != 0 ? 1 : 0));
    return;
  }
  if (type == ElementType::Float16 || type == ElementType::BFloat16) {
    const auto convert = type == ElementType::Float16 ? to_half : to_bfloat16;
    for (std::int64_t n = 0; n < count; ++n)
      write(bytes, n, convert(values.as<float>()[static_cast<std::size_t>(n)]));
    return;
  }
  with_number(type, [&]<typename T>(T) {
    for (std::int64_t n = 0; n < count; ++n) {
      if constexpr (std::is_same_v<T, double>)
        write(bytes, n, static_cast<T>(values.as<float>()[static_cast<std::size_t>(n)]));
      else
        write(bytes, n, static_cast<T>(values.get_integer(n)));
    }
  });
}

}  // namespace tessera
