#include "search/contest.h"

#include "base/check.h"
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

using Seconds = std::chrono::duration<double>;

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

  Result<double> run(std::span<std::chrono::nanoseconds> call_times = {}) const {
    const auto start = std::chrono::steady_clock::now();
    const auto done = session->run(inputs->inputs(), outputs->outputs(), call_times);
    if (!done) return done.error();
    return Seconds(std::chrono::steady_clock::now() - start).count();
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

Result<std::vector<std::vector<double>>> Contest::task_seconds(
    const std::vector<const Entry*>& entries) const {
  constexpr int turns = 6;
  const std::size_t calls = network_.calls.size();
  std::vector<std::vector<std::vector<double>>> seconds(entries.size());
  for (auto& of_entry : seconds) of_entry.resize(calls);
  std::vector<std::chrono::nanoseconds> times(calls);
  for (int turn = 0; turn < turns; ++turn)
    for (std::size_t n = 0; n < entries.size(); ++n)
      for (int run = 0; run < runs_per_turn; ++run) {
        if (const auto done = entries[n]->run(times); !done) return done.error();
        for (std::size_t call = 0; run > 0 && call < calls; ++call)
          seconds[n][call].push_back(Seconds(times[call]).count());
      }
  std::vector<std::vector<double>> medians(entries.size(), std::vector<double>(tasks_.size(), 0));
  for (std::size_t n = 0; n < entries.size(); ++n)
    for (std::size_t task = 0; task < tasks_.size(); ++task)
      for (const std::size_t call : tasks_[task].calls)
        medians[n][task] += Timings(seconds[n][call]).median();
  return medians;
}

Result<std::vector<Schedule>> Contest::best_in_place() {
  std::vector<const Entry*> all;
  for (const Entry& one : entries_) all.push_back(&one);
  const Result<std::vector<std::vector<double>>> seconds = task_seconds(all);
  if (!seconds) return seconds.error();
  std::vector<Schedule> best;
  for (std::size_t task = 0; task < tasks_.size(); ++task) {
    const auto fastest = std::ranges::min_element(
        *seconds, {}, [&](const std::vector<double>& one) { return one[task]; });
    best.push_back(entries_[static_cast<std::size_t>(fastest - seconds->begin())].schedules[task]);
  }
  return best;
}

Result<std::vector<double>> Contest::seconds_in_place(const std::string& name) {
  const Result<std::vector<std::vector<double>>> seconds = task_seconds({&entry(name)});
  if (!seconds) return seconds.error();
  std::vector<double> of_a_call = seconds->front();
  for (std::size_t task = 0; task < tasks_.size(); ++task)
    of_a_call[task] /= static_cast<double>(tasks_[task].calls.size());
  return of_a_call;
}

void Contest::withdraw(const std::string& name) {
  std::erase_if(entries_, [&](const Entry& one) { return one.name == name; });
}

Result<std::vector<Finalist>> Contest::compare() {
  std::vector<std::vector<double>> milliseconds(entries_.size());
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return Seconds(std::chrono::steady_clock::now() - start).count(); };
  for (int turn = 0; turn < fewest_turns || elapsed() < options_.seconds; ++turn)
    for (std::size_t n = 0; n < entries_.size(); ++n)
      for (int run = 0; run < runs_per_turn; ++run) {
        const Result<double> took = entries_[n].run();
        if (!took) return took.error();
        if (run > 0) milliseconds[n].push_back(1e3 * *took);
      }
  std::vector<Finalist> finalists;
  for (std::size_t n = 0; n < entries_.size(); ++n) {
    const Timings timings(milliseconds[n]);
    finalists.push_back({.name = entries_[n].name,
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
