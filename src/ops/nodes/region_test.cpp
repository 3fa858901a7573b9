#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

using enum ElementType;

TestNode on_square(const std::string& op) {
  return TestNode(op, 16).input({1, 1, 3, 3}, {0, 1, 2, 10, 11, 12, 20, 21, 22});
}

TestNode align() {
  return on_square("RoiAlign")
      .input({1, 4}, {0, 0, 2, 2})
      .input({1}, {0}, Int64)
      .attribute("sampling_ratio", std::int64_t{1});
}

TEST(RegionNodes, SampleBetweenElements) {
  align()
      .attribute("coordinate_transformation_mode", "output_half_pixel")
      .attribute("output_width", std::int64_t{2})
      .expect({1, 1, 1, 2}, {10.5, 11.5});
  align().expect({1, 1, 1, 1}, {5.5});
  align().attribute("mode", "max").expect({1, 1, 1, 1}, {2.75});
}

TEST(RegionNodes, RefuseWhatDependsOnTheRegions) {
  EXPECT_EQ(align().attribute("sampling_ratio", std::int64_t{0}).refusal(),
            "RoiAlign \"node\": sampling_ratio is 0, expected a number of samples that does not "
            "depend on the regions");
  EXPECT_EQ(align().attribute("mode", "sum").refusal(),
            "RoiAlign \"node\": mode is \"sum\", expected avg or max");
  EXPECT_EQ(on_square("RoiAlign").input({4}, {0, 0, 2, 2}).input({1}, {0}, Int64).refusal(),
            "RoiAlign \"node\": images [1, 1, 3, 3] and regions [4], expected rank 4 and [4, 4]");
}

TEST(RegionNodes, PoolRegions) {
  const auto pool = [] { return on_square("MaxRoiPool").input({1, 5}, {0, 0, 0, 1, 2}); };
  pool()
      .attribute("pooled_shape", std::vector<std::int64_t>{3, 1})
      .expect({1, 1, 3, 1}, {1, 11, 21});
  EXPECT_EQ(pool().refusal(),
            "MaxRoiPool \"node\": pooled_shape is [], expected two positive numbers");
}

}  // namespace
}  // namespace tessera
