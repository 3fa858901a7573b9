#include "base/cores.h"
#include "base/file.h"
#include "base/text.h"
#include "target/target.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

namespace tessera {
namespace {

#if defined(__x86_64__)

constexpr Arch host_arch = Arch::X86;

/// Whether the processor has a feature that presets name, and the system saves its registers.
bool has_feature(std::string_view name) {
  // The builtin takes nothing but literals.
  if (name == "+sse4.2") return __builtin_cpu_supports("sse4.2") != 0;
  if (name == "+popcnt") return __builtin_cpu_supports("popcnt") != 0;
  if (name == "+avx") return __builtin_cpu_supports("avx") != 0;
  if (name == "+avx2") return __builtin_cpu_supports("avx2") != 0;
  if (name == "+fma") return __builtin_cpu_supports("fma") != 0;
  if (name == "+f16c") return __builtin_cpu_supports("f16c") != 0;
  if (name == "+bmi") return __builtin_cpu_supports("bmi") != 0;
  if (name == "+bmi2") return __builtin_cpu_supports("bmi2") != 0;
  if (name == "+lzcnt") return __builtin_cpu_supports("lzcnt") != 0;
  if (name == "+movbe") return __builtin_cpu_supports("movbe") != 0;
  if (name == "+avx512f") return __builtin_cpu_supports("avx512f") != 0;
  if (name == "+avx512bw") return __builtin_cpu_supports("avx512bw") != 0;
  if (name == "+avx512cd") return __builtin_cpu_supports("avx512cd") != 0;
  if (name == "+avx512dq") return __builtin_cpu_supports("avx512dq") != 0;
  if (name == "+avx512vl") return __builtin_cpu_supports("avx512vl") != 0;
  return false;
}

struct Model {
  bool is_amd = false;
  bool is_intel = false;
  unsigned family = 0;
  unsigned model = 0;
};

Model host_model() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  Model found;
  if (__get_cpuid(0, &a, &b, &c, &d) == 0) return found;
  found.is_amd = b == signature_AMD_ebx && c == signature_AMD_ecx;
  found.is_intel = b == signature_INTEL_ebx && c == signature_INTEL_ecx;
  __get_cpuid(1, &a, &b, &c, &d);
  const unsigned family = (a >> 8) & 15;
  found.family = family == 15 ? family + ((a >> 20) & 255) : family;
  found.model = ((a >> 4) & 15) | ((a >> 12) & 0xf0);
  return found;
}

/// LLVM's name of a core like this one that has no vector instructions beyond `target`: a
/// hypervisor may hide some, and a name switches on all that the core was made with.
std::string host_cpu(const Target& target) {
  const Model host = host_model();
  const bool is_512 = target.name == "x86-avx512";
  const bool is_256 = target.name == "x86-avx2" || is_512;
  if (host.is_amd && is_256 && host.family >= 0x17) {
    if (host.family == 0x17) return host.model < 0x30 ? "znver1" : "znver2";
    if (!is_512) return "znver3";
    return host.family == 0x19 ? "znver4" : "znver5";
  }
  if (host.is_intel && is_512) {
    if (__builtin_cpu_supports("avx512vbmi2") != 0) return "icelake-server";
    return __builtin_cpu_supports("avx512vnni") != 0 ? "cascadelake" : "skylake-avx512";
  }
  if (host.is_intel && is_256) return __builtin_cpu_supports("adx") != 0 ? "skylake" : "haswell";
  if (host.is_intel) return target.name == "x86-avx" ? "sandybridge" : "nehalem";
  return target.cpu;
}

#elif defined(__aarch64__)

constexpr Arch host_arch = Arch::AArch64;

bool has_feature(std::string_view name) {
  constexpr unsigned long hwcap_neon = 1UL << 1;
  constexpr unsigned long hwcap_sve = 1UL << 22;
  if (name == "+neon") return (getauxval(AT_HWCAP) & hwcap_neon) != 0;
  // Code is made for one length of vectors, 32 bytes.
  if (name == "+sve")
    return (getauxval(AT_HWCAP) & hwcap_sve) != 0 && (prctl(PR_SVE_GET_VL) & 0xffff) == 32;
  return false;
}

std::string host_cpu(const Target& target) { return target.cpu; }

#elif defined(__riscv)

constexpr Arch host_arch = Arch::RiscV;

bool has_letter(char letter) { return ((getauxval(AT_HWCAP) >> (letter - 'a')) & 1) != 0; }

long vector_register_bytes() {
  long bytes = 0;
  asm volatile("csrr %0, 0xc22" : "=r"(bytes));  // vlenb, by number for assemblers without V
  return bytes;
}

bool has_feature(std::string_view name) {
  if (name == "+zvl128b") return has_letter('v') && vector_register_bytes() >= 16;
  if (name == "+zvl256b") return has_letter('v') && vector_register_bytes() >= 32;
  return name.size() == 2 && has_letter(name[1]);
}

std::string host_cpu(const Target& target) { return target.cpu; }

#endif

std::string cache_file(int index, const std::string& name) {
  const Result<std::string> text =
      read_file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/" + name);
  return text ? std::string(trimmed(*text)) : "";
}

/// From sysfs, which writes `1024K`; else from the C library, which asks the processor.
std::optional<std::int64_t> cache_bytes(int level, int sysconf_name) {
  for (int index = 0; index < 8; ++index) {
    if (cache_file(index, "level") != std::to_string(level)) continue;
    if (cache_file(index, "type") == "Instruction") continue;
    const std::string size = cache_file(index, "size");
    std::int64_t kib = 0;
    const auto [stop, error] = std::from_chars(size.data(), size.data() + size.size(), kib);
    if (error == std::errc{} && kib > 0) return *stop == 'K' ? kib << 10 : kib;
  }
  const long bytes = sysconf(sysconf_name);
  return bytes > 0 ? std::optional<std::int64_t>(bytes) : std::nullopt;
}

}  // namespace

Result<void> verify_runs_here(Arch arch, std::span<const std::string> features) {
  if (arch != host_arch)
    return Error{"made for " + std::string(to_text(arch)) + ", this machine is " +
                 std::string(to_text(host_arch))};
  std::vector<std::string> missing;
  std::ranges::remove_copy_if(features, std::back_inserter(missing), has_feature);
  if (missing.empty()) return {};
  return Error{"needs " + join(missing, ", ") + ", which this machine lacks"};
}

bool runs_here(const Target& target) {
  return verify_runs_here(target.arch, target.features).has_value();
}

Target detect_host() {
  const auto ours = [](const Target& preset) { return preset.arch == host_arch; };
  Target host = *std::ranges::find_if(presets(), ours);
  for (const Target& preset : presets())
    if (runs_here(preset)) host = preset;  // each arch is listed from plain to rich
  host.cpu = host_cpu(host);
  return with_host_caches(host);
}

Target with_host_caches(Target target) {
  target.cores = usable_cores();
  target.l1_bytes = cache_bytes(1, _SC_LEVEL1_DCACHE_SIZE).value_or(target.l1_bytes);
  target.l2_bytes = cache_bytes(2, _SC_LEVEL2_CACHE_SIZE).value_or(target.l2_bytes);
  target.l3_bytes = cache_bytes(3, _SC_LEVEL3_CACHE_SIZE).value_or(0);
  return target;
}

}  // namespace tessera
