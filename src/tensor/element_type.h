#pragma once

#include "tensor/host_buffer.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tessera {

/// What an element is outside of compiled code: in an ONNX file, in a caller's memory. The numbers
/// are those of ONNX.
enum class ElementType : std::uint8_t {
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  UInt32 = 12,
  UInt64 = 13,
  BFloat16 = 16
};

std::string_view to_text(ElementType type);
std::optional<ElementType> parse_element_type(std::string_view text);
/// Nothing for numbers of types that are not known here, as strings and complex numbers.
std::optional<ElementType> element_type_of(std::int64_t onnx_number);
std::int64_t size_bytes(ElementType type);

/// What compiled code computes with: floats of any width as f32, integers below 32 bits as i32,
/// u32 and wider as i64.
DType dtype_of(ElementType type);
/// The element type that a dtype has by itself: Float, Int32, Int64, Bool.
ElementType element_type_of(DType dtype);

/// Whether elements are values of `dtype_of(type)` as they are. Not so for bool, an element of
/// which is any byte and a value of which is 0 or 1.
bool is_stored_as_is(ElementType type);

/// Elements in little-endian memory, aligned or not, as values of `dtype_of(type)`.
void decode(ElementType type, std::int64_t count, const void* elements, void* values);
/// The inverse: floats are rounded to nearest even, integers wrap.
void encode(ElementType type, std::int64_t count, const void* values, void* elements);

/// The same between bytes, of which there must be `count * size_bytes(type)`, and buffers.
HostBuffer decode(ElementType type, std::int64_t count, std::span<const std::byte> bytes);
void encode(const HostBuffer& values, ElementType type, std::span<std::byte> bytes);

}  // namespace tessera
