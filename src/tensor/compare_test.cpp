#include "tensor/compare.h"

#include <gtest/gtest.h>

#include <limits>

namespace tessera {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

HostBuffer reals(std::initializer_list<double> values) {
  HostBuffer buffer(DType::F32, static_cast<std::int64_t>(values.size()));
  std::int64_t at = 0;
  for (const double value : values) buffer.set(at++, value);
  return buffer;
}

TEST(Compare, AllowsTheTolerance) {
  const Comparison result = compare(reals({1, 1000}), reals({1.05, 1009}), {0.1, 0.01});
  EXPECT_TRUE(result.equal);
  EXPECT_EQ(result.max_error, 9);
  EXPECT_EQ(result.max_relative_error, 9.0 / 1009);
  EXPECT_EQ(result.message, "");
}

TEST(Compare, NamesTheElementFurthestOutsideIt) {
  const Comparison result = compare(reals({1000, 1.5, 3}), reals({1009, 2, 3}), {0.1, 0.01});
  EXPECT_FALSE(result.equal);
  EXPECT_EQ(result.worst_element, 1);
  EXPECT_EQ(result.message, "element 1: got 1.5, expected 2");
}

TEST(Compare, TellsNanAndInfinityApart) {
  EXPECT_TRUE(compare(reals({nan, inf, -inf}), reals({nan, inf, -inf}), {}).equal);
  EXPECT_EQ(compare(reals({nan}), reals({1}), {}).message, "element 0: got nan, expected 1");
  EXPECT_EQ(compare(reals({1}), reals({nan}), {}).message, "element 0: got 1, expected nan");
  EXPECT_EQ(compare(reals({inf}), reals({-inf}), {}).message, "element 0: got inf, expected -inf");
  EXPECT_EQ(compare(reals({1}), reals({inf}), {}).message, "element 0: got 1, expected inf");
}

TEST(Compare, WantsIntegersEqual) {
  HostBuffer got(DType::I64, 1), want(DType::I64, 1);
  got.set_integer(0, (std::int64_t{1} << 53) + 1);
  want.set_integer(0, std::int64_t{1} << 53);
  EXPECT_EQ(compare(got, want, {1e9, 1}).message,
            "element 0: got 9007199254740993, expected 9007199254740992");
}

TEST(Compare, WantsOneSizeAndType) {
  EXPECT_EQ(compare(reals({1, 2}), reals({1}), {}).message,
            "got 2 elements of f32, expected 1 elements of f32");
  EXPECT_FALSE(compare(reals({1}), HostBuffer(DType::I32, 1), {}).equal);
}

}  // namespace
}  // namespace tessera
