#pragma once

#include "learn/corpus.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// A search of one network under one cost model, from nothing.
struct RaceEntry {
  std::string network;     // of the corpus
  std::string cost_model;  // `none`: candidates are drawn, not ranked
  std::uint64_t seed = 1;
  std::int64_t trials = 2000;
  std::string weights_folder = {};  // of trained cost models
};

/// How a search went: when which schedule became the best of a task, as far as it could tell.
struct SearchTrace {
  std::vector<std::int64_t> calls;  // of each task in the network
  struct Change {
    double elapsed_seconds = 0;
    std::int64_t trials = 0;
    std::size_t task = 0;
    std::string schedule;
    friend bool operator==(const Change&, const Change&) = default;
  };
  std::vector<Change> changes;  // each task has one at least
  double elapsed_seconds = 0;   // in all
  std::int64_t trials = 0;      // likewise
  friend bool operator==(const SearchTrace&, const SearchTrace&) = default;
};

/// One JSON document that reads back as the same trace.
std::string to_json(const SearchTrace& trace);
Result<SearchTrace> parse_search_trace(const std::string& json);

/// Searches in a process and with a store of its own. Refuses what the Tuner refuses.
Result<SearchTrace> search_alone(const RaceEntry& entry, const Target& target,
                                 const std::string& version);

/// Seconds by task and schedule.
using ScheduleTimes = std::map<std::pair<std::size_t, std::string>, double>;

/// All schedules of some searches of a network, measured by turns: the timings that searches saw
/// come from different minutes of a machine that is not always equally fast. Of each the median of
/// its turns. Refuses one that does not run.
Result<ScheduleTimes> time_by_turns(const std::string& network, const Target& target,
                                    const std::vector<SearchTrace>& traces);

/// One inference after each change: the best of each task, times its calls.
struct CurvePoint {
  double elapsed_seconds = 0;
  std::int64_t trials = 0;
  double network_seconds = 0;
};
struct SearchCurve {
  std::vector<CurvePoint> points;
  double elapsed_seconds = 0;  // of the whole search
  double final_seconds() const { return points.back().network_seconds; }
  /// One inference after so many trials; nothing while a task is without a schedule.
  std::optional<double> seconds_after(std::int64_t trials) const;
};
SearchCurve curve_of(const SearchTrace& trace, const ScheduleTimes& times);

/// How soon searches come to a goal.
struct GoalReached {
  std::size_t runs = 0;  // that reach it
  std::vector<std::optional<double>> seconds_of_runs = {};
  /// Medians over the runs, when more than half have reached it.
  std::optional<double> trials = {};
  std::optional<double> seconds = {};
};

/// How the searches of one network under one cost model did, beside those under another.
struct RaceResult {
  std::string network;
  std::string cost_model;
  std::size_t runs = 0;
  double final_seconds = 0;          // of the network, median over seeds
  double other_final_seconds = 0;    // likewise, of the other
  double other_elapsed_seconds = 0;  // how long the other took for all its trials
  GoalReached goal;                  // the other's end
  GoalReached nearly;                // a hundredth slower: ends that are alike differ by as much
  /// How many times as fast the network is as the other's after as many trials, medians over
  /// seeds; of those of `equal_trials` that all had come to.
  std::map<std::int64_t, double> faster_after = {};
};

/// Numbers of trials after which searches are compared.
inline constexpr std::array<std::int64_t, 6> equal_trials = {64, 125, 250, 500, 1000, 2000};

RaceResult compare_searches(const std::vector<SearchCurve>& curves,
                            const std::vector<SearchCurve>& others);

}  // namespace tessera
