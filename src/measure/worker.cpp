#include "measure/worker.h"

#include "base/check.h"
#include "base/file.h"
#include "base/stopwatch.h"
#include "base/text.h"
#include "measure/conditions.h"
#include "measure/protocol.h"
#include "measure/timing.h"
#include "tensor/compare.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace tessera {
namespace {

/// Largest difference from the plain loops, in units of their largest element: sums in another
/// order and Winograd's transforms stay well below, a wrong index is far above.
constexpr double tolerated_error = 1e-3;
/// A candidate that is not slower than this times the best is compared.
constexpr double checked_ratio = 1.1;
/// When operands of tasks take more than this, or an eighth of what the worker may take, those of
/// the next task take their place.
constexpr std::int64_t most_kept_bytes = std::int64_t{1} << 30;

void limit_memory(std::int64_t more_bytes) {
  if (more_bytes <= 0) return;
  const Result<std::string> statm = read_file("/proc/self/statm");
  if (!statm) return;
  Scanner scanner(*statm);
  std::optional<std::int64_t> pages;
  for (int field = 0; field < 6; ++field) pages = scanner.accept_integer();  // the sixth: data
  const rlim_t limit = static_cast<rlim_t>(pages.value_or(0) * sysconf(_SC_PAGESIZE) + more_bytes);
  const rlimit both{limit, limit};
  setrlimit(RLIMIT_DATA, &both);
}

/// The quick answer for floats; others are compared exactly.
bool is_near(const HostBuffer& got, const HostBuffer& want) {
  if (got.dtype() != DType::F32 || got.element_count() != want.element_count()) return false;
  const std::span<const float> a = got.as<float>(), b = want.as<float>();
  float error = 0, scale = 0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    const float difference = std::abs(a[n] - b[n]);
    if (!(difference <= std::numeric_limits<float>::max())) return false;
    error = std::max(error, difference);
    scale = std::max(scale, std::abs(b[n]));
  }
  return error <= tolerated_error * scale;
}

/// Loops as the computation states them, the first long one of each stage on all threads. Sums of
/// neighbours are formed side by side, each in its order: one sum by itself waits for every
/// addition before. Nothing else of what schedules do.
Schedule plain_schedule(const Computation& computation, std::int64_t threads) {
  constexpr std::int64_t most_neighbours = 8;
  Schedule schedule;
  for (const Stage& stage : computation.stages) {
    const auto loop = [&](const Axis& axis) { return stage.tensor.name + "." + axis.name; };
    const auto is_long = [&](const Axis& axis) {
      return axis.kind == AxisKind::Spatial && axis.extent >= threads;
    };
    const auto is_reduced = [](const Axis& axis) { return axis.kind == AxisKind::Reduce; };
    const auto outer = std::ranges::find_if(stage.axes, is_long);
    const auto reduced = std::ranges::find_if(stage.axes, is_reduced);
    const bool has_neighbours = reduced != stage.axes.begin() && reduced != stage.axes.end() &&
                                stage.tensor.dtype == DType::F32;
    if (has_neighbours) {
      const Axis& innermost = *std::prev(reduced);
      const AxisId last = loop(innermost);
      std::vector<AxisId> order{last + ".0"};
      std::transform(reduced, stage.axes.end(), std::back_inserter(order), loop);
      order.push_back(last + ".1");
      schedule.push_back(Split{last, {std::min(most_neighbours, innermost.extent)}});
      schedule.push_back(Reorder{order});
      schedule.push_back(Vectorize{last + ".1"});
    }
    if (threads > 1 && outer != stage.axes.end())
      schedule.push_back(
          Parallel{loop(*outer) + (has_neighbours && std::next(outer) == reduced ? ".0" : "")});
  }
  return schedule;
}

struct Compiled {
  std::optional<Instance> instance;
  Measurement measurement;  // what it came to when there is no instance
};

Measurement failed(Outcome outcome, std::string reason) {
  return {.outcome = outcome, .reason = std::move(reason)};
}

