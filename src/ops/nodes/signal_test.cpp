#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

constexpr ElementType i64 = ElementType::Int64;

TEST(SignalNodes, GiveWindows) {
  TestNode("HannWindow").input({}, {4}, i64).expect({4}, {0, 0.5, 1, 0.5});
  TestNode("HannWindow").input({}, {3}, i64).attribute("periodic", 0).expect({3}, {0, 1, 0});
  TestNode("HammingWindow").input({}, {2}, i64).expect({2}, {2.0 / 23, 1});
  TestNode("BlackmanWindow").input({}, {2}, i64).expect({2}, {0, 1});
  EXPECT_EQ(TestNode("HannWindow").input({}, {0}, i64).refusal(),
            "size [0] of element type 1, expected one of 1 to 2^30 and a known type");
}

TEST(SignalNodes, GiveMelWeights) {
  const auto weights = [](double highest) {
    return TestNode("MelWeightMatrix")
        .input({}, {2}, i64)
        .input({}, {8}, i64)
        .input({}, {1000}, i64)
        .input({}, {0})
        .input({}, {highest});
  };
  weights(500).expect({5, 2}, {1, 0, 0, 1, 0, 0.5, 0, 0, 0, 0});
  EXPECT_EQ(
      weights(2000).refusal(),
      "expected 1 to 4096 mel bins, a length of 1 to 2^20 and frequencies up to the sample rate");
}

TEST(SignalNodes, TransformRealSignals) {
  const auto dft = [] { return TestNode("DFT").input({1, 4, 1}, {1, 2, 3, 4}); };
  dft().expect({1, 4, 2}, {10, 0, -2, 2, -2, 0, -2, -2});
  dft().attribute("onesided", 1).expect({1, 3, 2}, {10, 0, -2, 2, -2, 0});
  dft().input({}, {2}, i64).expect({1, 2, 2}, {3, 0, -1, 0});
  TestNode("DFT", 17)
      .input({1, 4, 1}, {1, 2, 3, 4})
      .attribute("onesided", 1)
      .expect({1, 3, 2}, {10, 0, -2, 2, -2, 0});
}

TEST(SignalNodes, TransformBack) {
  TestNode("DFT")
      .input({1, 4, 2}, {10, 0, -2, 2, -2, 0, -2, -2})
      .attribute("inverse", 1)
      .expect({1, 4, 2}, {1, 0, 2, 0, 3, 0, 4, 0});
  TestNode("DFT")
      .input({1, 3, 2}, {10, 0, -2, 2, -2, 0})
      .attribute("inverse", 1)
      .attribute("onesided", 1)
      .expect({1, 4, 1}, {1, 2, 3, 4});
}

TEST(SignalNodes, TransformAlongAnAxis) {
  TestNode("DFT")
      .input({2, 2, 1}, {1, 2, 3, 4})
      .absent_input()
      .input({}, {0}, i64)
      .expect({2, 2, 2}, {4, 0, 6, 0, -2, 0, -2, 0});
  EXPECT_EQ(TestNode("DFT").input({2, 1}, {1, 2}).absent_input().input({}, {1}, i64).refusal(),
            "axis 1 of shape [2, 1], expected one before the last");
  EXPECT_EQ(TestNode("DFT").input({1, 3}, {1, 2, 3}).refusal(),
            "expected a last dimension of 1 or 2 and a positive length, got 3 and 1");
  EXPECT_EQ(TestNode("DFT").unknown_input({1 << 20, 1}).refusal(),
            "a transform of length 1048576, expected a matrix of at most 2^26 elements");
}

TEST(SignalNodes, TransformFrames) {
  const auto stft = [] {
    return TestNode("STFT").input({1, 4, 1}, {1, 2, 3, 4}).input({}, {2}, i64);
  };
  stft().absent_input().input({}, {2}, i64).expect({1, 2, 2, 2}, {3, 0, -1, 0, 7, 0, -1, 0});
  stft().input({2}, {1, 2}).expect({1, 2, 2, 2}, {5, 0, -3, 0, 11, 0, -5, 0});
  EXPECT_EQ(stft().absent_input().input({}, {5}, i64).refusal(),
            "frames of 5 every 2 of a signal of 4");
  EXPECT_EQ(stft().input({}, {1}).refusal(), "window of shape [], expected one dimension");
  EXPECT_EQ(TestNode("STFT")
                .unknown_input({1, 1 << 24, 1})
                .input({}, {1}, i64)
                .absent_input()
                .input({}, {8}, i64)
                .refusal(),
            "16777209 frames of 8, expected at most 2^26 elements");
}

}  // namespace
}  // namespace tessera
