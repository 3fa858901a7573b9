#pragma once

#include "learn/dataset.h"

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tessera {

/// The scores that a model gives the schedules of a list; larger is better.
using Scorer = std::function<std::vector<double>(const ScheduleList& list)>;

/// How well a model ranks.
struct Ranking {
  /// Of the k schedules with the highest scores the fastest is taken for each task: the time that
  /// networks would take with the best of all, over the time with these. 1 is perfect. (TenSet,
  /// NeurIPS 2021.)
  struct TopK {
    std::map<std::string, double> of_networks = {};
    double mean = 0;    // over networks
    double pooled = 0;  // all networks together
  };
  TopK top1, top5;
  /// Top-1 of each task by itself, the mean over tasks: less than one network does it hang on which
  /// is first of a few.
  double top1_of_tasks = 0;
  /// Share of pairs within a list that are in the right order, ties in score counted as half.
  double pairs = 0;
};

/// Of the networks held out, on one target.
Ranking judge(const Dataset& data, const std::string& target, const Scorer& scorer);

/// The fastest of the `k` with the highest scores; of equal scores the first.
double best_of_top(std::span<const double> scores, std::span<const double> seconds, std::size_t k);
double pair_accuracy(std::span<const double> scores, std::span<const double> seconds);

}  // namespace tessera
