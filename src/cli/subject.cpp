#include "cli/subject.h"

#include "base/file.h"
#include "base/text.h"
#include "ir/text.h"
#include "ops/tasks.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace tessera {
namespace {

/// `line N: MESSAGE` as `PATH:N: MESSAGE`, other messages as `PATH: MESSAGE`.
Error located(const std::string& path, const Error& error) {
  constexpr std::string_view line = "line ";
  return {error.message.starts_with(line) ? path + ":" + error.message.substr(line.size())
                                          : path + ": " + error.message};
}

/// The number of the line on which the step of that index stands: each takes one.
std::size_t line_of(const std::string& text, std::size_t step) {
  const std::vector<std::string> lines = split_lines(text);
  std::size_t at = 0;
  for (std::size_t seen = 0; at < lines.size(); ++at)
    if (!Scanner(lines[at]).at_end() && seen++ == step) break;
  return at + 1;
}

template <std::size_t... Index>
bool sees_step(Scanner& scanner, std::index_sequence<Index...>) {
  return (scanner.sees(std::variant_alternative_t<Index, Step>::name) || ...);
}

/// The programs of a text, each with an empty line for every line before it, so that messages count
/// the lines of the whole.
std::vector<std::string> program_texts(const std::string& text) {
  std::vector<std::string> texts;
  std::string before;
  for (const std::string& line : split_lines(text)) {
    const bool begins = texts.empty() ? !Scanner(line).at_end() : line.starts_with("program ");
    if (begins) texts.push_back(before);
    if (!texts.empty()) texts.back() += line + "\n";
    before += "\n";
  }
  return texts;
}

Result<Subject> read_programs(const std::string& path, const std::string& text) {
  std::vector<Program> programs;
  for (const std::string& part : program_texts(text)) {
    Result<Program> program = parse_program(part);
    if (!program) return located(path, program.error());
    programs.push_back(*std::move(program));
  }
  if (programs.size() == 1 && programs[0].form == Form::Scheduled) return Subject{programs[0]};
  const bool are_lowered = std::ranges::all_of(
      programs, [](const Program& program) { return program.form == Form::Lowered; });
  if (!are_lowered || programs.size() > 2)
    return Error{path + ": " + std::to_string(programs.size()) +
                 " programs, expected one, or a lowered one and then its prepare"};
  Lowered lowered{.main = programs[0], .prepare = std::nullopt};
  if (programs.size() == 2) lowered.prepare = programs[1];
  return Subject{std::move(lowered)};
}

template <typename T>
Result<Subject> as_subject(Result<T> result) {
  if (!result) return result.error();
  return Subject{*std::move(result)};
}

bool is_file(const std::string& path) {
  std::error_code unreadable;
  return std::filesystem::exists(path, unreadable);
}

}  // namespace

Result<ScheduleFile> ScheduleFile::read(const std::string& path) {
  Result<std::string> text = read_file(path);
  if (!text) return text.error();
  return parse(path, *std::move(text));
}

Result<ScheduleFile> ScheduleFile::parse(std::string path, std::string text) {
  Result<Schedule> schedule = parse_schedule(text);
  if (!schedule) return located(path, schedule.error());
  ScheduleFile file;
  file.path_ = std::move(path);
  file.text_ = std::move(text);
  file.schedule_ = *std::move(schedule);
  return file;
}

Result<Program> ScheduleFile::apply(const Program& program) const {
  Result<Program> out = program;
  for (std::size_t n = 0; n < schedule_.size(); ++n) {
    out = tessera::apply(schedule_[n], *out);
    if (!out)
      return Error{path_ + ":" + std::to_string(line_of(text_, n)) + ": " + out.error().message};
  }
  return out;
}

Result<Subject> read_subject(const std::string& name) {
  if (name.find(':') != std::string::npos && !is_file(name))
    return as_subject(parse_task_spec(name));
  const Result<std::string> text = read_file(name);
  if (!text)
    return Error{text.error().message +
                 "; expected a file or a task such as matmul:m=128,n=768,k=768"};
  Scanner scanner(*text);
  scanner.skip_lines();
  if (scanner.sees("program")) return read_programs(name, *text);
  if (scanner.sees("computation")) {
    Result<Computation> computation = parse_computation(*text);
    if (!computation) return located(name, computation.error());
    return Subject{*std::move(computation)};
  }
  constexpr std::make_index_sequence<std::variant_size_v<Step>> steps;
  if (!scanner.at_end() && !sees_step(scanner, steps))
    return located(name, scanner.error_expected("'computation', 'program' or the name of a step"));
  return as_subject(ScheduleFile::parse(name, *text));
}

}  // namespace tessera
