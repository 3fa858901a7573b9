#pragma once

#include "base/result.h"
#include "record/measurement.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// A Measurement with its keys. Texts and numbers only: it can be read where there is no compiler.
struct Record {
  std::string task;      // its fingerprint; the store keeps each task's text once
  std::string target;    // text form of the Target
  std::string schedule;  // text form of the Schedule
  std::string choices;   // the named answers that led to it, `tile=6x2 order=cols_outer ..`
  std::string origin;    // who proposed it: `default`, `store`, the name of a sampler
  Measurement measurement;
  std::string version;    // of the program that measured it
  std::int64_t time = 0;  // when, in seconds since 1970
  friend bool operator==(const Record&, const Record&) = default;
};

/// How the origin of a record begins that was measured as part of a whole network.
inline constexpr std::string_view plan_origin = "plan ";

/// Seconds since 1970, for records that are made now.
std::int64_t seconds_now();

/// 32 hexadecimal digits, the same for equal records and on every machine: adding a record twice is
/// adding it once.
std::string identity(const Record& record);

/// What a fingerprint stands for.
struct TaskEntry {
  std::string fingerprint;
  std::string text;    // of the computation and the settled layouts, to be read
  std::string family;  // tasks that may learn from each other's schedules, `conv2d 3x3 stride 1`
  std::vector<std::int64_t> sizes = {};  // of its axes, in order: neighbours are near in these
  friend bool operator==(const TaskEntry&, const TaskEntry&) = default;
};

/// What every record and task of a store keeps to: a fingerprint of 32 lower-case hexadecimal
/// digits, a target, texts in UTF-8, finite numbers, timings of at least 0, of which there are some
/// if and only if the outcome is ok.
Result<void> verify(const Record& record);
Result<void> verify(const TaskEntry& task);

}  // namespace tessera
