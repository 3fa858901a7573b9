/// How many programs does a neural ranker learn from, and score, in a second?
///
/// Lists of 64 random programs; each kind sees rows as it would get them: Mamba and TLP 24 tokens
/// of width 48, TenSet's MLP 4 statements of width 174. Rates are by the CPU time of all threads,
/// which a busy machine disturbs less than the clock on the wall.

#include "base/rng.h"
#include "model/ranker.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

namespace tessera::bench {
namespace {

struct Options {
  std::string kind;  // all when empty
  std::size_t programs = 1024;
  int threads = 1;
  int rounds = 5;
};

struct Kind {
  const char* name;
  std::size_t rows;
  std::size_t width;
};

constexpr Kind kinds[] = {{"tenset-mlp", 4, 174}, {"tlp", 24, 48}, {"mamba", 24, 48}};

struct Lessons {
  Rows programs;
  std::vector<float> labels;
  std::vector<std::size_t> lists = {0};
};

Lessons random_lessons(const Kind& kind, std::size_t count) {
  constexpr std::size_t list_size = 64;
  Rng rng(1);
  Lessons lessons{.programs = {.width = kind.width}, .labels = {}};
  for (std::size_t n = 0; n < count; ++n) {
    for (std::size_t number = 0; number < kind.rows * kind.width; ++number)
      lessons.programs.values.push_back(static_cast<float>(rng.unit()));
    lessons.programs.starts.push_back((n + 1) * kind.rows);
    lessons.labels.push_back(static_cast<float>(rng.unit()));
    if ((n + 1) % list_size == 0 || n + 1 == count) lessons.lists.push_back(n + 1);
  }
  return lessons;
}

/// The best of some rounds, in seconds of one core.
double cpu_seconds(int rounds, const auto& act) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  act();  // once for what is made at first
  double best = 1e9;
  for (int n = 0; n < rounds; ++n) {
    const double start = now();
    act();
    best = std::min(best, now() - start);
  }
  return best;
}

int run(const Options& options) {
  fmt::print("{:<12}{:>12}{:>18}{:>18}\n", "kind", "parameters", "learned/s/core", "scored/s/core");
  for (const Kind& kind : kinds) {
    if (!options.kind.empty() && options.kind != kind.name) continue;
    const Lessons lessons = random_lessons(kind, options.programs);
    const RankerShape shape{.kind = kind.name, .width = kind.width};
    Result<std::unique_ptr<Ranker>> ranker = make_ranker(shape, 1, options.threads);
    if (!ranker) {
      fmt::print(stderr, "rankers: {}\n", ranker.error().message);
      return 1;
    }
    const double learn = cpu_seconds(options.rounds, [&] {
      (*ranker)->learn(lessons.programs, lessons.lists, ranking_loss(lessons.labels, lessons.lists),
                       7e-4);
    });
    const double score =
        cpu_seconds(options.rounds, [&] { (void)(*ranker)->score(lessons.programs); });
    const auto count = static_cast<double>(options.programs);
    fmt::print("{:<12}{:>12}{:>18.0f}{:>18.0f}\n", kind.name, (*ranker)->parameter_count(),
               count / learn, count / score);
  }
  return 0;
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  CLI::App app("How many programs does a neural ranker learn from, and score, in a second?");
  tessera::bench::Options options;
  app.add_option("--kind", options.kind, "tenset-mlp, tlp or mamba; all when not given");
  app.add_option("--programs", options.programs, "in one step of learning")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "of a ranker")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app.add_option("--rounds", options.rounds, "of which the fastest counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return tessera::bench::run(options);
}
