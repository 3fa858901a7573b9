#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

enum class Arch : std::uint8_t { X86, AArch64, RiscV };

/// `x86-64`, `aarch64`, `riscv64`.
std::string_view to_text(Arch arch);
std::optional<Arch> parse_arch(std::string_view text);

/// A description of hardware: what code may use and what the analytic prior reckons with. A value;
/// it says nothing about whether such hardware is here.
struct Target {
  std::string name;  // "x86-avx2"
  Arch arch = Arch::X86;
  std::string cpu;                    // LLVM's name of the core to tune for, "generic" when unknown
  std::vector<std::string> features;  // LLVM's names, "+avx2"
  std::int64_t vector_bytes = 16;
  std::int64_t vector_registers = 16;
  bool has_fma = false;
  bool has_masks = false;          // masked vector access at full speed
  std::int64_t fma_per_cycle = 2;  // vector multiply-adds a core can start each cycle
  std::int64_t fma_latency = 4;    // cycles
  std::int64_t loads_per_cycle = 2;
  std::int64_t cores = 1;
  std::int64_t l1_bytes = 32 << 10;    // data, per core
  std::int64_t l2_bytes = 512 << 10;   // per core
  std::int64_t l3_bytes = 0;           // shared, 0 when there is none
  std::int64_t stack_bytes = 1 << 20;  // largest thread scratch that a kernel may ask for

  std::int64_t f32_lanes() const { return vector_bytes / 4; }
  friend bool operator==(const Target&, const Target&) = default;
};

/// The named targets, in a fixed order: x86-sse42, x86-avx, x86-avx2, x86-avx512, aarch64-neon,
/// aarch64-sve256, riscv64-v128, riscv64-v256. Generic caches, one core.
std::span<const Target> presets();

/// What this machine is: the best x86 (or other) preset it can run, with its core, caches and
/// usable cores.
Target detect_host();
/// Other hardware as part of this machine: its instructions, on the cores and caches here.
Target with_host_caches(Target target);
/// Refuses a target whose code does not run on this machine, with what the machine lacks.
Result<void> verify_runs_here(Arch arch, std::span<const std::string> features);
bool runs_here(const Target& target);

/// `x86-avx2 cores=2 l1=32K l2=1M l3=32M`: the preset's name and what differs from the preset.
std::string to_text(const Target& target);
/// The preset's name in such a text.
std::string_view preset_of(std::string_view text);
/// A preset's name or `native`, then `key=value` overrides (cores, l1, l2, l3, stack, cpu). Refuses
/// an unknown name with the list of known ones.
Result<Target> parse_target(std::string_view text);

}  // namespace tessera
