#include "search/contest.h"

#include "base/check.h"
#include "base/stopwatch.h"
#include "base/unfinished_file.h"
#include "measure/timings.h"
#include "package/build.h"
#include "runtime/port_buffers.h"
#include "runtime/session.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>

namespace tessera {
namespace {

/// Runs of one entry before it is another's turn; the first finds the caches full of the other's
/// data and does not count.
constexpr int runs_per_turn = 6;
constexpr int fewest_turns = 5;

}  // namespace

struct Contest::Entry {
  std::string name;
  std::vector<Schedule> schedules;
  std::string path;  // of its package
  std::unique_ptr<Session> session;
  std::unique_ptr<PortBuffers> inputs, outputs;
  std::vector<double> milliseconds = {};  // of its last runs
  std::vector<std::vector<double>> seconds_of_calls = {};

  Result<double> run(std::span<std::chrono::nanoseconds> call_times) const {
    const Stopwatch stopwatch;
    const auto done = session->run(inputs->inputs(), outputs->outputs(), call_times);
    if (!done) return done.error();
    return stopwatch.seconds();
  }
};

Contest::Contest(const Network& network, const Target& target, const Backend& backend,
                 Options options)
    : network_(network),
      target_(target),
      backend_(backend),
      options_(std::move(options)),
      tasks_(tasks_of(network, target)) {}

Contest::~Contest() = default;

const Contest::Entry& Contest::entry(const std::string& name) const {
  const auto found = std::ranges::find(entries_, name, &Entry::name);
  check(found != entries_.end(), "an entry of that name");
  return *found;
}

const std::vector<Schedule>& Contest::schedules_of(const std::string& name) const {
  return entry(name).schedules;
}

Result<void> Contest::enter(const std::string& name, std::vector<Schedule> schedules) {
  CompileOptions compile;
  compile.schedule_of = one_by_one(schedules);
  Result<CompiledNetwork> compiled = compile_network(network_, target_, backend_, compile);
  if (!compiled) return compiled.error();
  const std::string path = (std::filesystem::path(options_.folder) / (name + ".tessera")).string();
  if (const auto done = write_network(*compiled, target_, path); !done) return done.error();
  const Result<std::shared_ptr<const Package>> package = Package::open(path);
  if (!package) return package.error();
  Result<Session> session = Session::make(*package, {.threads = options_.threads, .pool = {}});
  if (!session) return session.error();
  Entry made{name,
             std::move(schedules),
             path,
             std::make_unique<Session>(*std::move(session)),
             std::make_unique<PortBuffers>((*package)->plan().inputs),
             std::make_unique<PortBuffers>((*package)->plan().outputs)};
  made.inputs->fill_random(1);
  entries_.push_back(std::move(made));
  return {};
}

Result<void> Contest::run_by_turns(double seconds) {
  const std::size_t calls = network_.calls.size();
  for (Entry& one : entries_) {
    one.milliseconds.clear();
    one.seconds_of_calls.assign(calls, {});
  }
  std::vector<std::chrono::nanoseconds> times(calls);
  const Stopwatch stopwatch;
  for (int turn = 0; turn < fewest_turns || stopwatch.seconds() < seconds; ++turn)
    for (Entry& one : entries_)
      for (int run = 0; run < runs_per_turn; ++run) {
        const Result<double> took = one.run(times);
        if (!took) return took.error();
        if (run == 0) continue;
        one.milliseconds.push_back(1e3 * *took);
        for (std::size_t call = 0; call < calls; ++call)
          one.seconds_of_calls[call].push_back(std::chrono::duration<double>(times[call]).count());
      }
  return {};
}

double Contest::task_seconds(const Entry& entry, std::size_t task) const {
  double sum = 0;
  for (const std::size_t call : tasks_[task].calls)
    sum += Timings(entry.seconds_of_calls[call]).median();
  return sum;
}

Result<std::vector<Schedule>> Contest::best_in_place() {
  if (const auto done = run_by_turns(0); !done) return done.error();
  std::vector<Schedule> best;
  for (std::size_t task = 0; task < tasks_.size(); ++task) {
    const auto fastest = std::ranges::min_element(
        entries_, {}, [&](const Entry& one) { return task_seconds(one, task); });
    best.push_back(fastest->schedules[task]);
  }
  return best;
}

std::vector<double> Contest::seconds_in_place(const std::string& name) const {
  std::vector<double> of_a_call;
  for (std::size_t task = 0; task < tasks_.size(); ++task)
    of_a_call.push_back(task_seconds(entry(name), task) /
                        static_cast<double>(tasks_[task].calls.size()));
  return of_a_call;
}

void Contest::withdraw(const std::string& name) {
  std::erase_if(entries_, [&](const Entry& one) { return one.name == name; });
}

Result<std::vector<Finalist>> Contest::compare(double seconds) {
  if (const auto done = run_by_turns(seconds); !done) return done.error();
  std::vector<Finalist> finalists;
  for (const Entry& one : entries_) {
    const Timings timings(one.milliseconds);
    finalists.push_back({.name = one.name,
                         .median_ms = timings.median(),
                         .p90_ms = timings.p90(),
                         .min_ms = timings.min(),
                         .runs = timings.runs()});
  }
  return finalists;
}

Result<void> Contest::write(const std::string& name, const std::string& path) const {
  constexpr std::size_t piece_bytes = 4 << 20;
  std::ifstream from(entry(name).path, std::ios::binary);
  Result<UnfinishedFile> to = UnfinishedFile::make(path);
  if (!to) return to.error();
  std::string piece(piece_bytes, '\0');
  for (std::uint64_t at = 0; from.read(piece.data(), piece_bytes), from.gcount() > 0;) {
    const auto count = static_cast<std::size_t>(from.gcount());
    if (auto done = to->write_at(at, std::string_view(piece).substr(0, count)); !done) return done;
    at += count;
  }
  if (!from.eof()) return Error{entry(name).path + ": cannot be read"};
  return to->finish();
}

}  // namespace tessera
