#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

using enum ElementType;
using Integers = std::vector<std::int64_t>;

TestNode on_line(const std::string& op, std::int64_t window) {
  return TestNode(op, 22)
      .input({1, 1, 5}, {1, 2, 3, 4, 6})
      .attribute("kernel_shape", Integers{window});
}

TEST(PoolNodes, LetTheLastWindowHangOver) {
  const auto strided = [](const std::string& op) {
    return on_line(op, 2).attribute("strides", Integers{2});
  };
  strided("MaxPool").expect({1, 1, 2}, {2, 4});
  strided("MaxPool").attribute("ceil_mode", std::int64_t{1}).expect({1, 1, 3}, {2, 4, 6});
  strided("AveragePool").attribute("ceil_mode", std::int64_t{1}).expect({1, 1, 3}, {1.5, 3.5, 6});
}

TEST(PoolNodes, LeaveOutAWindowThatWouldBeginInThePaddingBehind) {
  TestNode("MaxPool")
      .input({1, 1, 2}, {1, 2})
      .attribute("kernel_shape", Integers{1})
      .attribute("strides", Integers{2})
      .attribute("pads", Integers{0, 0})
      .attribute("ceil_mode", std::int64_t{1})
      .expect({1, 1, 1}, {1});
}

TEST(PoolNodes, CountPaddingButNotWhatHangsOver) {
  on_line("AveragePool", 3)
      .attribute("pads", Integers{0, 1})
      .attribute("strides", Integers{2})
      .attribute("count_include_pad", std::int64_t{1})
      .attribute("ceil_mode", std::int64_t{1})
      .expect({1, 1, 3}, {2, 13.0 / 3, 3});
}

TEST(PoolNodes, AverageElementsOnly) {
  on_line("AveragePool", 3)
      .attribute("pads", Integers{1, 1})
      .attribute("strides", Integers{2})
      .expect({1, 1, 3}, {1.5, 3, 5});
}

TEST(PoolNodes, SayWhereTheMaximumWas) {
  const auto square = [](std::int64_t order) {
    return TestNode("MaxPool", 12)
        .input({1, 2, 2, 3}, {1, 5, 2, 3, 4, 5, 0, 0, 0, 0, 0, 7})
        .attribute("kernel_shape", Integers{2, 2})
        .attribute("storage_order", order)
        .outputs(2);
  };
  square(0).expect(0, {1, 2, 1, 2}, {5, 5, 0, 7});
  square(0).expect(1, {1, 2, 1, 2}, {1, 1, 6, 11}, Int64);
  square(1).expect(1, {1, 2, 1, 2}, {2, 2, 6, 11}, Int64);
}

TEST(PoolNodes, PoolIntegers) {
  TestNode("MaxPool")
      .input({1, 1, 3}, {1, 200, 3}, UInt8)
      .attribute("kernel_shape", Integers{2})
      .attribute("pads", Integers{1, 0})
      .expect({1, 1, 3}, {1, 200, 200}, UInt8);
  EXPECT_EQ(TestNode("AveragePool")
                .input({1, 1, 3}, {1, 200, 3}, UInt8)
                .attribute("kernel_shape", Integers{2})
                .refusal(),
            "AveragePool: not defined for i32");
}

TEST(PoolNodes, TakeNorms) {
  TestNode("LpPool")
      .input({1, 1, 3}, {3, -4, 12})
      .attribute("kernel_shape", Integers{2})
      .expect({1, 1, 2}, {5, 12.649111});
  TestNode("GlobalLpPool")
      .input({1, 1, 3}, {3, -4, 12})
      .attribute("p", std::int64_t{1})
      .expect({1, 1, 1}, {19});
  TestNode("GlobalLpPool")
      .input({1, 1, 2}, {1, -2})
      .attribute("p", std::int64_t{3})
      .expect({1, 1, 1}, {2.0800838});
  EXPECT_EQ(
      TestNode("GlobalLpPool").input({1, 1, 1}, {3}).attribute("p", std::int64_t{0}).refusal(),
      "GlobalLpPool \"node\": p is 0, expected a positive number");
}

TEST(PoolNodes, PoolWholeImages) {
  TestNode("GlobalAveragePool").input({1, 2, 2}, {1, 2, 3, 5}).expect({1, 2, 1}, {1.5, 4});
  TestNode("GlobalMaxPool").input({1, 2, 2}, {1, 2, 3, 5}).expect({1, 2, 1}, {2, 5});
}

TEST(PoolNodes, PutMaximaBack) {
  const auto unpool = [] {
    return TestNode("MaxUnpool")
        .input({1, 1, 2}, {-5, 7})
        .input({1, 1, 2}, {1, 2}, Int64)
        .attribute("kernel_shape", Integers{2})
        .attribute("strides", Integers{2});
  };
  unpool().expect({1, 1, 4}, {0, -5, 7, 0});
  unpool().input({3}, {1, 1, 5}, Int64).expect({1, 1, 5}, {0, -5, 7, 0, 0});
  EXPECT_EQ(unpool().input({1}, {5}, Int64).refusal(),
            "MaxUnpool \"node\": output shape [5], expected rank 3");
}

TEST(PoolNodes, RefuseAMissingWindow) {
  EXPECT_EQ(TestNode("MaxPool").input({1, 1, 3}, {1, 2, 3}).refusal(),
            "MaxPool: window 0, stride 1, dilation 1, padding 0:0; expected positive steps and no "
            "negative padding");
}

}  // namespace
}  // namespace tessera
