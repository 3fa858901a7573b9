#include "base/text.h"
#include "cli/model_argument.h"
#include "cli/port_buffers.h"
#include "cli/verbs.h"
#include "onnx/tensor_file.h"
#include "runtime/session.h"
#include "tensor/compare.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <memory>

namespace tessera {
namespace {

struct RunArguments {
  ModelArgument model;
  std::string input;
  std::string output;
  std::uint64_t seed = 1;
  double tolerance = 1e-3;
  std::int64_t threads = 0;
  bool is_json = false;
};

/// `input_0.pb` of an ONNX test set.
std::filesystem::path tensor_path(const std::string& folder, const std::string& kind,
                                  std::size_t n) {
  return std::filesystem::path(folder) / (kind + "_" + std::to_string(n) + ".pb");
}

Result<void> fill(PortBuffers& in, const std::vector<Port>& ports, const RunArguments& arguments) {
  if (arguments.input.empty()) {
    in.fill_random(arguments.seed);
    return {};
  }
  for (std::size_t n = 0; n < ports.size(); ++n) {
    const std::filesystem::path path = tensor_path(arguments.input, "input", n);
    const Result<Constant> given = read_tensor_file(path);
    if (!given) return given.error();
    if (given->type != ValueType{ports[n].element, ports[n].shape})
      return Error{fmt::format("{}: {}{}, but input {} is {}{}", path.string(),
                               to_text(given->type.element), to_text(given->type.shape),
                               ports[n].name, to_text(ports[n].element), to_text(ports[n].shape))};
    encode(*given->data, ports[n].element, in.bytes(n));
  }
  return {};
}

/// What one output came to.
struct Outcome {
  Port port;
  HostBuffer values;
  std::optional<Comparison> compared;  // with `output_N.pb` beside the inputs
};

Result<std::vector<Outcome>> outcomes(PortBuffers& out, const std::vector<Port>& ports,
                                      const RunArguments& arguments) {
  std::vector<Outcome> all;
  for (std::size_t n = 0; n < ports.size(); ++n) {
    Outcome one{
        ports[n], decode(ports[n].element, element_count(ports[n].shape), out.bytes(n)), {}};
    const std::filesystem::path expected = tensor_path(arguments.input, "output", n);
    if (!arguments.input.empty() && std::filesystem::exists(expected)) {
      const Result<Constant> want = read_tensor_file(expected);
      if (!want) return want.error();
      if (want->type != ValueType{ports[n].element, ports[n].shape})
        return Error{expected.string() + ": of another type than output " + ports[n].name};
      one.compared = compare(one.values, *want->data,
                             {.absolute = arguments.tolerance, .relative = arguments.tolerance});
    }
    if (!arguments.output.empty()) {
      std::error_code ignored;  // writing tells
      std::filesystem::create_directories(arguments.output, ignored);
      const auto data = std::make_shared<HostBuffer>(one.values.copy());
      const Constant result{{ports[n].element, ports[n].shape}, data};
      const auto done =
          write_tensor_file(tensor_path(arguments.output, "output", n), ports[n].name, result);
      if (!done) return done.error();
    }
    all.push_back(std::move(one));
  }
  return all;
}

nlohmann::ordered_json facts_of(const Outcome& outcome) {
  double low = INFINITY, high = -INFINITY, sum = 0;
  for (std::int64_t n = 0; n < outcome.values.element_count(); ++n) {
    const double value = outcome.values.get(n);
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
  }
  nlohmann::ordered_json facts = {
      {"name", outcome.port.name},
      {"type", to_text(outcome.port.element)},
      {"shape", outcome.port.shape},
      {"min", low},
      {"max", high},
      {"mean", sum / static_cast<double>(outcome.values.element_count())}};
  if (outcome.compared) {
    facts["is_as_expected"] = outcome.compared->equal;
    facts["max_error"] = outcome.compared->max_error;
  }
  return facts;
}

int run_run(const RunArguments& arguments) {
  const auto package = open_or_compile(arguments.model, arguments.threads);
  if (!package) return refuse(package.error());
  Result<Session> session = Session::make(*package, {.threads = arguments.threads, .pool = {}});
  if (!session) return refuse(session.error());
  const ExecutionPlan& plan = (*package)->plan();
  PortBuffers in(plan.inputs), out(plan.outputs);
  if (const auto done = fill(in, plan.inputs, arguments); !done) return refuse(done.error());
  if (const auto done = session->run(in.inputs(), out.outputs()); !done)
    return refuse(done.error());
  const Result<std::vector<Outcome>> results = outcomes(out, plan.outputs, arguments);
  if (!results) return refuse(results.error());
  nlohmann::ordered_json document = nlohmann::ordered_json::array();
  for (const Outcome& outcome : *results) {
    const nlohmann::ordered_json facts = facts_of(outcome);
    if (!arguments.is_json)
      fmt::print(
          "{} {}{}: min {:.6g}, max {:.6g}, mean {:.6g}{}\n", outcome.port.name,
          to_text(outcome.port.element), to_text(outcome.port.shape), facts["min"].get<double>(),
          facts["max"].get<double>(), facts["mean"].get<double>(),
          outcome.compared ? fmt::format(", largest error {:.3g}", outcome.compared->max_error)
                           : "");
    document.push_back(facts);
  }
  if (arguments.is_json) print_json(document);
  for (const Outcome& outcome : *results)
    if (outcome.compared && !outcome.compared->equal)
      return refuse({"output " + outcome.port.name + ": " + outcome.compared->message});
  return ExitCode::success;
}

}  // namespace

void add_run(CLI::App& program) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App& verb = *program.add_subcommand("run", "Run a network once");
  add_model_argument(verb, arguments->model, "A package, an ONNX file, or zoo:NAME");
  verb.add_option("--input", arguments->input,
                  "Folder with input_N.pb, as in ONNX test sets; results are compared with the "
                  "output_N.pb there. Without it inputs are random")
      ->type_name("FOLDER");
  verb.add_option("--output", arguments->output, "Folder to write output_N.pb to")
      ->type_name("FOLDER");
  verb.add_option("--seed", arguments->seed, "Of random inputs")->capture_default_str();
  verb.add_option("--tolerance", arguments->tolerance, "Absolute and relative, of comparisons")
      ->capture_default_str();
  verb.add_option("--threads", arguments->threads, "Threads to run on; by default all")
      ->check(CLI::Range(1, 1024));
  verb.add_flag("--json", arguments->is_json, "Print JSON");
  verb.footer("Example: tessera run model.onnx --input test_data_set_0");
  on_run(verb, [arguments] { return run_run(*arguments); });
}

}  // namespace tessera
