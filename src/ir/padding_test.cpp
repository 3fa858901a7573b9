#include "ir/padding.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

const Expr y = axis("y") - 1, x = axis("x") + 2;

Expr element(const Expr& row = y, const Expr& column = x) {
  return load("I", DType::F32, {row, column});
}

bool is_padded(const Expr& e) {
  return padded_read(e, [](const TensorId&) { return Shape{8, 16}; }) != nullptr;
}

TEST(PaddedRead, TestsIndicesAgainstTheirDimensions) {
  EXPECT_TRUE(is_padded(select(Expr(0) <= y, element(), real(0.0))));
  EXPECT_TRUE(is_padded(select(x < 16, element(), real(0.0))));
  EXPECT_TRUE(
      is_padded(select(Expr(0) <= y && y < 8 && Expr(0) <= x && x < 16, element(), real(0.0))));
}

TEST(PaddedRead, GivesTheLoad) {
  const Expr e = select(Expr(0) <= y, element(), real(0.0));
  const Load* found = padded_read(e, [](const TensorId&) { return Shape{8, 16}; });
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(Expr(ExprNode{*found}), element());
}

TEST(PaddedRead, IsNotAnyOtherSelect) {
  EXPECT_FALSE(is_padded(element()));
  EXPECT_FALSE(is_padded(select(Expr(0) <= y, element(), real(1.0))));
  EXPECT_FALSE(is_padded(select(Expr(0) <= y, element() * real(2.0), real(0.0))));
  EXPECT_FALSE(is_padded(select(y < 7, element(), real(0.0))));             // cuts off a row
  EXPECT_FALSE(is_padded(select(x < 8, element(), real(0.0))));             // the extent of another
  EXPECT_FALSE(is_padded(select(Expr(1) <= y, element(), real(0.0))));      // cuts off a row
  EXPECT_FALSE(is_padded(select(Expr(0) <= y + 1, element(), real(0.0))));  // another index
  EXPECT_FALSE(is_padded(select(Expr(0) <= y && axis("x") < 3, element(), real(0.0))));
  EXPECT_FALSE(is_padded(select(binary(BinaryOp::Or, Expr(0) <= y, x < 16), element(), real(0.0))));
}

}  // namespace
}  // namespace tessera
