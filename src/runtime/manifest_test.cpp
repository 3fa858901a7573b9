#include "runtime/manifest.h"

#include "support/golden.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tessera {
namespace {

using Where = BufferPlace::Where;

Manifest sample() {
  Manifest manifest;
  manifest.tool = "tessera 1.2.3";
  manifest.target = "aarch64-neon cores=4";
  manifest.arch = Arch::AArch64;
  manifest.features = {"+neon"};
  manifest.plan.name = "net";
  manifest.plan.inputs = {{"x", ElementType::Float16, {2, 3}}, {"n", ElementType::Int64, {}}};
  manifest.plan.outputs = {{"y", ElementType::Float, {64}}};
  manifest.plan.kernels = {{"k0", "unroll a\n"}, {"k1"}};
  manifest.plan.calls = {{0,
                          {{Where::Input, 1, 0}, {Where::Weights, 0, 64}, {Where::Arena, 0, 128}},
                          64,
                          "first",
                          12,
                          64},
                         {1,
                          {{Where::Input, 0, 0}, {Where::Arena, 0, 128}, {Where::Output, 0, 64}},
                          0,
                          "second",
                          0.5,
                          0}};
  manifest.plan.arena_bytes = 200;
  manifest.plan.weights_bytes = 1000;
  return manifest;
}

/// The refusal of a sample that `change` has made unsound.
template <typename Change>
std::string refusal(const Change& change) {
  ExecutionPlan plan = sample().plan;
  change(plan);
  const Result<void> sound = verify(plan);
  return sound ? "accepted" : sound.error().message;
}

/// The refusal of the sample's JSON in which `old` is replaced.
std::string refusal(const std::string& old, const std::string& replacement) {
  std::string json = *to_json(sample());
  const std::size_t at = json.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  const Result<Manifest> got = parse_manifest(json.replace(at, old.size(), replacement));
  return got ? "accepted" : got.error().message;
}

TEST(Manifest, IsReadBackFromJson) {
  const Result<std::string> json = to_json(sample());
  ASSERT_TRUE(json);
  const Result<Manifest> back = parse_manifest(*json);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, sample());
}

TEST(Manifest, IsPlainJson) { expect_golden(*to_json(sample()) + "\n"); }

TEST(ExecutionPlan, PrintsALinePerCall) {
  EXPECT_EQ(to_text(sample().plan),
            "plan net\n"
            "input x float16[2, 3]\n"
            "input n int64[]\n"
            "output y float[64]\n"
            "arena 200 bytes\n"
            "weights 1000 bytes\n"
            "k0(n, weights+64, arena+128)  # first\n"
            "k1(x, arena+128, y+64)  # second\n");
}

TEST(Manifest, RefusesNamesThatAreNotUtf8) {
  Manifest manifest = sample();
  manifest.plan.inputs[0].name = "\xff";
  const Result<std::string> json = to_json(manifest);
  ASSERT_FALSE(json);
  EXPECT_TRUE(json.error().message.ends_with("invalid UTF-8 byte at index 0: 0xFF"))
      << json.error().message;
}

TEST(Manifest, RefusesWordsItDoesNotKnow) {
  EXPECT_EQ(refusal("float16", "float12"), "manifest: unknown element type \"float12\"");
  EXPECT_EQ(refusal("[\"arena\"", "[\"disk\""), "manifest: unknown place \"disk\"");
  EXPECT_EQ(refusal("aarch64\"", "vax\""), "manifest: unknown architecture \"vax\"");
}

TEST(Manifest, RefusesOtherShapesOfJsonAndSaysWhere) {
  const auto expect = [](const std::string& old, const std::string& with, const char* where) {
    const std::string message = refusal(old, with);
    EXPECT_TRUE(message.starts_with("manifest: ")) << message;
    EXPECT_NE(message.find(where), std::string::npos) << message;
  };
  expect("\"tool\"", "\"fool\"", "key 'tool' not found");
  expect("\"kernel\":1", "\"kernel\":-1", "(/plan/calls/1/kernel)");
  expect("\"kernel\":1", "\"kernel\":1.5", "(/plan/calls/1/kernel)");
  expect("\"symbol\":\"k0\"", "\"symbol\":0", "(/plan/kernels/0/symbol)");
  expect("\"traffic_bytes\":64", "\"traffic\":64", "(/plan/calls/0)");
  expect("[\"input\",1,0]", "[\"input\",1]", "(/plan/calls/0/buffers/0)");
  expect("{", "", "parse error");
}

