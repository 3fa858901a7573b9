#include "peak/contest.h"

#include "base/check.h"
#include "lower/lower.h"
#include "peak/bounds.h"
#include "peak/peers.h"
#include "peak/search.h"
#include "tensor/compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace tessera::bench {
namespace {

constexpr int rounds = 7;
constexpr double seconds_each = 30e-3;

Region region_of(const Case& c, Target target, std::int64_t threads) {
  target.cores = threads;
  Region::Restriction restriction{
      .decision = "algorithm", .unasked = "direct", .admits = [c](std::string_view option) {
        return admits(c, option);
      }};
  return {Space({computation_of(c.work), std::move(target)}), std::move(restriction)};
}

std::int64_t size_bytes(std::span<const HostBuffer> buffers) {
  std::int64_t bytes = 0;
  for (const HostBuffer& buffer : buffers) bytes += buffer.size_bytes();
  return bytes;
}

/// Our own instance with what it was made of.
struct Entry {
  Choices choices;
  Instance instance;
};

Result<Entry> make_entry(const Region& region, const Choices& choices, const Bench& bench) {
  Result<Instance> instance = make_instance(region.space(), choices, bench);
  if (!instance)
    return Error{to_text(region.space().completed(choices, {}).names) + ": " +
                 instance.error().message};
  return Entry{choices, *std::move(instance)};
}

/// Contenders by name.
class Field {
 public:
  void add(const std::string& name, const Contender& contender) {
    names_.push_back(name);
    contenders_.push_back(contender);
  }

  std::map<std::string, Timing> race() const {
    const std::vector<Timing> timings = bench::race(contenders_, rounds, seconds_each);
    std::map<std::string, Timing> named;
    for (std::size_t n = 0; n < names_.size(); ++n) named.emplace(names_[n], timings[n]);
    return named;
  }

 private:
  std::vector<std::string> names_;
  std::vector<Contender> contenders_;
};

/// Sums are rounded by the size of what enters them, so the largest value sets the scale.
Result<void> check_equal(const HostBuffer& got, const HostBuffer& want,
                         const std::string& algorithm) {
  const double tolerance = algorithm.starts_with("winograd") ? 1e-3 : 1e-4;
  double largest = 0;
  for (const float value : want.as<float>()) largest = std::max<double>(largest, std::abs(value));
  const Comparison comparison =
      compare(got, want, {.absolute = tolerance * largest, .relative = tolerance});
  if (!comparison.equal) return Error{comparison.message};
  return {};
}

/// Everybody who does the work of a case on one number of threads.
struct Contest {
  const Case& c;
  const Region& region;
  const Bench& bench;
  Entry by_default, best;
  std::optional<Peer> openblas, onednn;

  std::int64_t threads() const { return bench.pool.threads(); }

  std::map<std::string, Timing> race() const {
    Field field;
    field.add("peak", fma_peak(bench.pool));
    field.add("default", as_contender(by_default.instance, bench));
    field.add("best", as_contender(best.instance, bench));
    if (openblas) field.add("openblas", {openblas->run, threads()});
    if (onednn) field.add("onednn", {onednn->run, threads()});
    if (c.is_memory_bound)
      field.add("stream", stream(bench.pool, size_bytes(bench.operands),
                                 size_bytes(best.instance.outputs())));
    return field.race();
  }

  /// What another library computed or, for want of one, another schedule.
  Result<HostBuffer> reference() const {
    if (onednn) return onednn->output();
    if (openblas) return openblas->output();
    Rng rng(2);
    const Result<Entry> other = make_entry(region, *region.draw(rng), bench);
    if (!other) return other.error();
    other->instance.run(bench.pool);
    return std::move(other->instance.outputs()[0]);
  }

  Result<void> check_results() const {
    const Result<HostBuffer> want = reference();
    if (!want) return want.error();
    for (const Entry* entry : {&by_default, &best})
      if (const Result<void> checked =
              check_equal(entry->instance.outputs()[0], *want, region.answer(entry->choices));
          !checked)
        return Error{to_text(region.space().completed(entry->choices, {}).names) + ": " +
                     checked.error().message};
    return {};
  }

