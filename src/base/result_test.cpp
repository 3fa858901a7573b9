#include "base/result.h"

#include "base/check.h"

#include <gtest/gtest.h>

#include <memory>

namespace tessera {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return Error{"half of " + std::to_string(value) + ": not even"};
  return value / 2;
}

TEST(Result, HoldsAValue) {
  const Result<int> got = half(8);
  ASSERT_TRUE(got);
  EXPECT_TRUE(got.has_value());
  EXPECT_EQ(*got, 4);
}

TEST(Result, HoldsTheReason) {
  const Result<int> got = half(7);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().message, "half of 7: not even");
}

TEST(Result, MovesItsValueOut) {
  Result<std::unique_ptr<int>> got = std::make_unique<int>(3);
  const std::unique_ptr<int> value = *std::move(got);
  EXPECT_EQ(*value, 3);
}

TEST(Result, OfVoidIsSuccessUnlessAnErrorIsGiven) {
  EXPECT_TRUE(Result<void>());
  const Result<void> got = Error{"no"};
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error(), Error{"no"});
}

TEST(Result, DistinguishesATextFromAnErrorText) {
  const Result<std::string> text = std::string("fine");
  const Result<std::string> error = Error{"fine"};
  EXPECT_TRUE(text);
  EXPECT_FALSE(error);
}

TEST(Check, ThrowsTheClaimWithItsPlace) {
  EXPECT_NO_THROW(check(true, "nothing"));
  try {
    check(false, "a sorted list");
    FAIL() << "no exception";
  } catch (const InternalError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("result_test.cpp:"), std::string::npos) << message;
    EXPECT_NE(message.find("expected: a sorted list"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace tessera
