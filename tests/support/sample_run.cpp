#include "support/sample_run.h"

#include "base/rng.h"

#include <algorithm>
#include <array>
#include <string>

namespace tessera {
namespace {

constexpr double peak = 183.8e9;
constexpr double budget_seconds = 300;
constexpr std::int64_t rounds = 250;
constexpr std::int64_t trials_per_round = 12;

struct Layer {
  const char* title;
  std::int64_t calls;
  double mflops;
  double share_of_peak;  // that tuning can reach at best
};

constexpr std::array<Layer, 25> layers = {{{"Conv+Relu", 1, 236.0, 0.78},
                                           {"MaxPool", 1, 1.8, 0.05},
                                           {"Conv+Relu", 1, 25.7, 0.71},
                                           {"Conv+Relu", 3, 231.2, 1.55},
                                           {"Conv+Add+Relu", 3, 102.8, 0.81},
                                           {"Conv+Relu", 2, 102.8, 0.88},
                                           {"Conv+Relu", 1, 205.5, 0.91},
                                           {"Conv+Relu", 1, 231.2, 0.86},
                                           {"Conv+Add+Relu", 4, 102.8, 0.88},
                                           {"Conv", 1, 205.5, 0.90},
                                           {"Conv+Relu", 3, 102.8, 0.92},
                                           {"Conv+Relu", 3, 231.2, 1.62},
                                           {"Conv+Relu", 1, 205.5, 0.93},
                                           {"Conv+Relu", 1, 231.2, 0.84},
                                           {"Conv+Add+Relu", 6, 102.8, 0.90},
                                           {"Conv", 1, 205.5, 0.90},
                                           {"Conv+Relu", 5, 102.8, 0.92},
                                           {"Conv+Relu", 5, 231.2, 1.48},
                                           {"Conv+Relu", 1, 205.5, 0.92},
                                           {"Conv+Relu", 1, 231.2, 0.76},
                                           {"Conv+Add+Relu", 3, 102.8, 0.83},
                                           {"Conv", 1, 205.5, 0.83},
                                           {"Conv+Relu", 2, 102.8, 0.85},
                                           {"Conv+Relu", 2, 231.2, 1.02},
                                           {"Gemm", 1, 4.1, 0.06}}};

constexpr std::array<const char*, 3> origins = {"default", "evolution", "store"};

std::string fingerprint(Rng& rng) {
  std::string text;
  for (int n = 0; n < 32; ++n) text += "0123456789abcdef"[rng.below(16)];
  return text;
}

TaskProgress untuned_task(const Layer& layer, Rng& rng) {
  TaskProgress task;
  task.task = fingerprint(rng);
  task.title = layer.title;
  task.calls = layer.calls;
  task.flops = layer.mflops * 1e6;
  task.traffic_bytes = task.flops / 40;
  task.untuned_seconds = task.flops / peak / layer.share_of_peak * (1.05 + 1.6 * rng.unit());
  task.best_seconds = task.untuned_seconds;
  task.origin = origins[0];
  task.choices = "tile=6x2 order=cols_outer unroll=1 parallel=rows";
  task.schedule =
      "layout W [0/16 1 2 3 0%16]\ncache_write conv\nsplit conv.w [6]\nsplit conv.o [16]\n"
      "reorder [conv.o.0 conv.h conv.w.0 conv.w.1 conv.o.1]\n"
      "compute_at conv.tile conv.w.0 register\nvectorize conv.tile.o\nunroll conv.tile.w\n"
      "parallel conv.o.0\n";
  return task;
}

/// Each round takes away a part of what lies between a task's time and its least.
void improve(TaskProgress& task, const Layer& layer, Rng& rng) {
  const double least = task.flops / peak / layer.share_of_peak;
  task.trials += trials_per_round;
  if (rng.chance(0.6)) {
    task.best_seconds = least + (task.best_seconds - least) * (1 - 0.5 * rng.unit());
    task.origin = origins[static_cast<std::size_t>(rng.between(1, 2))];
    task.choices = "tile=4x3 order=rows_outer unroll=" + std::to_string(rng.between(1, 4));
  }
  task.trend.push_back(task.best_seconds);
}

/// A task, as often as its share of the time says.
std::size_t draw(const TuningRun& run, Rng& rng) {
  double left = rng.unit();
  for (std::size_t n = 0; n < run.tasks.size(); ++n)
    if ((left -= run.tasks[n].share(run.best_seconds())) <= 0) return n;
  return 0;
}

void set_context(TuningRun& run, std::uint64_t seed) {
  run.model = "zoo:resnet50";
  run.target = "x86-avx2 cpu=znver4 cores=2";
  run.threads = 2;
  run.sampler = "evolution";
  run.cost_model = "xgboost";
  run.seed = seed;
  run.budget_seconds = budget_seconds;
  run.version = "0.1.0";
  run.machine = "AMD EPYC 9R14";
  run.started = "2026-11-16T06:29:01Z";
  run.conditions = {.load = 0.31, .clock_ghz = 3.68, .celsius = 54};
  run.peak_flops_per_second = peak;
}

void compare(TuningRun& run) {
  const double before = run.untuned_seconds() * 1e3 * 1.04, after = run.best_seconds() * 1e3 * 1.03;
  run.finalists = {{"untuned", before, before * 1.05, before * 0.98, 60},
                   {"tuned", after, after * 1.06, after * 0.98, 60},
                   {"known", after * 1.08, after * 1.15, after * 1.05, 60}};
  run.winner = "tuned";
  run.package = "resnet50.tessera";
}

}  // namespace

TuningRun sample_run(std::uint64_t seed) {
  Rng rng(seed);
  TuningRun run;
  set_context(run, seed);
  for (const Layer& layer : layers) run.tasks.push_back(untuned_task(layer, rng));
  run.curve.push_back({4.2, 0, run.untuned_seconds()});
  for (std::int64_t round = 1; round <= rounds; ++round) {
    const std::size_t n = draw(run, rng);
    improve(run.tasks[n], layers[n], rng);
    const double elapsed = 4.2 + static_cast<double>(round) / rounds * 0.95 * budget_seconds;
    run.curve.push_back({elapsed, run.trials(), run.best_seconds()});
  }
  run.outcomes = {{Outcome::Ok, 2921},
                  {Outcome::Refused, 43},
                  {Outcome::Crashed, 2},
                  {Outcome::TimedOut, 33},
                  {Outcome::WrongResult, 1}};
  run.known = 1842;
  compare(run);
  run.phase = "done";
  run.elapsed_seconds = budget_seconds + 6.5;
  return run;
}

TuningRun small_run() {
  TuningRun run;
  set_context(run, 7);
  run.phase = "tune";
  run.elapsed_seconds = 161.2;
  run.peak_flops_per_second = 100e9;
  run.outcomes = {{Outcome::Ok, 401}, {Outcome::Refused, 4}, {Outcome::TimedOut, 7}};
  const auto add = [&](const char* title, std::int64_t calls, double flops, double untuned_us,
                       std::int64_t trials, std::vector<double> trend_us) {
    TaskProgress task;
    task.task = std::string(32, static_cast<char>('a' + run.tasks.size()));
    task.title = title;
    task.calls = calls;
    task.flops = flops;
    task.untuned_seconds = untuned_us * 1e-6;
    for (const double us : trend_us) task.trend.push_back(us * 1e-6);
    task.best_seconds = task.trend.empty() ? task.untuned_seconds : task.trend.back();
    task.trials = trials;
    task.origin = trials > 0 ? "evolution" : "default";
    run.tasks.push_back(task);
  };
  add("Conv+Relu", 6, 64e6, 4000, 256, {3000, 2000, 1500, 1000});
  add("Conv+BatchNormalization+Add+Relu+MaxPool", 3, 32e6, 1000, 120, {900, 800, 800, 800, 800});
  add("Softmax", 1, 0, 50, 36, {50, 50});
  add("Gemm", 1, 1e6, 600, 0, {});
  run.curve = {{2, 0, run.untuned_seconds()}, {60, 160, 12e-3}, {161.2, 412, run.best_seconds()}};
  return run;
}

}  // namespace tessera
