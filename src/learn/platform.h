#pragma once

#include "learn/encoded.h"
#include "learn/metrics.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tessera {

using ScoreRows = std::function<std::vector<float>(const Rows&)>;
using JudgeScores = std::function<Ranking(const ScoreRows&)>;

/// Of the tokens of a schedule, that which tells of its target.
constexpr std::size_t target_row = 1;

/// A machine, or a set of its instructions, that models learn to know.
struct Platform {
  std::string name;               // the text of a Target, or what a device is called
  std::vector<EncodedList> pool;  // programs to learn from
  std::size_t hardware_row = 0;   // which row of each program tells of the platform
  JudgeScores judge;              // by programs that are not in the pool
  /// Programs as the platform with that name has them, for remembering it; their labels are not
  /// used, since none are kept. None: those of the pool, as if they were that platform's.
  std::function<const std::vector<EncodedList>*(const std::string& name)> recall = {};
};

/// The row that all programs of a platform have, by one of its lists.
std::vector<float> hardware_of(const EncodedList& list, std::size_t hardware_row);

/// By the networks held out on one target, whose programs are encoded once. The data set outlives
/// it.
Result<JudgeScores> judge_by_tokens(const Dataset& data, const std::string& target,
                                    std::size_t threads);

/// One for each target of a data set, in the order of their names; judged by networks held out. The
/// data set outlives them.
Result<std::vector<Platform>> platforms_of(const Dataset& data, std::size_t threads);

/// Devices of a table of recorded times (CSV): columns of parameters, then a column
/// `time_ms:DEVICE` for each, in which an empty field is a configuration that does not run there.
/// Each parameter is one step of a program, behind a row of random signs for the device. A third of
/// the configurations, drawn by the seed, is in no pool: devices are judged by a hundred lists of
/// 120 drawn from them. Refuses a table of fewer than two devices, without parameters, with fields
/// that are not numbers, and one whose devices have hardly a configuration in common.
Result<std::vector<Platform>> read_platform_table(const std::string& path, std::uint64_t seed);

}  // namespace tessera
