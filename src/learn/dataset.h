#pragma once

#include "base/result.h"
#include "feature/estimated_schedule.h"
#include "learn/network_uses.h"
#include "schedule/schedule.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace tessera {

/// For what a list is used. Tasks of networks that are held out are judged by; of the others one in
/// eight, chosen by its fingerprint, tells when to stop learning.
enum class Purpose : std::uint8_t { Training, Validation, HeldOut };

/// The measured schedules of one task on one target.
struct ScheduleList {
  std::string name;  // fingerprint of the task
  Task task;
  Purpose purpose = Purpose::Training;
  std::vector<Schedule> schedules;
  std::vector<std::string> choices;  // the named answers that led to each
  std::vector<double> seconds;       // of each, its shortest timing
  std::vector<RelativeEstimate> estimates;

  double best_seconds() const;
  /// How fast each is beside the best: in (0, 1].
  std::vector<float> labels() const;
};

/// What models learn from and are judged by.
struct Dataset {
  std::vector<ScheduleList> lists;
  std::vector<NetworkUses> networks;
  std::string fingerprint;  // of what it was read from

  const ScheduleList* find(const std::string& name) const;
  std::set<std::string> targets() const;  // as texts
};

/// A folder that `tessera collect` wrote. Of records of one schedule the fastest stands; those that
/// did not end well, and lists of fewer than `fewest` schedules, are left out. Refuses files that
/// are damaged, missing or of another version, records of a target whose networks are not told, and
/// a set without anything to learn from.
Result<Dataset> read_dataset(const std::string& folder, std::size_t fewest = 2);

/// The same data with other networks held out, in all their variations; what was held out before is
/// left out. Ways of learning are chosen so: whoever chooses by the networks that results are told
/// of has learned from them. Refuses names of no networks for training.
Result<Dataset> with_held_out(Dataset data, const std::vector<std::string>& networks);

}  // namespace tessera
