#include "backend/backend.h"
#include "base/check.h"
#include "base/text.h"
#include "cli/network_text.h"
#include "cli/subject.h"
#include "cli/verbs.h"
#include "ir/text.h"
#include "lower/check_resources.h"
#include "ops/tasks.h"
#include "schedule/space.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>

namespace tessera {
namespace {

struct ShowOptions {
  std::string subject;
  std::optional<std::string> emit;
  std::string target = "native";
  std::optional<std::string> schedule;
  std::optional<std::string> task;
  std::vector<std::string> shapes;
  bool is_json = false;
};

/// What was asked for and its text.
struct Shown {
  std::string emit;
  std::string text;
};

/// A schedule and what it makes of its computation.
struct Scheduled {
  Schedule schedule;
  Program program;
};

/// A computation on its way to code, as far as it has come.
using Station = std::variant<Computation, Scheduled, Program, Lowered>;

/// What can be printed, and at which alternative of Station.
struct Emit {
  std::string_view name;
  std::size_t station = 0;
  std::optional<CodeText> code = std::nullopt;
};

constexpr std::array emits = {
    Emit{"computation", 0},
    Emit{"schedule", 1},
    Emit{"program", 2},
    Emit{"lowered", 3},
    Emit{"llvm", 3, CodeText::Llvm},
    Emit{"asm", 3, CodeText::Assembly},
};

/// The names of what can be printed from a station on.
std::string emits_from(std::size_t station) {
  std::vector<std::string> names;
  for (const Emit& emit : emits)
    if (emit.station >= station) names.emplace_back(emit.name);
  return join(names, ", ");
}

/// What is asked for: by default the scheduled program, or the subject itself when it is past that.
Result<Emit> find_emit(const ShowOptions& options, std::size_t station) {
  if (!options.emit) return emits[std::max<std::size_t>(station, 2)];
  const auto* const emit = std::ranges::find(emits, *options.emit, &Emit::name);
  if (emit == emits.end())
    return Error{"--emit=" + *options.emit + ": expected one of " + emits_from(0)};
  if (emit->station < station)
    return Error{"--emit=" + *options.emit + ": " + options.subject +
                 " is past that, expected one of " + emits_from(station)};
  return *emit;
}

Result<Scheduled> scheduled(const ScheduleFile& file, const Computation& computation) {
  Result<Program> program = file.apply(to_program(computation));
  if (!program) return program.error();
  return Scheduled{file.schedule(), *std::move(program)};
}

Result<std::uint64_t> parse_seed(std::string_view text) {
  std::uint64_t seed = 0;
  const char* const end = text.data() + text.size();
  if (const auto [stop, error] = std::from_chars(text.data(), end, seed);
      error != std::errc{} || stop != end)
    return Error{"--schedule=random:" + std::string(text) +
                 ": expected random: and a seed of 0 or more"};
  return seed;
}

/// `how` is `default`, `random:SEED` or a file.
Result<Scheduled> scheduled(const std::string& how, const Task& task) {
  constexpr std::string_view random = "random:";
  const bool is_random = how.starts_with(random);
  if (!is_random && how != "default") {
    const Result<ScheduleFile> file = ScheduleFile::read(how);
    if (!file) return file.error();
    return scheduled(*file, task.computation);
  }
  Schedule schedule;
  if (is_random) {
    const Result<std::uint64_t> seed = parse_seed(std::string_view(how).substr(random.size()));
    if (!seed) return seed.error();
    const Space space(task);
    Rng rng(*seed);
    schedule = draw(space, rng).draft.schedule;
  } else {
    schedule = default_schedule(task);
  }
  Result<Program> program = tessera::apply(schedule, to_program(task.computation));
  check(program.has_value(), "a space of legal schedules");
  return Scheduled{std::move(schedule), *std::move(program)};
}

template <typename T>
Result<Station> as_station(Result<T> result) {
  if (!result) return result.error();
  return Station{*std::move(result)};
}

/// The schedule of a file, for the task that the options name.
Result<Station> station_of(const ScheduleFile& file, const ShowOptions& options) {
  if (!options.task)
    return Error{options.subject + ": a schedule, expected --task with what it is for"};
  const Result<Subject> task = read_subject(*options.task);
  if (!task) return task.error();
  const auto* const computation = std::get_if<Computation>(&*task);
  if (computation == nullptr)
    return Error{"--task=" + *options.task + ": expected a task or a file with a computation"};
  return as_station(scheduled(file, *computation));
}

/// The station that the subject itself is.
Result<Station> find_station(const ShowOptions& options) {
  const Result<Subject> subject = read_subject(options.subject);
  if (!subject) return subject.error();
  if (options.schedule && !std::holds_alternative<Computation>(*subject))
    return Error{"--schedule=" + *options.schedule + ": " + options.subject +
                 " has one already, expected a task or a computation"};
  if (options.task && !std::holds_alternative<ScheduleFile>(*subject))
    return Error{"--task=" + *options.task + ": " + options.subject +
                 " needs none, expected a file with a schedule"};
  return match(
      *subject, [&](const ScheduleFile& file) { return station_of(file, options); },
      [](const auto& at) { return Result<Station>(at); });
}

Result<Station> next(const Station& at, const std::string& how, const Target& target) {
  return match(
      at,
      [&](const Computation& computation) {
        return as_station(scheduled(how, {computation, target}));
      },
      [](const Scheduled& s) { return Result<Station>(s.program); },
      [&](const Program& program) { return as_station(lower(program, target)); },
      [](const Lowered& last) { return Result<Station>(last); });
}

std::string text_of(const Station& at) {
  return match(
      at, [](const Computation& computation) { return to_text(computation); },
      [](const Scheduled& s) { return to_text(s.schedule); },
      [](const Program& program) { return to_text(program); },
      [](const Lowered& lowered) {
        std::string text = to_text(lowered.main);
        if (lowered.prepare)
          text += "\n# Runs once, when code is made: computes constants of the above.\n" +
                  to_text(*lowered.prepare);
        return text;
      });
}

Result<std::string> code_of(const Program& lowered, const Target& target, CodeText text) {
  // A program from a file has not been through `lower`, which asks this of all others.
  if (const Result<void> fits = check_resources(lowered, target); !fits) return fits.error();
  return llvm_backend()->code(lowered, target, text);
}

Result<Shown> show_task(const ShowOptions& options, const Target& target) {
  if (!options.shapes.empty())
    return Error{"--shape " + options.shapes.front() + ": " + options.subject +
                 " has none open, expected a network"};
  // Before the subject is read, so that a mistyped name is told of whatever the subject is.
  if (const Result<Emit> known = find_emit(options, 0); !known) return known.error();
  Result<Station> at = find_station(options);
  if (!at) return at.error();
  const Result<Emit> emit = find_emit(options, at->index());
  if (!emit) return emit.error();
  while (at->index() < emit->station) {
    at = next(*at, options.schedule.value_or("default"), target);
    if (!at) return at.error();
  }
  Result<std::string> text =
      emit->code ? code_of(std::get<Lowered>(*at).main, target, *emit->code) : text_of(*at);
  if (!text) return text.error();
  return Shown{std::string(emit->name), *std::move(text)};
}

Result<Shown> show_network(const ShowOptions& options, const Target& target) {
  const auto needless = [&](const std::string& option) {
    return Error{option + ": " + options.subject + " is a network, expected a task"};
  };
  if (options.schedule) return needless("--schedule=" + *options.schedule);
  if (options.task) return needless("--task=" + *options.task);
  const ModelArgument model{options.subject, options.shapes};
  const std::string emit = options.emit.value_or(model.is_package() ? "plan" : "network");
  Result<std::string> text = network_text(model, emit, target);
  if (!text) return text.error();
  return Shown{emit, *std::move(text)};
}

int run_show(const ShowOptions& options) {
  const Result<Target> target = parse_target(options.target);
  if (!target) return refuse(target.error());
  const Result<Shown> shown =
      is_network({options.subject}) ? show_network(options, *target) : show_task(options, *target);
  if (!shown) return refuse(shown.error());
  if (options.is_json)
    print_json({{"subject", options.subject},
                {"target", to_text(*target)},
                {"emit", shown->emit},
                {"text", shown->text}});
  else
    fmt::print("{}", shown->text);
  return ExitCode::success;
}

std::string footer() {
  return "Example: tessera show matmul:m=128,n=768,k=768\n"
         "         tessera show conv2d:c=64,h=56,w=56,o=64,k=3 --emit=asm --target=x86-avx2\n"
         "         tessera show matmul:m=128,n=768,k=768 --emit=schedule > steps.txt\n"
         "         tessera show steps.txt --task=matmul:m=128,n=768,k=768 --emit=lowered\n"
         "         tessera show zoo:resnet50 --emit=tasks\n"
         "         tessera show model.tessera\n\n"
         "Tasks, with the defaults of their keys:\n" +
         task_spec_help();
}

}  // namespace

void add_show(CLI::App& program) {
  CLI::App& verb =
      *program.add_subcommand("show", "Print a station of a task's or a network's way to code");
  const auto options = std::make_shared<ShowOptions>();
  verb.add_option("SUBJECT", options->subject,
                  "A task, a file with a computation, a schedule or a program, an ONNX file, "
                  "zoo:NAME, or a package")
      ->required()
      ->type_name("");
  verb.add_option("--emit", options->emit,
                  "What to print, of a task: " + emits_from(0) +
                      "; of a network: " + network_emits() + "; of a package: plan")
      ->type_name("STATION")
      ->default_str("program, network, plan");
  verb.add_option("--target", options->target, "What to make code for, see tessera devices")
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option("--schedule", options->schedule,
                  "The default is what the analytic prior finds best, without measuring")
      ->type_name("FILE|default|random:SEED");
  verb.add_option("--task", options->task, "What the schedule in the file SUBJECT is for")
      ->type_name("TASK|FILE");
  add_shape_option(verb, options->shapes);
  verb.add_flag("--json", options->is_json, "Print JSON");
  verb.footer(footer());
  on_run(verb, [options] { return run_show(*options); });
}

}  // namespace tessera
