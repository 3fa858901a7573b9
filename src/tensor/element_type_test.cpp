#include "tensor/element_type.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>

namespace tessera {
namespace {

constexpr std::array all{ElementType::Float,   ElementType::UInt8,  ElementType::Int8,
                         ElementType::UInt16,  ElementType::Int16,  ElementType::Int32,
                         ElementType::Int64,   ElementType::Bool,   ElementType::Float16,
                         ElementType::Double,  ElementType::UInt32, ElementType::UInt64,
                         ElementType::BFloat16};

std::vector<std::byte> encoded(const HostBuffer& values, ElementType type) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(values.element_count() * size_bytes(type)));
  encode(values, type, bytes);
  return bytes;
}

HostBuffer floats(const std::vector<float>& values) {
  HostBuffer out(DType::F32, static_cast<std::int64_t>(values.size()));
  for (std::size_t n = 0; n < values.size(); ++n) out.as<float>()[n] = values[n];
  return out;
}

TEST(ElementType, IsReadBackFromItsText) {
  for (const ElementType type : all) EXPECT_EQ(parse_element_type(to_text(type)), type);
  EXPECT_FALSE(parse_element_type("string"));
}

TEST(ElementType, KnowsTheNumbersOfOnnx) {
  for (const ElementType type : all)
    EXPECT_EQ(element_type_of(static_cast<std::int64_t>(type)), type);
  EXPECT_FALSE(element_type_of(8));  // string
}

TEST(ElementType, DecodesWhatItEncodes) {
  for (const ElementType type : all) {
    HostBuffer values(dtype_of(type), 5);
    for (std::int64_t n = 0; n < 5; ++n)
      values.set(n, static_cast<double>(type == ElementType::Bool ? n % 2 : n));
    const HostBuffer got = decode(type, 5, encoded(values, type));
    for (std::int64_t n = 0; n < 5; ++n) EXPECT_EQ(got.get(n), values.get(n)) << to_text(type);
  }
}

TEST(ElementType, RoundTripsEveryHalf) {
  for (int bits = 0; bits < 65536; ++bits) {
    std::array<std::byte, 2> bytes{static_cast<std::byte>(bits & 255),
                                   static_cast<std::byte>(bits >> 8)};
    const HostBuffer value = decode(ElementType::Float16, 1, bytes);
    if (std::isnan(value.get(0))) continue;
    const std::vector<std::byte> back = encoded(value, ElementType::Float16);
    EXPECT_TRUE(back[0] == bytes[0] && back[1] == bytes[1]) << bits;
  }
}

TEST(ElementType, RoundsHalvesToNearestEven) {
  const auto rounded = [](float value) {
    return decode(ElementType::Float16, 1, encoded(floats({value}), ElementType::Float16)).get(0);
  };
  EXPECT_EQ(rounded(2049), 2048);
  EXPECT_EQ(rounded(2051), 2052);
  EXPECT_EQ(rounded(65519), 65504);
  EXPECT_EQ(rounded(65520), INFINITY);
  EXPECT_EQ(rounded(1e-8F), 0);
}

TEST(ElementType, RoundsBFloat16ToNearestEven) {
  const auto rounded = [](float value) {
    return decode(ElementType::BFloat16, 1, encoded(floats({value}), ElementType::BFloat16)).get(0);
  };
  EXPECT_EQ(rounded(257), 256);
  EXPECT_EQ(rounded(259), 260);
  EXPECT_TRUE(std::isnan(rounded(NAN)));
}

TEST(ElementType, IntegersWrap) {
  HostBuffer values(DType::I32, 1);
  values.set_integer(0, 300);
  EXPECT_EQ(decode(ElementType::UInt8, 1, encoded(values, ElementType::UInt8)).get(0), 44);
}

TEST(ElementType, TakesAnyByteButZeroForTrue) {
  const std::array<std::uint8_t, 3> elements = {0, 1, 255};
  std::array<std::uint8_t, 3> values{};
  decode(ElementType::Bool, 3, elements.data(), values.data());
  EXPECT_EQ(values, (std::array<std::uint8_t, 3>{0, 1, 1}));
}

TEST(ElementType, ConvertsMemoryThatIsNotAligned) {
  for (const ElementType type : all) {
    HostBuffer values(dtype_of(type), 3), back(dtype_of(type), 3);
    values.set(1, 1);
    std::array<std::byte, 32> memory{};
    encode(type, 3, values.data(), memory.data() + 1);
    decode(type, 3, memory.data() + 1, back.data());
    for (std::int64_t n = 0; n < 3; ++n) EXPECT_EQ(back.get(n), values.get(n)) << to_text(type);
  }
}

TEST(ElementType, StoredAsIsHasTheMemoryOfItsDtype) {
  for (const ElementType type : all)
    EXPECT_TRUE(!is_stored_as_is(type) || size_bytes(type) == size_bytes(dtype_of(type)))
        << to_text(type);
  EXPECT_TRUE(is_stored_as_is(ElementType::Float));
  EXPECT_FALSE(is_stored_as_is(ElementType::Bool));
}

}  // namespace
}  // namespace tessera