  Row row(const std::map<std::string, Timing>& timings) const {
    const auto gflops = [&](const std::string& name) -> std::optional<double> {
      if (!timings.contains(name)) return std::nullopt;
      return flops_of(c.work) / timings.at(name).fastest / 1e9;
    };
    // The default was among those measured, so it is the best when nothing else turns out faster.
    const bool is_default_best = timings.at("default").fastest < timings.at("best").fastest;
    const Timing& timing = timings.at(is_default_best ? "default" : "best");
    const Choices& choices = (is_default_best ? by_default : best).choices;
    return {.group = c.group,
            .shape = c.shape,
            .algorithm = region.answer(choices),
            .target = region.space().task().target.name,
            .threads = threads(),
            .default_gflops = *gflops("default"),
            .best_gflops = std::max(*gflops("default"), *gflops("best")),
            .openblas_gflops = gflops("openblas"),
            .onednn_gflops = gflops("onednn"),
            .peak_gflops = fma_peak_flops(threads()) / timings.at("peak").fastest / 1e9,
            .stream_gflops = gflops("stream"),
            .two_thread_scaling = std::nullopt,
            .spread = timing.median / timing.fastest - 1,
            .interrupted = timing.interrupted,
            .is_disturbed = timing.interrupted > 0.5,
            .schedule = to_text(region.space().draft(choices).schedule),
            .choices = to_text(region.space().completed(choices, {}).names),
            .openblas_kernel = openblas ? openblas->kernel : "",
            .onednn_kernel = onednn ? onednn->kernel : ""};
  }
};

Result<Row> run_contest(const Case& c, const Region& region, const Choices& best,
                        const Bench& bench) {
  Result<Entry> by_default = make_entry(region, *region.best_by_prior(), bench);
  if (!by_default) return by_default.error();
  Result<Entry> fast = make_entry(region, best, bench);
  if (!fast) return fast.error();
  const Contest contest{.c = c,
                        .region = region,
                        .bench = bench,
                        .by_default = *std::move(by_default),
                        .best = *std::move(fast),
                        .openblas = openblas_peer(c, bench.operands, bench.pool.threads()),
                        .onednn = onednn_peer(c, bench.operands, bench.pool.threads())};
  const std::map<std::string, Timing> timings = contest.race();
  if (const Result<void> checked = contest.check_results(); !checked) return checked.error();
  return contest.row(timings);
}

}  // namespace

Result<std::vector<Row>> contest(const Case& c, const ContestOptions& options,
                                 const Backend& backend) {
  Rng rng(1);
  const Result<std::vector<HostBuffer>> operands = random_operands(computation_of(c.work), rng);
  if (!operands) return Error{name_of(c) + ": " + operands.error().message};
  ThreadPool alone(1);
  const Region single = region_of(c, options.target, 1);
  const std::optional<Choices> start = single.best_by_prior();
  if (!start) return std::vector<Row>{};
  const Choices best = fastest(single, *start, options.trials, {backend, *operands, alone}, rng);
  const double peak_of_one =
      fma_peak_flops(1) / measure(fma_peak(alone), seconds_each).fastest / 1e9;

  std::vector<Row> rows;
  for (const std::int64_t threads : options.threads) {
    ThreadPool pool(threads);
    const Region region = region_of(c, options.target, threads);
    Result<Row> row = run_contest(c, region, transferred(single.space(), best, region.space()),
                                  {backend, *operands, pool});
    if (!row) return Error{name_of(c) + ": " + row.error().message};
    if (!rows.empty() && rows[0].threads == 1 && threads == 2)
      row->two_thread_scaling = row->best_gflops / rows[0].best_gflops;
    const double free_peak = static_cast<double>(threads) * peak_of_one;
    row->is_disturbed = row->is_disturbed || row->peak_gflops < 0.9 * free_peak;
    rows.push_back(*std::move(row));
  }
  return rows;
}

std::vector<double> compile_seconds(std::span<const Case> cases, int count, const Target& target,
                                    const Backend& backend) {
  Rng rng(3);
  std::vector<Region> regions;
  for (const Case& c : cases) regions.push_back(region_of(c, target, 1));
  std::vector<double> all;
  for (std::size_t n = 0; std::ssize(all) < count; ++n) {
    const Region& region = regions[n % regions.size()];
    const std::optional<Choices> choices = region.draw(rng);
    check(choices.has_value(), "a case with rows");
    const Task& task = region.space().task();
    const Result<Program> program =
        tessera::apply(region.space().draft(*choices).schedule, to_program(task.computation));
    check(program.has_value(), "a schedule that applies");
    const Result<Lowered> lowered = lower(*program, task.target);
    check(lowered.has_value(), "a program that lowers");
    all.push_back(seconds_of([&] {
      check(backend.compile(lowered->main, task.target).has_value(), "a program that compiles");
    }));
  }
  return all;
}

}  // namespace tessera::bench
