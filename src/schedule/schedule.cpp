#include "schedule/schedule.h"

#include "ir/text.h"
#include "ir/verify.h"

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

Fingerprint fingerprint(const Task& task) {
  Computation nameless = task.computation;
  nameless.name = "task";
  std::string text = to_text(nameless) + to_text(task.target);
  for (const auto& [tensor, layout] : task.layouts)
    text += "\n" + to_text(ChooseLayout{tensor, layout});
  return fingerprint(text);
}

}  // namespace tessera
