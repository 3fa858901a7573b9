#include "cli/verbs.h"
#include "target/target.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace tessera {
namespace {

struct DevicesOptions {
  bool is_json = false;
};

nlohmann::ordered_json json_of(const Target& target) {
  return {{"name", target.name},
          {"text", to_text(target)},
          {"runs_here", runs_here(target)},
          {"cpu", target.cpu},
          {"features", target.features},
          {"vector_bytes", target.vector_bytes},
          {"vector_registers", target.vector_registers},
          {"has_fma", target.has_fma},
          {"has_masks", target.has_masks},
          {"fma_per_cycle", target.fma_per_cycle},
          {"fma_latency", target.fma_latency},
          {"loads_per_cycle", target.loads_per_cycle},
          {"cores", target.cores},
          {"l1_bytes", target.l1_bytes},
          {"l2_bytes", target.l2_bytes},
          {"l3_bytes", target.l3_bytes},
          {"stack_bytes", target.stack_bytes}};
}

std::string_view yes_or_no(bool condition) { return condition ? "yes" : "no"; }

void print_table(const Target& host) {
  fmt::print("host: {}\n\n", to_text(host));
  constexpr std::string_view row = "{:<16} {:<10} {:>11} {:>10} {:>5} {:>6}\n";
  fmt::print(fmt::runtime(row), "target", "runs here", "vector bits", "registers", "fma", "masks");
  for (const Target& preset : presets())
    fmt::print(fmt::runtime(row), preset.name, yes_or_no(runs_here(preset)),
               8 * preset.vector_bytes, preset.vector_registers, yes_or_no(preset.has_fma),
               yes_or_no(preset.has_masks));
}

nlohmann::ordered_json document_of(const Target& host) {
  nlohmann::ordered_json document = {{"host", json_of(host)}};
  for (const Target& preset : presets()) document["presets"].push_back(json_of(preset));
  return document;
}

int run_devices(const DevicesOptions& options) {
  const Target host = detect_host();
  options.is_json ? print_json(document_of(host)) : print_table(host);
  return ExitCode::success;
}

}  // namespace

void add_devices(CLI::App& program) {
  CLI::App& verb =
      *program.add_subcommand("devices", "Show this machine as a target, and the targets known");
  const auto options = std::make_shared<DevicesOptions>();
  verb.add_flag("--json", options->is_json, "Print JSON");
  verb.footer("Example: tessera devices --json");
  on_run(verb, [options] { return run_devices(*options); });
}

}  // namespace tessera
