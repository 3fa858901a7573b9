#include "target/target.h"

#include "base/cores.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera {
namespace {

std::string refusal(std::string_view text) {
  const Result<Target> got = parse_target(text);
  return got ? "accepted as " + to_text(*got) : got.error().message;
}

TEST(Presets, StandInTheirOrder) {
  std::vector<std::string> names;
  for (const Target& preset : presets()) names.push_back(preset.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x86-sse42", "x86-avx", "x86-avx2", "x86-avx512",
                                             "aarch64-neon", "aarch64-sve256", "riscv64-v128",
                                             "riscv64-v256"}));
}

TEST(Presets, HaveTheirVectors) {
  const auto lanes = [](std::string_view name) { return parse_target(name)->f32_lanes(); };
  EXPECT_EQ(lanes("x86-sse42"), 4);
  EXPECT_EQ(lanes("x86-avx"), 8);
  EXPECT_EQ(lanes("x86-avx2"), 8);
  EXPECT_EQ(lanes("x86-avx512"), 16);
  EXPECT_EQ(lanes("aarch64-neon"), 4);
  EXPECT_EQ(lanes("aarch64-sve256"), 8);
  EXPECT_EQ(lanes("riscv64-v128"), 4);
  EXPECT_EQ(lanes("riscv64-v256"), 8);
}

TEST(Presets, FuseFromAvx2OnAndMaskFromAvx512On) {
  for (const Target& preset : presets()) {
    const bool is_old = preset.name == "x86-sse42" || preset.name == "x86-avx";
    EXPECT_EQ(preset.has_fma, !is_old) << preset.name;
    const bool is_unmasked = is_old || preset.name == "x86-avx2" || preset.name == "aarch64-neon";
    EXPECT_EQ(preset.has_masks, !is_unmasked) << preset.name;
    EXPECT_EQ(preset.cores, 1) << preset.name;
  }
}

TEST(Arch, IsReadBackFromItsText) {
  for (const Arch arch : {Arch::X86, Arch::AArch64, Arch::RiscV})
    EXPECT_EQ(parse_arch(to_text(arch)), arch);
  EXPECT_FALSE(parse_arch("x86"));
}

TEST(TargetText, OfAPresetIsItsName) {
  for (const Target& preset : presets()) {
    EXPECT_EQ(to_text(preset), preset.name);
    EXPECT_EQ(*parse_target(preset.name), preset);
  }
}

TEST(TargetText, BeginsWithThePresetsName) {
  EXPECT_EQ(preset_of("x86-avx2 cores=2 l1=32K"), "x86-avx2");
  EXPECT_EQ(preset_of("x86-avx2"), "x86-avx2");
}

TEST(TargetText, NamesWhatDiffers) {
  Target target = *parse_target("x86-avx2");
  target.cores = 2;
  target.l1_bytes = 48 << 10;
  target.l2_bytes = 1 << 20;
  target.l3_bytes = 1000;
  target.stack_bytes = std::int64_t{2} << 30;
  target.cpu = "znver3";
  EXPECT_EQ(to_text(target), "x86-avx2 cores=2 l1=48K l2=1M l3=1000 stack=2G cpu=znver3");
  EXPECT_EQ(*parse_target(to_text(target)), target);
}

TEST(TargetText, TakesNoCacheAsZero) {
  EXPECT_EQ(to_text(*parse_target("x86-avx2 l3=0")), "x86-avx2 l3=0");
}

TEST(TargetText, RefusesAnUnknownName) {
  const std::string known =
      "native, x86-sse42, x86-avx, x86-avx2, x86-avx512, aarch64-neon, aarch64-sve256, "
      "riscv64-v128, riscv64-v256";
  EXPECT_EQ(refusal("x86"), "target 'x86': unknown, expected one of " + known);
  EXPECT_EQ(refusal("  "), "target '': unknown, expected one of " + known);
}

TEST(TargetText, RefusesAnUnknownKey) {
  const std::string expected = ", expected key=value with one of cores, l1, l2, l3, stack, cpu";
  EXPECT_EQ(refusal("x86-avx l4=1M"), "target x86-avx: 'l4=1M'" + expected);
  EXPECT_EQ(refusal("x86-avx fast"), "target x86-avx: 'fast'" + expected);
  EXPECT_EQ(refusal("x86-avx =1"), "target x86-avx: '=1'" + expected);
}

TEST(TargetText, RefusesValuesThatDoNotFitTheirKey) {
  EXPECT_EQ(refusal("x86-avx cores=0"),
            "target x86-avx: 'cores=0', expected cores= and a positive integer");
  EXPECT_EQ(refusal("x86-avx cores"),
            "target x86-avx: 'cores', expected cores= and a positive integer");
  EXPECT_EQ(refusal("x86-avx cores=2K"),
            "target x86-avx: 'cores=2K', expected cores= and a positive integer");
  for (const std::string value : {"", "x", "32k", "32KB", "-1", "-9223372036854775808K", "0",
                                  "9999999999G", "99999999999999999999", "32#", "1.5M"})
    EXPECT_EQ(refusal("x86-avx l1=" + value),
              "target x86-avx: 'l1=" + value + "', expected l1= and a size such as 32K");
  EXPECT_EQ(refusal("x86-avx cpu="),
            "target x86-avx: 'cpu=', expected cpu= and LLVM's name of a core");
}

TEST(Host, IsTheRichestPresetThatRunsHere) {
  const Target host = detect_host();
  EXPECT_TRUE(runs_here(host)) << to_text(host);
  std::string best;
  for (const Target& preset : presets())
    if (runs_here(preset)) best = preset.name;
  EXPECT_EQ(host.name, best);
}

TEST(Host, RunsOneArchOnly) {
  for (const Target& preset : presets())
    EXPECT_TRUE(!runs_here(preset) || preset.arch == detect_host().arch) << preset.name;
}

TEST(Host, SaysWhatItLacks) {
  const Arch here = detect_host().arch;
  const Arch other = here == Arch::RiscV ? Arch::AArch64 : Arch::RiscV;
  EXPECT_TRUE(verify_runs_here(here, detect_host().features));
  EXPECT_EQ(verify_runs_here(other, {}).error().message, "made for " + std::string(to_text(other)) +
                                                             ", this machine is " +
                                                             std::string(to_text(here)));
  const std::vector<std::string> strange = {"+warp", "+weft"};
  EXPECT_EQ(verify_runs_here(here, strange).error().message,
            "needs +warp, +weft, which this machine lacks");
}

TEST(Host, HasItsCachesAndCores) {
  const Target host = detect_host();
  EXPECT_EQ(host.cores, usable_cores());
  EXPECT_GE(host.l1_bytes, 4 << 10);
  EXPECT_GE(host.l2_bytes, host.l1_bytes);
  EXPECT_FALSE(host.cpu.empty());
}

TEST(Host, ReadsBackAsText) {
  const Target host = detect_host();
  EXPECT_EQ(*parse_target(to_text(host)), host);
  EXPECT_EQ(*parse_target("native"), host);
  EXPECT_EQ(parse_target("native cores=7")->cores, 7);
}

}  // namespace
}  // namespace tessera
