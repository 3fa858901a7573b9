#include "measure/measurer.h"

#include "base/rng.h"
#include "ir/text.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <limits>
#include <new>
#include <thread>

namespace tessera {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

/// Code that goes wrong when it runs.
class FaultyKernel : public Kernel {
 public:
  explicit FaultyKernel(std::string fault) : fault_(std::move(fault)) {}
  void run(std::span<void* const> buffers, ThreadPool&) const override {
    if (fault_ == "hangs")
      for (volatile bool is_endless = true; is_endless;) {
      }
    if (fault_ == "crashes") std::raise(SIGSEGV);
    if (fault_ == "grows")
      for (std::vector<std::vector<char>> hoard;;) hoard.emplace_back(std::size_t{64} << 20, 'x');
    if (fault_ == "lies") static_cast<float*>(buffers.back())[0] += 1;
  }

 private:
  std::string fault_;
};

/// Makes real kernels, but ones that go wrong of programs whose output is not row-major: a schedule
/// chooses the fault, as it chooses real ones.
class FaultyBackend : public Backend {
 public:
  explicit FaultyBackend(std::string fault) : fault_(std::move(fault)), real_(llvm_backend()) {}
  std::string_view name() const override { return "faulty"; }
  bool runs_here(const Target& target) const override { return real_->runs_here(target); }
  Result<std::unique_ptr<Kernel>> compile(const Program& lowered,
                                          const Target& target) const override {
    if (!is_marked(lowered)) return real_->compile(lowered, target);
    if (fault_ == "dies") std::abort();
    return std::unique_ptr<Kernel>(std::make_unique<FaultyKernel>(fault_));
  }
  Result<ObjectCode> object(const Program& lowered, const Target& target) const override {
    return real_->object(lowered, target);
  }
  Result<std::string> code(const Program& lowered, const Target& target,
                           CodeText text) const override {
    return real_->code(lowered, target, text);
  }

 private:
  static bool is_marked(const Program& lowered) {
    return lowered.params.back().placed.layout != row_major(1);
  }

  std::string fault_;
  std::unique_ptr<Backend> real_;
};

Task times(const std::string& factor) {
  return {*parse_computation("computation scaled\ninput x f32[64]\nstage y f32[i:64] = x[i] * " +
                             factor + "\noutput y\n"),
          detect_host()};
}

Task doubled() { return times("2.0"); }

/// Plain loops, and plain loops whose output is laid out in another way: the mark of a fault.
const std::vector<std::string> candidates = {"", "layout y [0/8 0%8]\n", ""};

std::vector<Measurement> measured_with(const std::string& fault,
                                       const MeasureOptions& options = {}) {
  const FaultyBackend backend(fault);
  Measurer measurer({doubled()}, backend, options);
  const auto measured = measurer.measure(0, candidates, unknown);
  EXPECT_TRUE(measured) << measured.error().message;
  return *measured;
}

void expect_others_ok(const std::vector<Measurement>& measured) {
  ASSERT_EQ(measured.size(), 3);
  for (const std::size_t n : {std::size_t{0}, std::size_t{2}}) {
    EXPECT_TRUE(measured[n].is_ok()) << measured[n].reason;
    EXPECT_FALSE(measured[n].seconds.empty());
  }
}

TEST(Measurer, MeasuresEveryCandidate) {
  const std::vector<Measurement> measured = measured_with("none");
  expect_others_ok(measured);
  EXPECT_GT(measured[0].compile_seconds, 0);
  EXPECT_TRUE(measured[0].conditions.load.has_value());
}

TEST(Measurer, OutlivesACandidateThatCrashes) {
  const std::vector<Measurement> measured = measured_with("crashes");
  expect_others_ok(measured);
  EXPECT_EQ(measured[1].outcome, Outcome::Crashed);
  EXPECT_EQ(measured[1].reason, "segmentation fault");
}

TEST(Measurer, OutlivesACandidateWhoseCompilationDies) {
  const std::vector<Measurement> measured = measured_with("dies");
  expect_others_ok(measured);
  EXPECT_EQ(measured[1].outcome, Outcome::Crashed);
  EXPECT_EQ(measured[1].reason, "aborted");
}

TEST(Measurer, EndsACandidateThatHangs) {
  MeasureOptions options;
  options.shortest_limit_seconds = 0.3;
  const std::vector<Measurement> measured = measured_with("hangs", options);
  expect_others_ok(measured);
  EXPECT_EQ(measured[1].outcome, Outcome::TimedOut);
}

TEST(Measurer, StopsACandidateThatTakesAllMemory) {
  MeasureOptions options;
  options.memory_bytes = std::int64_t{1} << 30;
  options.shortest_limit_seconds = 60;  // filling memory takes long where others fill it too
  const std::vector<Measurement> measured = measured_with("grows", options);
  expect_others_ok(measured);
  EXPECT_EQ(measured[1].outcome, Outcome::OutOfMemory);
}

TEST(Measurer, FindsWrongResults) {
  const FaultyBackend backend("lies");
  Measurer measurer({doubled()}, backend);
  const auto measured = measurer.measure(0, {candidates[1]}, unknown);
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->front().outcome, Outcome::WrongResult);
  EXPECT_TRUE(measured->front().seconds.empty());
}

