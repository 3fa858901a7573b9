#include "schedule/schedule.h"

#include "ir/text.h"
#include "ir/verify.h"

#include <algorithm>

namespace tessera {

Result<Program> apply(const Step& step, const Program& program) {
  if (program.form != Form::Scheduled)
    return Error{to_text(step) + ": the program is lowered already"};
  Result<Program> out = std::visit([&](const auto& s) { return tessera::apply(s, program); }, step);
  if (!out) return out;
  if (const auto sound = verify(*out); !sound)
    return Error{to_text(step) + ": " + sound.error().message};
  return out;
}

Result<Program> apply(const Schedule& schedule, const Program& program) {
  Result<Program> out = program;
  for (const Step& step : schedule) {
    out = tessera::apply(step, *out);
    if (!out) return out;
  }
  return out;
}

namespace {

std::string nameless_text(const Computation& computation) {
  Computation nameless = computation;
  nameless.name = "task";
  return to_text(nameless);
}

}  // namespace

Fingerprint fingerprint(const Task& task) {
  std::string text = nameless_text(task.computation) + to_text(task.target);
  for (const auto& [tensor, layout] : task.layouts)
    text += "\n" + to_text(ChooseLayout{tensor, layout});
  return fingerprint(text);
}

std::string to_text(const Task& task) {
  std::string text = nameless_text(task.computation);
  for (const auto& [tensor, layout] : task.layouts)
    text += to_text(Schedule{ChooseLayout{tensor, layout}});
  return text;
}

Result<Task> parse_task(std::string_view text, const Target& target) {
  const std::string_view first_layout = "\nlayout ";
  const std::size_t end = std::min(text.find(first_layout), text.size() - 1) + 1;
  Result<Computation> computation = parse_computation(text.substr(0, end));
  if (!computation) return computation.error();
  const Result<Schedule> layouts = parse_schedule(text.substr(end));
  if (!layouts) return layouts.error();
  Task task{.computation = *std::move(computation), .target = target};
  for (const Step& step : *layouts) {
    const auto* layout = std::get_if<ChooseLayout>(&step);
    if (layout == nullptr) return Error{to_text(step) + ": expected a layout"};
    task.layouts[layout->tensor] = layout->layout;
  }
  return task;
}

}  // namespace tessera
