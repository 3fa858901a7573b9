#include "report/report.h"

#include "base/file.h"
#include "cli/verbs.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>

namespace tessera {
namespace {

struct ReportArguments {
  std::string run;
  std::string output;
  bool is_json = false;
};

/// `runs/resnet50.html` for `runs/resnet50.json`.
std::string default_output(const std::string& run) {
  return std::filesystem::path(run).replace_extension(".html").string();
}

int run_report(const ReportArguments& arguments) {
  const std::string path =
      arguments.output.empty() ? default_output(arguments.run) : arguments.output;
  if (path == arguments.run)
    return refuse({path + ": is the run itself, expected -o with another"});
  const Result<std::string> json = read_file(arguments.run);
  if (!json) return refuse(json.error());
  const Result<TuningRun> run = parse_tuning_run(*json);
  if (!run) return refuse({arguments.run + ": not a run of tuning: " + run.error().message});
  const std::string page = html_report(*run);
  if (const auto done = write_file(path, page); !done) return refuse(done.error());
  if (arguments.is_json)
    print_json({{"output", path}, {"bytes", page.size()}});
  else
    fmt::print("{}: {} tasks, {} trials, {:.1f} kB\n", path, run->tasks.size(), run->trials(),
               static_cast<double>(page.size()) / 1e3);
  return ExitCode::success;
}

}  // namespace

void add_report(CLI::App& program) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App& verb =
      *program.add_subcommand("report", "Make a page that shows what a run of tuning found");
  verb.add_option("RUN", arguments->run, "The run, as JSON")->required();
  verb.add_option("-o,--output", arguments->output, "The page to write; by default RUN.html")
      ->type_name("FILE");
  verb.add_flag("--json", arguments->is_json, "Print JSON");
  verb.footer(
      "Example: tessera report run.json -o report.html\n\n"
      "The page is one file that needs no other and asks no network for anything.");
  on_run(verb, [arguments] { return run_report(*arguments); });
}

}  // namespace tessera
