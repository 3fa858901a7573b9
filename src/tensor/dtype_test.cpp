#include "tensor/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tessera {
namespace {

TEST(DType, PrintsAndParses) {
  for (const DType dtype : {DType::F32, DType::I32, DType::I64, DType::Bool})
    EXPECT_EQ(parse_dtype(to_text(dtype)), dtype);
  EXPECT_EQ(parse_dtype("f64"), std::nullopt);
}

TEST(DType, TruncatesIntoRange) {
  EXPECT_EQ(truncated(-2.9, DType::I32), -2);
  EXPECT_EQ(truncated(1e300, DType::I32), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(truncated(-1e300, DType::I64), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(truncated(0x1p63, DType::I64), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(truncated(std::nan(""), DType::I32), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(truncated(0.5, DType::Bool), 1);
}

}  // namespace
}  // namespace tessera
