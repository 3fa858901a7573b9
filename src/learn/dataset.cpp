#include "learn/dataset.h"

#include "base/cores.h"
#include "base/file.h"
#include "base/parallel_for.h"
#include "record/exchange.h"
#include "schedule/space.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace tessera {
namespace {

struct Measured {
  std::string choices;
  double seconds = 0;
};
using MeasuredSchedules = std::map<std::string, Measured>;  // by their texts

Purpose purpose_of(const std::string& name, const std::set<std::string>& held_out) {
  if (held_out.contains(name)) return Purpose::HeldOut;
  const auto last_digit = static_cast<unsigned char>(name.back());
  return last_digit % 8 == 0 ? Purpose::Validation : Purpose::Training;
}

Result<ScheduleList> list_of(const TaskEntry& entry, const std::string& target,
                             const MeasuredSchedules& measured, Purpose purpose) {
  const Result<Target> parsed = parse_target(target);
  if (!parsed) return parsed.error();
  Result<Task> task = parse_task(entry.text, *parsed);
  if (!task) return task.error();
  ScheduleList list{.name = entry.fingerprint,
                    .task = *std::move(task),
                    .purpose = purpose,
                    .schedules = {},
                    .choices = {},
                    .seconds = {},
                    .estimates = {}};
  for (const auto& [text, one] : measured) {
    Result<Schedule> schedule = parse_schedule(text);
    if (!schedule) return schedule.error();
    list.schedules.push_back(*std::move(schedule));
    list.choices.push_back(one.choices);
    list.seconds.push_back(one.seconds);
  }
  return list;
}

/// From the choices that led to each schedule. What they do not answer, records of another version
/// of the Space for example, is answered as the prior would.
std::vector<RelativeEstimate> estimates_of(const ScheduleList& list) {
  const Space space(list.task);
  const Space::Chain best = best_by_prior(space);
  std::vector<RelativeEstimate> estimates;
  for (const std::string& text : list.choices) {
    const auto names = parse_choices(text);
    const Space::Chain chain = names ? adopt(space, *names, best) : best;
    estimates.push_back(relative_estimate(chain.draft.estimate, best.draft.estimate));
  }
  return estimates;
}

}  // namespace

double ScheduleList::best_seconds() const { return std::ranges::min(seconds); }

std::vector<float> ScheduleList::labels() const {
  std::vector<float> all;
  const double best = best_seconds();
  for (const double one : seconds) all.push_back(static_cast<float>(best / one));
  return all;
}

std::set<std::string> Dataset::targets() const {
  std::set<std::string> all;
  for (const ScheduleList& list : lists) all.insert(to_text(list.task.target));
  return all;
}

const ScheduleList* Dataset::find(const std::string& name) const {
  const auto found = std::ranges::find(lists, name, &ScheduleList::name);
  return found == lists.end() ? nullptr : &*found;
}

Result<Dataset> read_dataset(const std::string& folder, std::size_t fewest) {
  const Result<Export> all = read_export(folder);
  if (!all) return all.error();
  const std::string path = (std::filesystem::path(folder) / "networks.json").string();
  const Result<std::string> text = read_file(path);
  if (!text) return text.error();
  Result<std::vector<NetworkUses>> networks = parse_network_uses(*text);
  if (!networks) return Error{path + ": " + networks.error().message};
  std::set<std::string> held_out;
  for (const NetworkUses& network : *networks)
    for (const auto& [task, calls] : network.calls)
      if (network.is_held_out) held_out.insert(task);

  std::map<std::pair<std::string, std::string>, MeasuredSchedules> lists;  // by target and task
  for (const Record& record : all->records) {
    if (!record.measurement.is_ok()) continue;
    const Measured measured{record.choices, record.measurement.best()};
    Measured& known =
        lists[{record.target, record.task}].try_emplace(record.schedule, measured).first->second;
    if (measured.seconds < known.seconds) known = measured;
  }
  Dataset data{.lists = {}, .networks = *std::move(networks), .fingerprint = all->fingerprint};
  for (const auto& [key, schedules] : lists) {
    if (schedules.size() < fewest) continue;
    const auto& [target, task] = key;
    // what is held out could not be told from the rest
    if (std::ranges::find(data.networks, target, &NetworkUses::target) == data.networks.end())
      return Error{path + ": no networks of target " + target + ", of which there are records"};
    Result<ScheduleList> list =
        list_of(all->tasks.at(task), target, schedules, purpose_of(task, held_out));
    if (!list) return Error{folder + ": task " + task + ": " + list.error().message};
    data.lists.push_back(*std::move(list));
  }
  if (data.lists.empty()) return Error{folder + ": nothing to learn from"};
  parallel_for(data.lists.size(), static_cast<std::size_t>(usable_cores()),
               [&](std::size_t n) { data.lists[n].estimates = estimates_of(data.lists[n]); });
  return data;
}

Result<Dataset> with_held_out(Dataset data, const std::vector<std::string>& networks) {
  std::set<std::string> found, tasks;
  for (NetworkUses& network : data.networks) {
    const std::string plain = network.network.substr(0, network.network.find(' '));
    const bool was_held_out = network.is_held_out;
    network.is_held_out = !was_held_out && std::ranges::find(networks, plain) != networks.end();
    if (!network.is_held_out) continue;
    found.insert(plain);
    for (const auto& [task, calls] : network.calls) tasks.insert(task);
  }
  std::string chosen;
  for (const std::string& network : networks) {
    if (!found.contains(network))
      return Error{"network " + network + ": not one of those that models learn from"};
    chosen += " " + network;
  }
  std::erase_if(data.lists,
                [](const ScheduleList& list) { return list.purpose == Purpose::HeldOut; });
  for (ScheduleList& list : data.lists) list.purpose = purpose_of(list.name, tasks);
  data.fingerprint = to_text(fingerprint(data.fingerprint + chosen));
  return data;
}

}  // namespace tessera
