#include "cli/doctor.h"

#include "cli/build_info.h"
#include "cli/verbs.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace tessera {
namespace {

struct DoctorOptions {
  bool is_json = false;
};

double gib(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

Finding isa_finding(const Machine& machine) {
  return {"isa",
          fmt::format("{}, {}-bit vectors, core {}", machine.host.name,
                      8 * machine.host.vector_bytes, machine.host.cpu),
          runs_here(machine.host) ? "" : "kernels compiled for this machine will not run on it"};
}

Finding cache_finding(const Target& host) {
  return {"caches",
          fmt::format("l1 {}K, l2 {}K, l3 {}K", host.l1_bytes >> 10, host.l2_bytes >> 10,
                      host.l3_bytes >> 10),
          ""};
}

Finding cores_finding(const Machine& machine) {
  return {"cores", fmt::format("{} usable of {}", machine.usable_cores, machine.present_cores),
          machine.usable_cores < machine.present_cores
              ? "raise the affinity mask or the cgroup's CPU quota to use them all"
              : ""};
}

Finding load_finding(const Machine& machine) {
  if (!machine.load) return {"load", "unknown", "look at what else runs before measuring"};
  const bool is_busy = *machine.load > 0.5 * static_cast<double>(machine.usable_cores);
  return {"load", fmt::format("{:.2f} over the last minute", *machine.load),
          is_busy ? "others are running: wait, or expect timings to vary" : ""};
}

Finding governor_finding(const Machine& machine) {
  if (!machine.governor)
    return {"governor", "not told", "compare timings only within one run: the clock may change"};
  return {"governor", *machine.governor,
          *machine.governor == "performance"
              ? ""
              : "set it to performance while measuring: cpupower frequency-set -g performance"};
}

Finding memory_finding(const Machine& machine) {
  if (!machine.memory_bytes || !machine.available_bytes) return {"memory", "unknown", ""};
  return {"memory",
          fmt::format("{:.1f} GiB free of {:.1f}", gib(*machine.available_bytes),
                      gib(*machine.memory_bytes)),
          gib(*machine.available_bytes) < 2 ? "build with make JOBS=1: a compiler takes about 1 GiB"
                                            : ""};
}

Finding extra_finding(const Extra& extra) {
  return {extra.name, extra.is_present ? "found" : "missing",
          extra.is_present ? "" : fmt::format("apt-get install {}: {}", extra.package, extra.use)};
}

void print_text(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    fmt::print("{:<13} {}\n", finding.name, finding.value);
    if (!finding.advice.empty()) fmt::print("{:<13}   {}\n", "", finding.advice);
  }
}

nlohmann::ordered_json document_of(const std::vector<Finding>& findings) {
  auto document = nlohmann::ordered_json::array();
  for (const Finding& finding : findings)
    document.push_back(
        {{"name", finding.name}, {"value", finding.value}, {"advice", finding.advice}});
  return document;
}

int run_doctor(const DoctorOptions& options) {
  const std::vector<Finding> findings = examine(inspect_machine());
  options.is_json ? print_json(document_of(findings)) : print_text(findings);
  return ExitCode::success;
}

}  // namespace

std::vector<Finding> examine(const Machine& machine) {
  std::vector<Finding> findings = {
      {"tessera", fmt::format("{}, {} build", build_info.version, build_info.build_type), ""},
      {"compiler", std::string(build_info.compiler), ""},
      {"llvm", std::string(build_info.llvm), ""},
      {"cpu", machine.cpu, ""},
      isa_finding(machine),
      cache_finding(machine.host),
      cores_finding(machine),
      load_finding(machine),
      governor_finding(machine),
      memory_finding(machine),
  };
  for (const Extra& extra : machine.extras) findings.push_back(extra_finding(extra));
  return findings;
}

void add_doctor(CLI::App& program) {
  CLI::App& verb = *program.add_subcommand(
      "doctor", "Show what was found on this machine, and what would make it better");
  const auto options = std::make_shared<DoctorOptions>();
  verb.add_flag("--json", options->is_json, "Print JSON");
  verb.footer("Example: tessera doctor");
  on_run(verb, [options] { return run_doctor(*options); });
}

}  // namespace tessera