TEST(Measurer, ComparesATaskWithItsOwnLoopsWheneverItsTurnIs) {
  const FaultyBackend backend("lies");
  Measurer measurer({doubled(), times("3.0")}, backend);
  for (const std::size_t task : {0, 1, 0, 1}) {
    const auto right = measurer.measure(task, {candidates[0]}, unknown);
    ASSERT_TRUE(right) << right.error().message;
    EXPECT_TRUE(right->front().is_ok()) << right->front().reason;
    const auto wrong = measurer.measure(task, {candidates[1]}, unknown);
    ASSERT_TRUE(wrong) << wrong.error().message;
    EXPECT_EQ(wrong->front().outcome, Outcome::WrongResult);
  }
}

TEST(Measurer, SaysWhyAScheduleIsRefused) {
  const auto backend = llvm_backend();
  Measurer measurer({doubled()}, *backend);
  const auto measured = measurer.measure(0, {"split z [4]\n", "nonsense\n"}, unknown);
  ASSERT_TRUE(measured) << measured.error().message;
  for (const Measurement& one : *measured) {
    EXPECT_EQ(one.outcome, Outcome::Refused);
    EXPECT_FALSE(one.reason.empty());
  }
}

TEST(Measurer, GoesOnWhenItsWorkerIsKilled) {
  const auto backend = llvm_backend();
  Measurer measurer({doubled()}, *backend);
  for (int n = 0; n < 3; ++n) {
    const auto measured = measurer.measure(0, candidates, unknown);
    ASSERT_TRUE(measured) << measured.error().message;
    expect_others_ok(*measured);
    ASSERT_TRUE(measurer.worker_process().has_value());
    kill(*measurer.worker_process(), SIGKILL);
  }
  EXPECT_EQ(measurer.workers_started(), 3);
}

TEST(Measurer, KillingWorkersAtAnyMomentLosesNoCandidate) {
  const auto backend = llvm_backend();
  Measurer measurer({doubled()}, *backend);
  ASSERT_TRUE(measurer.measure(0, candidates, unknown));
  Rng rng(1);
  for (int n = 0; n < 10; ++n) {
    const pid_t worker = measurer.worker_process().value_or(0);
    std::jthread killer;
    if (worker != 0)
      killer = std::jthread([worker, wait = std::chrono::microseconds(rng.below(20'000))] {
        std::this_thread::sleep_for(wait);
        kill(worker, SIGKILL);
      });
    const auto measured = measurer.measure(0, candidates, unknown);
    ASSERT_TRUE(measured) << measured.error().message;
    for (const Measurement& one : *measured) EXPECT_TRUE(one.is_ok()) << one.reason;
  }
}

}  // namespace
}  // namespace tessera
