#pragma once

#include "base/result.h"
#include "record/measurement.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// How far the tuning of one task has come.
struct TaskProgress {
  std::string task;        // its fingerprint
  std::string title;       // the nodes it is made of, of its first call
  std::int64_t calls = 0;  // in the network: its weight
  double flops = 0;
  double traffic_bytes = 0;
  double untuned_seconds = 0;      // of one call
  double best_seconds = 0;         // likewise
  std::int64_t trials = 0;         // measured in this run
  std::vector<double> trend = {};  // best seconds after each round
  std::string schedule = {};       // the best one's text
  std::string choices = {};        // its named answers
  std::string origin = {};         // who proposed it

  double untuned_share(double network_seconds) const {
    return static_cast<double>(calls) * untuned_seconds / network_seconds;
  }
  double share(double network_seconds) const {
    return static_cast<double>(calls) * best_seconds / network_seconds;
  }
  friend bool operator==(const TaskProgress&, const TaskProgress&) = default;
};

/// A whole network, measured at the end beside the others.
struct Finalist {
  std::string name;  // `untuned`, `tuned`, ..
  double median_ms = 0;
  double p90_ms = 0;
  double min_ms = 0;
  std::int64_t runs = 0;
  friend bool operator==(const Finalist&, const Finalist&) = default;
};

/// What a run of the Tuner has found so far: the state that the screen shows and, at its end, the
/// file that `tessera report` reads.
struct TuningRun {
  std::string model;   // as the user named it
  std::string target;  // text form of the Target
  std::int64_t threads = 0;
  std::string sampler;
  std::string cost_model;
  std::uint64_t seed = 0;
  double budget_seconds = 0;       // 0 when only trials are limited
  std::int64_t budget_trials = 0;  // 0 when only time is
  std::string version;             // of the program
  std::string machine;             // the vendor's name for the core
  std::string started;             // 2026-11-16T06:29:01Z
  Conditions conditions = {};      // at the start

  std::string phase;  // `prepare`, `tune`, `compare`, `done`
  double elapsed_seconds = 0;
  std::map<Outcome, std::int64_t> outcomes = {};
  std::int64_t known = 0;            // candidates of these tasks that the store had before
  std::int64_t outdated = 0;         // records whose schedule this version no longer makes
  double peak_flops_per_second = 0;  // of all threads; 0 until measured
  std::vector<TaskProgress> tasks = {};

  /// Estimate of one inference: the best of each task, times its calls.
  struct Point {
    double elapsed_seconds = 0;
    std::int64_t trials = 0;
    double network_seconds = 0;
    friend bool operator==(const Point&, const Point&) = default;
  };
  std::vector<Point> curve = {};
  std::vector<Finalist> finalists = {};
  std::string winner = {};   // name of a finalist
  std::string package = {};  // where it was written

  std::int64_t trials() const;     // the sum over tasks
  double untuned_seconds() const;  // likewise, of one inference
  double best_seconds() const;     // likewise
  friend bool operator==(const TuningRun&, const TuningRun&) = default;
};

/// One JSON document, `"format": 1`, that reads back as the same run. Bytes that are not UTF-8
/// become U+FFFD.
std::string to_json(const TuningRun& run);

/// Refuses with `FIELD: expected X, found Y`: wrong types, numbers that no run comes to, newer
/// formats.
Result<TuningRun> parse_tuning_run(std::string_view json);

}  // namespace tessera
