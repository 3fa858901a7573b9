#include "ops/nodes/test_node.h"

#include <limits>

namespace tessera {
namespace {

using enum ElementType;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TestNode on(const std::string& op, ElementType element, const std::vector<double>& a,
            const std::vector<double>& b) {
  return TestNode(op)
      .input({static_cast<std::int64_t>(a.size())}, a, element)
      .input({static_cast<std::int64_t>(b.size())}, b, element);
}

TEST(LogicNodes, CompareNumbers) {
  const std::vector<double> a = {1, 2, 3}, b = {2, 2, 2};
  for (const ElementType element : {Float, Int32, Int64}) {
    on("Less", element, a, b).expect({3}, {1, 0, 0}, Bool);
    on("LessOrEqual", element, a, b).expect({3}, {1, 1, 0}, Bool);
    on("Greater", element, a, b).expect({3}, {0, 0, 1}, Bool);
    on("GreaterOrEqual", element, a, b).expect({3}, {0, 1, 1}, Bool);
    on("Equal", element, a, b).expect({3}, {0, 1, 0}, Bool);
  }
  on("Less", UInt64, {-1, 1}, {1, -1}).expect({2}, {0, 1}, Bool);  // -1 has the bits of 2^64 - 1
  on("Equal", Bool, {1, 0}, {1, 1}).expect({2}, {1, 0}, Bool);
  EXPECT_EQ(on("Less", Bool, {1}, {1}).refusal(), "Less \"node\": not defined for bool");
}

TEST(LogicNodes, JoinBooleans) {
  const std::vector<double> a = {0, 0, 1, 1}, b = {0, 1, 0, 1};
  on("And", Bool, a, b).expect({4}, {0, 0, 0, 1}, Bool);
  on("Or", Bool, a, b).expect({4}, {0, 1, 1, 1}, Bool);
  on("Xor", Bool, a, b).expect({4}, {0, 1, 1, 0}, Bool);
  TestNode("Not").input({2}, {0, 1}, Bool).expect({2}, {1, 0}, Bool);
  EXPECT_EQ(on("And", Float, {1}, {1}).refusal(), "And \"node\": not defined for f32");
}

TEST(LogicNodes, FindWhatIsNoNumber) {
  TestNode("IsNaN").input({3}, {1, nan, infinity}).expect({3}, {0, 1, 0}, Bool);
  const auto is_inf = [] { return TestNode("IsInf").input({3}, {-infinity, nan, infinity}); };
  is_inf().expect({3}, {1, 0, 1}, Bool);
  is_inf().attribute("detect_negative", std::int64_t{0}).expect({3}, {0, 0, 1}, Bool);
  is_inf().attribute("detect_positive", std::int64_t{0}).expect({3}, {1, 0, 0}, Bool);
}

TEST(LogicNodes, ChooseElements) {
  TestNode("Where")
      .input({2}, {1, 0}, Bool)
      .input({2}, {1, 2}, Int64)
      .input({}, {9}, Int64)
      .expect({2}, {1, 9}, Int64);
}

}  // namespace
}  // namespace tessera
