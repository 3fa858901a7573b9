#include "target/target.h"

namespace tessera {
namespace {

using Features = std::vector<std::string>;

constexpr std::int64_t kib = 1 << 10;
constexpr std::int64_t mib = 1 << 20;

Features avx2() {
  return {"+avx2", "+fma", "+f16c", "+bmi", "+bmi2", "+lzcnt", "+movbe", "+popcnt"};
}

Features avx512() {
  Features features = avx2();
  for (const char* part : {"f", "bw", "cd", "dq", "vl"})
    features.push_back("+avx512" + std::string(part));
  return features;
}

// Cores are named by the level of their instruction set: such names switch nothing else on.
std::vector<Target> list() {
  return {
      {.name = "x86-sse42",
       .arch = Arch::X86,
       .cpu = "x86-64-v2",
       .features = {"+sse4.2", "+popcnt"},
       .vector_bytes = 16,
       .vector_registers = 16,
       .l2_bytes = 256 * kib,
       .l3_bytes = 4 * mib},
      {.name = "x86-avx",
       .arch = Arch::X86,
       .cpu = "x86-64-v2",
       .features = {"+avx", "+popcnt"},
       .vector_bytes = 32,
       .vector_registers = 16,
       .l2_bytes = 256 * kib,
       .l3_bytes = 4 * mib},
      {.name = "x86-avx2",
       .arch = Arch::X86,
       .cpu = "x86-64-v3",
       .features = avx2(),
       .vector_bytes = 32,
       .vector_registers = 16,
       .has_fma = true,
       .l3_bytes = 8 * mib},
      {.name = "x86-avx512",
       .arch = Arch::X86,
       .cpu = "x86-64-v4",
       .features = avx512(),
       .vector_bytes = 64,
       .vector_registers = 32,
       .has_fma = true,
       .has_masks = true,
       .l2_bytes = 1 * mib,
       .l3_bytes = 16 * mib},
      {.name = "aarch64-neon",
       .arch = Arch::AArch64,
       .cpu = "generic",
       .features = {"+neon"},
       .vector_bytes = 16,
       .vector_registers = 32,
       .has_fma = true,
       .l1_bytes = 64 * kib},
      {.name = "aarch64-sve256",
       .arch = Arch::AArch64,
       .cpu = "generic",
       .features = {"+neon", "+sve"},
       .vector_bytes = 32,
       .vector_registers = 32,
       .has_fma = true,
       .has_masks = true,
       .l1_bytes = 64 * kib,
       .l2_bytes = 1 * mib,
       .l3_bytes = 32 * mib},
      {.name = "riscv64-v128",
       .arch = Arch::RiscV,
       .cpu = "generic",
       .features = {"+m", "+a", "+f", "+d", "+c", "+v", "+zvl128b"},
       .vector_bytes = 16,
       .vector_registers = 32,
       .has_fma = true,
       .has_masks = true},
      {.name = "riscv64-v256",
       .arch = Arch::RiscV,
       .cpu = "generic",
       .features = {"+m", "+a", "+f", "+d", "+c", "+v", "+zvl256b"},
       .vector_bytes = 32,
       .vector_registers = 32,
       .has_fma = true,
       .has_masks = true},
  };
}

}  // namespace

std::span<const Target> presets() {
  static const std::vector<Target> all = list();
  return all;
}

}  // namespace tessera
