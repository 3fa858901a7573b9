#include "measure/measurer.h"

#include "base/cores.h"
#include "measure/protocol.h"
#include "measure/worker.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <set>
#include <unistd.h>

namespace tessera {
namespace {

using Kind = WorkerEvent::Kind;

MeasureOptions completed(MeasureOptions options) {
  if (options.threads == 0) options.threads = usable_cores();
  if (options.memory_bytes == 0)
    options.memory_bytes = sysconf(_SC_PHYS_PAGES) / 2 * sysconf(_SC_PAGESIZE);
  return options;
}

}  // namespace

/// A request and what is known of its candidates.
struct Measurer::Progress {
  std::size_t task = 0;
  const std::vector<std::string>& schedules;
  double best_seconds = 0;
  std::vector<std::optional<Measurement>> found;
  /// What the worker said last, of the candidates from `first` on.
  std::size_t first = 0;
  WorkerEvent last = {};
  bool is_alone = false;            // one candidate was asked for: whatever happens is its doing
  bool is_overdue = false;          // the worker takes too long
  std::set<std::size_t> lost = {};  // candidates whose worker somebody killed

  /// The candidate that made the worker end, if that is certain.
  std::optional<std::size_t> culprit() const {
    if (is_alone) return first;
    if (last.kind == Kind::Running) return first + last.candidate;
    return std::nullopt;
  }
  std::size_t count_found() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(found, [](const auto& one) { return one.has_value(); }));
  }
};

Measurer::Measurer(std::vector<Task> tasks, const Backend& backend, const MeasureOptions& options)
    : tasks_(std::make_unique<const std::vector<Task>>(std::move(tasks))),
      options_(completed(options)),
      server_([&](const Channel& channel) {
        serve_measuring(channel, {.tasks = *tasks_,
                                  .backend = backend,
                                  .threads = options_.threads,
                                  .cores = usable_cores(),
                                  .memory_bytes = options_.memory_bytes});
      }) {}

double Measurer::limit_for(double best_seconds) const {
  if (!std::isfinite(best_seconds)) return options_.patience_seconds;
  return std::max(options_.shortest_limit_seconds, options_.limit_ratio * best_seconds);
}

std::optional<pid_t> Measurer::worker_process() const {
  return worker_ ? std::optional(worker_->process) : std::nullopt;
}

Result<std::vector<Measurement>> Measurer::measure(std::size_t task,
                                                   const std::vector<std::string>& schedules,
                                                   double best_seconds) {
  Progress progress{.task = task,
                    .schedules = schedules,
                    .best_seconds = best_seconds,
                    .found = std::vector<std::optional<Measurement>>(schedules.size())};
  bool is_blame_unclear = false;
  for (std::size_t known = 0; known < schedules.size(); known = progress.count_found()) {
    const auto open =
        std::ranges::find_if(progress.found, [](const auto& one) { return !one.has_value(); });
    const auto first = static_cast<std::size_t>(open - progress.found.begin());
    const std::size_t count = is_blame_unclear ? 1 : schedules.size() - first;
    if (const auto done = attempt(progress, first, count); !done) return done.error();
    is_blame_unclear = is_blame_unclear || progress.count_found() == known;
  }
  std::vector<Measurement> all;
  for (std::optional<Measurement>& one : progress.found) all.push_back(*std::move(one));
  return all;
}

/// Has a worker measure `count` candidates from `first` on, in order; stops early when it is lost.
Result<void> Measurer::attempt(Progress& progress, std::size_t first, std::size_t count) {
  if (!worker_) {
    Result<ForkServer::Child> child = server_.fork();
    if (!child) return child.error();
    worker_ = *std::move(child);
    ++workers_started_;
  }
  progress.first = first;
  progress.last = {};
  progress.is_alone = count == 1;
  progress.is_overdue = false;
  const auto begin = progress.schedules.begin() + static_cast<std::ptrdiff_t>(first);
  const MeasureRequest request{
      progress.task, progress.best_seconds, {begin, begin + static_cast<std::ptrdiff_t>(count)}};
  bool is_here = true;
  for (const std::string& message : to_messages(request))
    is_here = is_here && worker_->channel.send(message);
  while (is_here) {
    const double limit = progress.last.kind == Kind::Running ? limit_for(progress.best_seconds)
                                                             : options_.patience_seconds;
    progress.is_overdue = !worker_->channel.wait(std::chrono::duration<double>(limit));
    if (progress.is_overdue) break;
    const auto received = worker_->channel.receive();
    is_here = received.has_value();
    if (!is_here) break;
    const Result<WorkerEvent> event = parse_event(received->message);
    if (!event || event->candidate >= count) break;
    progress.last = *event;
    if (event->kind != Kind::Measured) continue;
    const Measurement& measurement = event->measurement;
    if (measurement.is_ok())
      progress.best_seconds = std::min(progress.best_seconds, measurement.best());
    progress.found[first + event->candidate] = measurement;
    if (event->candidate + 1 == count) return {};
  }
  lose_worker(progress, is_here);
  return {};
}

/// Notes what became of the candidate that the worker was lost with. When somebody else killed the
/// worker the candidate gets another chance.
void Measurer::lose_worker(Progress& progress, bool is_here) {
  const ForkServer::Ending ending = server_.end_of(*worker_, /*is_killed=*/is_here);
  worker_.reset();
  const std::optional<std::size_t> culprit = progress.culprit();
  if (!culprit) return;
  if (progress.is_overdue)
    progress.found[*culprit] = {.outcome = Outcome::TimedOut, .reason = "took too long"};
  else if (is_here || ending.signal != SIGKILL || !progress.lost.insert(*culprit).second)
    progress.found[*culprit] = {.outcome = Outcome::Crashed, .reason = ending.text};
}

}  // namespace tessera
