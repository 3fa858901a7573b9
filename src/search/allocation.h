#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tessera {

/// What choosing between tasks needs to know of one.
struct TaskHistory {
  std::int64_t calls = 1;          // in the network
  double best_seconds = 0;         // of one call; 0 when nothing of it runs
  double least_seconds = 0;        // that its operations take at the peak of the machine
  std::vector<double> trend = {};  // best seconds after each round
  double round_seconds = 0;        // that a round of it takes
  bool is_exhausted = false;       // no candidate is left
};

/// What a further round of a task may save of an inference for each second it takes:
///
///     gain = calls * best * (recent relative gain per round / 2 + headroom / 4 / (1 + rounds)^1.5)
///
/// where headroom is the share of the time that lies above the peak of the machine. The first term
/// follows what the task did lately, the second is hope, which wears off.
double expected_gain(const TaskHistory& task);

/// The task to spend the next round on: each in turn at first, the longest ahead, then by expected
/// gain. Nothing when all are exhausted.
std::optional<std::size_t> next_task(std::span<const TaskHistory> tasks);

}  // namespace tessera
