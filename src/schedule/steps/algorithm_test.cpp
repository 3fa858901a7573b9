#include "base/text.h"
#include "ir/text.h"
#include "support/expect_step.h"
#include "support/golden.h"
#include "support/small_tasks.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

constexpr std::string_view not_winograd =
    "algorithm C: not a plain 3x3 convolution of stride 1 with constant weights";

/// A convolution with its taps, stride and weights as told.
Computation other_conv(const std::string& taps, const std::string& stride,
                       const std::string& weights) {
  return *parse_computation(
      "computation conv\ninput I f32[1, 2, 12, 12]\n" + weights + " W f32[2, 2, " + taps + ", " +
      taps + "]\n" + "stage C f32[n:1, o:2, y:4, x:4] = sum[c:2, r:" + taps + ", s:" + taps +
      "] I[n, c, y * " + stride + " + r, x * " + stride + " + s] * W[o, c, r, s]\noutput C\n");
}

TEST(ChooseAlgorithm, DirectChangesNothing) {
  EXPECT_EQ(scheduled(conv({}), {ChooseAlgorithm{"C", Algorithm::Direct}}), to_program(conv({})));
}

TEST(ChooseAlgorithm, WinogradMakesANestPerTransform) {
  // What is stored where; loops and the long sums left out.
  std::string text;
  for (const std::string& line :
       split_lines(to_text(scheduled(conv({}), {ChooseAlgorithm{"C", Algorithm::Winograd2}})))) {
    const std::string_view rest = trimmed(line);
    if (!rest.starts_with("for") && rest != "}") text += std::string(rest.substr(0, 80)) + "\n";
  }
  expect_golden(text);
}

TEST(ChooseAlgorithm, WinogradComputesTheSame) {
  for (const Algorithm algorithm : {Algorithm::Winograd2, Algorithm::Winograd4})
    for (const std::int64_t size : {5, 6, 9})
      for (const std::int64_t pad : {0, 1, 2})
        expect_same(conv({.images = 2, .inputs = 3, .outputs = 2, .size = size, .pad = pad}),
                    {ChooseAlgorithm{"C", algorithm}});
}

TEST(ChooseAlgorithm, RefusesWhatIsNoConvolutionForWinograd) {
  const auto winograd = [](const Computation& c, Schedule before = {}) {
    before.push_back(ChooseAlgorithm{"C", Algorithm::Winograd4});
    return refusal(c, before);
  };
  EXPECT_EQ(winograd(matmul(4, 4, 4)), not_winograd);
  EXPECT_EQ(winograd(other_conv("3", "2", "constant")), not_winograd);
  EXPECT_EQ(winograd(other_conv("5", "1", "constant")), not_winograd);
  EXPECT_EQ(winograd(other_conv("3", "1", "input")), not_winograd);
  EXPECT_EQ(winograd(other_conv("3", "1", "constant")), "accepted");
  EXPECT_EQ(winograd(conv({}), {Reorder{{"C.o", "C.n"}}}), not_winograd);
  EXPECT_EQ(winograd(conv({}), {Split{"C.c", {2}}}), not_winograd);
}

TEST(ChooseAlgorithm, RefusesAStageThatNothingComputes) {
  expect_refusal(conv({}), {ChooseAlgorithm{"I", Algorithm::Direct}},
                 "algorithm I: no nest computes it");
}

}  // namespace
}  // namespace tessera