TEST(Manifest, RefusesNumbersBeyond63Bits) {
  EXPECT_EQ(refusal("\"arena_bytes\":200", "\"arena_bytes\":18446744073709551615"),
            "plan: arena_bytes -1, expected between 0 and 2^48");
}

TEST(VerifyPlan, TakesASoundOne) {
  EXPECT_EQ(refusal([](ExecutionPlan&) {}), "accepted");
}

TEST(VerifyPlan, TakesPortsWithoutElements) {
  EXPECT_EQ(refusal([](ExecutionPlan& plan) {
              plan.outputs.push_back({"none", ElementType::Float, {2, 0}});
            }),
            "accepted");
}

TEST(VerifyPlan, RefusesWorkspaceOutsideTheArena) {
  EXPECT_EQ(refusal([](ExecutionPlan& plan) { plan.calls[1].workspace = 256; }),
            "plan: workspace 256, expected a multiple of 64 in the arena in call 'second'");
  EXPECT_EQ(refusal([](ExecutionPlan& plan) { plan.calls[1].workspace = 8; }),
            "plan: workspace 8, expected a multiple of 64 in the arena in call 'second'");
}

TEST(VerifyPlan, RefusesSizesBeyondReason) {
  EXPECT_EQ(refusal([](ExecutionPlan& plan) { plan.weights_bytes = -1; }),
            "plan: weights_bytes -1, expected between 0 and 2^48");
  EXPECT_EQ(refusal([](ExecutionPlan& plan) { plan.inputs[1].shape = {1, -1}; }),
            "plan: input 'n': shape [1, -1]: extent -1 is below 1");
  const Shape huge = {std::int64_t{1} << 47};
  EXPECT_EQ(refusal([&](ExecutionPlan& plan) { plan.outputs[0].shape = huge; }),
            "plan: outputs of more than 2^48 bytes");
}

TEST(VerifyPlan, RefusesKernelsAndPortsThatAreNotThere) {
  EXPECT_EQ(refusal([](ExecutionPlan& plan) { plan.calls[0].kernel = 2; }),
            "plan: kernel 2, expected below 2 in call 'first'");
  EXPECT_EQ(refusal([](ExecutionPlan& plan) { plan.calls[0].kernel = -1; }),
            "plan: kernel -1, expected below 2 in call 'first'");
  EXPECT_EQ(refusal([](ExecutionPlan& plan) { plan.kernels[0].symbol.clear(); }),
            "plan: a kernel without a name");
  EXPECT_EQ(refusal([](ExecutionPlan& plan) { plan.calls[0].buffers[0].port = 2; }),
            "plan: input 2, expected below 2 in call 'first'");
  EXPECT_EQ(refusal([](ExecutionPlan& plan) { plan.calls[1].buffers[2].port = -1; }),
            "plan: output -1, expected below 1 in call 'second'");
}

TEST(VerifyPlan, RefusesBuffersOutsideTheirMemory) {
  const auto moved = [](std::size_t call, std::size_t buffer, std::int64_t offset) {
    return refusal([=](ExecutionPlan& plan) { plan.calls[call].buffers[buffer].offset = offset; });
  };
  EXPECT_EQ(moved(0, 0, 64), "plan: buffer at 64, expected inside memory of 8 in call 'first'");
  EXPECT_EQ(moved(0, 1, 1024),
            "plan: buffer at 1024, expected inside memory of 1000 in call 'first'");
  EXPECT_EQ(moved(0, 2, -64), "plan: buffer at -64, expected inside memory of 200 in call 'first'");
  EXPECT_EQ(moved(1, 0, 64), "plan: buffer at 64, expected inside memory of 24 in call 'second'");
  EXPECT_EQ(moved(1, 2, 256),
            "plan: buffer at 256, expected inside memory of 256 in call 'second'");
  EXPECT_EQ(moved(0, 2, 132), "plan: buffer at 132, expected a multiple of 64 in call 'first'");
}

TEST(VerifyPlan, RefusesAnOutputThatNobodyWrites) {
  EXPECT_EQ(refusal([](ExecutionPlan& plan) { plan.calls.pop_back(); }),
            "plan: output 'y' is a buffer of no call");
}

TEST(VerifyPlan, RefusesWorkThatIsNoNumber) {
  EXPECT_EQ(refusal([](ExecutionPlan& plan) { plan.calls[0].flops = NAN; }),
            "plan: flops nan, expected a finite number from 0 in call 'first'");
}

}  // namespace
}  // namespace tessera
