#include "cli/roofline.h"

#include "cli/peak.h"

#include <algorithm>
#include <chrono>

namespace tessera {
namespace {

constexpr std::int64_t repeats = 10;
constexpr std::int64_t most_memory_bytes = std::int64_t{128} << 20;
constexpr double least_share = 0.25;  // of the time, for a bound to be called the limit

double shortest_seconds(const Instance& instance, ThreadPool& pool) {
  using Clock = std::chrono::steady_clock;
  Clock::duration shortest = Clock::duration::max();
  for (std::int64_t n = 0; n < repeats; ++n) {
    const Clock::time_point start = Clock::now();
    instance.run(pool);
    shortest = std::min(shortest, Clock::now() - start);
  }
  return std::chrono::duration<double>(shortest).count();
}

}  // namespace

double Roofline::share_of_peak(const Work& work) const {
  return work.flops / flops_per_second / work.seconds;
}

std::string_view Roofline::limit(const Work& work) const {
  const double compute = share_of_peak(work);
  const double memory = work.traffic_bytes / bytes_per_second / work.seconds;
  if (std::max(compute, memory) < least_share) return "overhead";
  return compute >= memory ? "compute" : "memory";
}

Roofline measure_roofline(const Target& host, std::int64_t threads, std::int64_t memory_bytes) {
  const Peak peak = make_peak(host, threads);
  const Stream stream = make_stream(host, threads, std::min(memory_bytes, most_memory_bytes));
  const std::unique_ptr<Backend> backend = llvm_backend();
  ThreadPool pool(threads);
  const auto rate = [&](const Program& program, double amount) {
    return amount / shortest_seconds(make_instance(program, host, *backend), pool);
  };
  return {rate(peak.program, peak.flops), rate(stream.program, stream.bytes)};
}

}  // namespace tessera
