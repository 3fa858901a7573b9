#include "base/text.h"
#include "cli/array_files.h"
#include "cli/model_argument.h"
#include "cli/port_arrays.h"
#include "cli/verbs.h"
#include "runtime/session.h"
#include "tensor/compare.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

namespace tessera {
namespace {

struct RunArguments {
  ModelArgument model;
  std::vector<std::string> inputs;  // see `read_arrays`
  std::string data;
  std::string output;
  std::uint64_t seed = 1;
  double tolerance = 1e-3;
  std::int64_t threads = 0;
  bool is_json = false;
};

/// Before anything is compiled.
Result<void> verify_output(const std::string& path) {
  if (path.ends_with(".pb"))
    return Error{"--output " + path + ": expected FILE.npz, or a folder for output_N.pb"};
  return {};
}

Result<void> fill(PortBuffers& in, const std::vector<Port>& ports, const RunArguments& arguments) {
  if (arguments.inputs.empty() && arguments.data.empty()) {
    in.fill_random(arguments.seed);
    return {};
  }
  const Result<std::vector<NamedArray>> arrays = arguments.data.empty()
                                                     ? read_arrays(arguments.inputs, ports)
                                                     : read_test_inputs(arguments.data, ports);
  if (!arrays) return arrays.error();
  return fill(in, *arrays);
}

HostBuffer values_of(const NamedArray& array) {
  return decode(array.element, element_count(array.shape), array.bytes);
}

/// What one output came to.
struct Outcome {
  NamedArray array;
  HostBuffer values;
  std::optional<Comparison> compared;  // with what a test set expects
};

Result<Comparison> compared(const Outcome& outcome, const NamedArray& expected, double tolerance) {
  const auto type_of = [](const NamedArray& a) { return to_text(ValueType{a.element, a.shape}); };
  if (type_of(outcome.array) != type_of(expected))
    return Error{"output \"" + expected.name + "\": got " + type_of(outcome.array) + ", expected " +
                 type_of(expected)};
  return compare(outcome.values, values_of(expected),
                 {.absolute = tolerance, .relative = tolerance});
}

Result<std::vector<Outcome>> outcomes(const PortBuffers& out, const std::vector<Port>& ports,
                                      const RunArguments& arguments) {
  std::vector<NamedArray> expected;
  if (!arguments.data.empty()) {
    Result<std::vector<NamedArray>> read = read_test_outputs(arguments.data, ports);
    if (!read) return read.error();
    expected = *std::move(read);
  }
  std::vector<Outcome> all;
  for (std::size_t n = 0; n < ports.size(); ++n) {
    NamedArray array = array_of(out, n);
    HostBuffer values = values_of(array);
    Outcome& outcome = all.emplace_back(Outcome{std::move(array), std::move(values), {}});
    const auto want = std::ranges::find(expected, ports[n].name, &NamedArray::name);
    if (want == expected.end()) continue;
    const Result<Comparison> comparison = compared(outcome, *want, arguments.tolerance);
    if (!comparison) return comparison.error();
    outcome.compared = *comparison;
  }
  return all;
}

Result<void> write_outcomes(const std::string& path, const std::vector<Outcome>& outcomes) {
  if (path.empty()) return {};
  std::vector<NamedArray> arrays;
  for (const Outcome& outcome : outcomes) arrays.push_back(outcome.array);
  return write_arrays(path, arrays);
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
      {"name", outcome.array.name},
      {"type", to_text(outcome.array.element)},
      {"shape", outcome.array.shape},
      {"min", low},
      {"max", high},
      {"mean", sum / static_cast<double>(outcome.values.element_count())}};
  if (outcome.compared) {
    facts["is_as_expected"] = outcome.compared->equal;
    facts["max_error"] = outcome.compared->max_error;
    facts["max_relative_error"] = outcome.compared->max_relative_error;
  }
  return facts;
}

void print_text(const Outcome& outcome) {
  const nlohmann::ordered_json facts = facts_of(outcome);
  fmt::print("{} {}{}: min {:.6g}, max {:.6g}, mean {:.6g}", outcome.array.name,
             to_text(outcome.array.element), to_text(outcome.array.shape),
             facts["min"].get<double>(), facts["max"].get<double>(), facts["mean"].get<double>());
  if (outcome.compared)
    fmt::print(", largest error {:.3g} absolute, {:.3g} relative", outcome.compared->max_error,
               outcome.compared->max_relative_error);
  fmt::print("\n");
}

void print_document(const std::vector<Outcome>& outcomes) {
  nlohmann::ordered_json document = nlohmann::ordered_json::array();
  for (const Outcome& outcome : outcomes) document.push_back(facts_of(outcome));
  print_json(document);
}

int run_run(const RunArguments& arguments) {
  if (const auto sound = verify_output(arguments.output); !sound) return refuse(sound.error());
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
  if (const auto done = write_outcomes(arguments.output, *results); !done)
    return refuse(done.error());
  if (arguments.is_json) print_document(*results);
  for (const Outcome& outcome : *results)
    if (!arguments.is_json) print_text(outcome);
  for (const Outcome& outcome : *results)
    if (outcome.compared && !outcome.compared->equal)
      return refuse({"output \"" + outcome.array.name + "\": " + outcome.compared->message});
  return ExitCode::success;
}

}  // namespace

void add_run(CLI::App& program) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App& verb = *program.add_subcommand("run", "Run a network once");
  add_model_argument(verb, arguments->model, "A package, an ONNX file, or zoo:NAME");
  CLI::Option* const inputs =
      verb.add_option("--input", arguments->inputs,
                      "Arrays called as the inputs, or a tensor of ONNX for one of them; when "
                      "nothing is given, inputs are random")
          ->type_name("FILE.npz|NAME=FILE.pb")
          ->allow_extra_args(false);
  verb.add_option("--data", arguments->data,
                  "An ONNX test set: input_N.pb, and output_N.pb to compare results with")
      ->type_name("FOLDER")
      ->excludes(inputs);
  verb.add_option("--output", arguments->output, "Where to write results, in a folder output_N.pb")
      ->type_name("FILE.npz|FOLDER");
  verb.add_option("--seed", arguments->seed, "Of random inputs")->capture_default_str();
  verb.add_option("--tolerance", arguments->tolerance, "Absolute and relative, of comparisons")
      ->capture_default_str();
  verb.add_option("--threads", arguments->threads, "Threads to run on; by default all")
      ->check(CLI::Range(1, 1024));
  verb.add_flag("--json", arguments->is_json, "Print JSON");
  verb.footer(
      "Example: tessera run model.onnx --input x.npz --output y.npz\n"
      "         tessera run model.onnx --data test_data_set_0\n"
      "         tessera run zoo:resnet50 --seed 7");
  on_run(verb, [arguments] { return run_run(*arguments); });
}

}  // namespace tessera