/// Candidates of one request, each compiled once, in order, on threads of its own.
class Workshop {
 public:
  /// `make(n)` gives candidate n; at most `ahead` wait to be taken.
  template <typename Make>
  Workshop(std::size_t count, std::size_t threads, std::size_t ahead, const Make& make)
      : slots_(count), ahead_(ahead) {
    for (std::size_t n = 0; n < std::min(threads, count); ++n)
      threads_.emplace_back([this, make](const std::stop_token& stop) { work(make, stop); });
  }
  ~Workshop() {
    for (std::jthread& thread : threads_) thread.request_stop();
    changed_.notify_all();
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  Compiled take(std::size_t n) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return slots_[n].has_value(); });
    taken_ = n + 1;
    Compiled out = *std::move(slots_[n]);
    slots_[n].reset();
    changed_.notify_all();
    return out;
  }

 private:
  template <typename Make>
  void work(const Make& make, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested() && next_ < slots_.size()) {
      if (next_ >= taken_ + ahead_) {
        changed_.wait(lock);
        continue;
      }
      const std::size_t n = next_++;
      lock.unlock();
      Compiled made = make(n);
      lock.lock();
      slots_[n] = std::move(made);
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::optional<Compiled>> slots_;
  std::size_t ahead_;
  std::size_t next_ = 0;
  std::size_t taken_ = 0;
  std::vector<std::jthread> threads_;  // last: they use all the others
};

class Worker {
 public:
  Worker(const Channel& channel, const WorkerSetting& setting)
      : channel_(channel), setting_(setting), pool_(setting.threads), threads_(pool_) {}

  /// False when the other end has closed.
  bool serve_one() {
    const std::optional<Channel::Received> first = channel_.receive();
    if (!first) return false;
    const Result<RequestHead> head = parse_request_head(first->message);
    check(head.has_value() && head->task < setting_.tasks.size(), "a request");
    std::vector<std::string> schedules;
    for (std::size_t n = 0; n < head->candidates; ++n) {
      std::optional<Channel::Received> next = channel_.receive();
      if (!next) return false;
      schedules.push_back(next->message.substr(1));
    }
    best_seconds_ = head->best_seconds;
    return prepare(head->task) ? measure_all(schedules) : refuse_all(schedules.size());
  }

 private:
  using Kind = WorkerEvent::Kind;

  bool tell(Kind kind, std::size_t candidate, Measurement measurement = {}) {
    return channel_.send(to_message({kind, candidate, std::move(measurement)}));
  }

  const Task& task() const { return setting_.tasks[*task_]; }

  bool prepare(std::size_t n) {
    if (task_ == n) return true;
    task_ = n;
    if (operands_.contains(n)) return true;
    make_room();
    Rng rng(1);
    Result<std::vector<HostBuffer>> made = random_operands(task().computation, rng);
    if (!made) {
      task_.reset();
      refusal_ = made.error().message;
      return false;
    }
    Operands& operands = operands_[n];
    operands.plain = *std::move(made);
    operands.packed = std::make_unique<PackedOperands>(operands.plain);
    return true;
  }

  void make_room() {
    std::int64_t bytes = 0;
    for (const auto& [task, operands] : operands_) {
      bytes += operands.packed->size_bytes();
      for (const HostBuffer& buffer : operands.plain) bytes += buffer.size_bytes();
    }
    const std::int64_t share = setting_.memory_bytes > 0 ? setting_.memory_bytes / 8 : bytes;
    if (bytes > std::min(most_kept_bytes, share)) operands_.clear();
  }

  PackedOperands& packed() const { return *operands_.at(*task_).packed; }

  bool refuse_all(std::size_t count) {
    for (std::size_t n = 0; n < count; ++n)
      if (!tell(Kind::Measured, n, failed(Outcome::OutOfMemory, refusal_))) return false;
    return true;
  }

  bool measure_all(const std::vector<std::string>& schedules) {
    const std::size_t count = schedules.size();
    const std::int64_t spare = setting_.cores - setting_.threads;
    const bool takes_turns = spare <= 0;
    const auto threads = static_cast<std::size_t>(takes_turns ? setting_.cores : spare);
    const std::size_t ahead = takes_turns ? count : threads + 1;
    if (!tell(Kind::Compiling, 0)) return false;
    const std::size_t first = references_.contains(*task_) ? 0 : 1;  // behind the plain loops
    Workshop workshop(first + count, threads, ahead, [&](std::size_t n) {
      return n < first ? compiled(plain_schedule(task().computation, setting_.threads))
                       : compiled(schedules[n - first]);
    });
    plain_ = first > 0 ? workshop.take(0) : Compiled();
    std::vector<Compiled> waiting;
    if (takes_turns)
      for (std::size_t n = 0; n < count; ++n) waiting.push_back(workshop.take(first + n));
    for (std::size_t n = 0; n < count; ++n) {
      Compiled one = takes_turns ? std::move(waiting[n]) : workshop.take(first + n);
      if (!tell(Kind::Running, n)) return false;
      if (!tell(Kind::Measured, n, measured(one))) return false;
    }
    return true;
  }

