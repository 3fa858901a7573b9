#include "cli/tuning_event.h"

#include "report/facts.h"

#include <nlohmann/json.hpp>

#include <initializer_list>

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

Json network_ms(const TuningRun& run) {
  const std::optional<Change> measured = measured_change(run);
  const std::optional<Change> change = measured ? measured : estimated_change(run);
  if (!change) return {{"before", nullptr}, {"now", nullptr}};
  return {{"before", change->before_seconds * 1e3}, {"now", change->after_seconds * 1e3}};
}

Json outcomes_of(const TuningRun& run) {
  Json json = Json::object();
  for (const auto& [outcome, count] : run.outcomes) json[std::string(to_text(outcome))] = count;
  return json;
}

/// As they stand in the run's own document.
void copy_fields(const TuningRun& run, Json& json, std::initializer_list<const char*> names) {
  const Json whole = Json::parse(to_json(run));
  for (const char* name : names) json[name] = whole.at(name);
}

}  // namespace

std::string event_json(std::string_view event, const TuningRun& run) {
  Json json = {
      {"event", event},         {"phase", run.phase},           {"elapsed", run.elapsed_seconds},
      {"trials", run.trials()}, {"outcomes", outcomes_of(run)}, {"network_ms", network_ms(run)}};
  if (event == "start")
    copy_fields(run, json,
                {"model", "target", "threads", "budget_seconds", "budget_trials", "known"});
  if (event == "done") copy_fields(run, json, {"tasks", "finalists", "winner", "package"});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tessera