  Compiled compiled(const std::string& text) const {
    const Result<Schedule> schedule = parse_schedule(text);
    if (!schedule) return {std::nullopt, failed(Outcome::Refused, schedule.error().message)};
    return compiled(*schedule);
  }

  Compiled compiled(const Schedule& schedule) const try {
    const Stopwatch stopwatch;
    const Result<Program> program = tessera::apply(schedule, to_program(task().computation));
    if (!program) return {std::nullopt, failed(Outcome::Refused, program.error().message)};
    Result<Instance> instance = Instance::make(*program, task().target, setting_.backend, packed());
    if (!instance) return {std::nullopt, failed(Outcome::Refused, instance.error().message)};
    const double taken = stopwatch.seconds();
    return {*std::move(instance), {.compile_seconds = taken}};
  } catch (const std::bad_alloc&) {
    return {std::nullopt, failed(Outcome::OutOfMemory, "no memory to compile it")};
  } catch (const InternalError& error) {
    return {std::nullopt, failed(Outcome::Refused, error.what())};
  }

  Measurement measured(Compiled& one) try {
    if (!one.instance) return one.measurement;
    Measurement out = one.measurement;
    out.clock = clock_for(setting_.threads);
    out.seconds = time_runs(*one.instance, threads_, {.best_seconds = best_seconds_});
    for (double& seconds : out.seconds)
      seconds = std::round(seconds * 1e9) / 1e9;  // no clock tells more
    out.conditions = conditions_now();
    if (out.best() > checked_ratio * best_seconds_) return out;
    if (const std::string wrong = difference(*one.instance); !wrong.empty())
      return failed(Outcome::WrongResult, wrong);
    best_seconds_ = std::min(best_seconds_, out.best());
    return out;
  } catch (const std::bad_alloc&) {
    return failed(Outcome::OutOfMemory, "no memory to run it");
  }

  /// How the outputs of the last run differ from those of the plain loops; empty when they agree.
  std::string difference(const Instance& instance) {
    const Result<std::span<const HostBuffer>> want = reference();
    if (!want) return "its plain loops: " + want.error().message;
    const std::vector<HostBuffer> got = instance.outputs();
    for (std::size_t n = 0; n < got.size(); ++n)
      if (!is_near(got[n], (*want)[n])) {
        const Comparison found = compare(got[n], (*want)[n], {});
        if (!found.equal) return found.message;
      }
    return {};
  }

  /// What the task's plain loops give.
  Result<std::span<const HostBuffer>> reference() {
    if (const auto known = references_.find(*task_); known != references_.end())
      return std::span<const HostBuffer>(known->second);
    tell(Kind::Checking, 0);
    if (!plain_.instance) return Error{plain_.measurement.reason};
    plain_.instance->run(pool_);
    std::vector<HostBuffer> outputs = plain_.instance->outputs();
    plain_ = {};
    return std::span<const HostBuffer>(
        references_.insert_or_assign(*task_, std::move(outputs)).first->second);
  }

  const Channel& channel_;
  const WorkerSetting& setting_;
  ThreadPool pool_;
  SteadyThreads threads_;
  std::optional<std::size_t> task_;
  struct Operands {
    std::vector<HostBuffer> plain;
    std::unique_ptr<PackedOperands> packed;
  };
  std::map<std::size_t, Operands> operands_;  // of tasks that had a turn, as far as there is room
  /// Of each task that had its turn: plain loops take as long as many candidates, and a task has
  /// many turns.
  std::map<std::size_t, std::vector<HostBuffer>> references_;
  Compiled plain_;  // loops of the task, until its reference is made
  std::string refusal_;
  double best_seconds_ = std::numeric_limits<double>::infinity();
};

}  // namespace

void serve_measuring(const Channel& channel, const WorkerSetting& setting) {
  limit_memory(setting.memory_bytes);
  Worker worker(channel, setting);
  while (worker.serve_one()) {
  }
}

}  // namespace tessera
