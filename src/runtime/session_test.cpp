#include "runtime/session.h"

#include "support/sample_network.h"
#include "support/temporary_path.h"
#include "tensor/compare.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace tessera {
namespace {

/// A sample network in a file, opened.
struct Opened {
  explicit Opened(const SampleNetwork::Sizes& sizes = {}) : network(detect_host(), sizes) {
    const Result<void> written = network.write(path.text());
    EXPECT_TRUE(written) << written.error().message;
    Result<std::shared_ptr<const Package>> opened = Package::open(path.text());
    EXPECT_TRUE(opened) << opened.error().message;
    package = *std::move(opened);
  }

  HostBuffer random_input(std::uint64_t seed) const {
    HostBuffer x(DType::F32, element_count(network.plan.inputs[0].shape));
    Rng rng(seed);
    fill_random(x, rng);
    return x;
  }
  HostBuffer room_for_output() const {
    return {DType::F32, element_count(network.plan.outputs[0].shape)};
  }

  SampleNetwork network;
  TemporaryPath path;
  std::shared_ptr<const Package> package;
};

Result<void> run(Session& session, const void* x, void* y) {
  return session.run(std::array{x}, std::array{y});
}

std::string refusal(const Result<void>& result) {
  return result ? "accepted" : result.error().message;
}

void expect_agreement(const Opened& opened, Session& session, std::uint64_t seed) {
  const HostBuffer x = opened.random_input(seed);
  HostBuffer y = opened.room_for_output();
  ASSERT_EQ(refusal(run(session, x.data(), y.data())), "accepted");
  const Comparison comparison = compare(y, opened.network.interpreted(x), {});
  EXPECT_TRUE(comparison.equal) << comparison.message << ", seed " << seed;
}

TEST(Session, ComputesWhatTheInterpreterDoes) {
  const Opened opened;
  for (const std::int64_t threads : {1, 2, 3}) {
    Result<Session> session = Session::make(opened.package, {.threads = threads});
    ASSERT_TRUE(session);
    EXPECT_EQ(session->threads(), threads);
    for (std::uint64_t seed = 0; seed < 3; ++seed) expect_agreement(opened, *session, seed);
  }
}

TEST(Session, CopiesMemoryThatIsNotAligned) {
  const Opened opened;
  Session session = *Session::make(opened.package);
  const HostBuffer x = opened.random_input(1), want = opened.network.interpreted(x);
  for (const std::size_t shift : {1, 4, 32}) {
    std::vector<char> in(static_cast<std::size_t>(x.size_bytes() + 64), 1);
    std::vector<char> out(static_cast<std::size_t>(want.size_bytes() + 64), 1);
    std::memcpy(in.data() + shift, x.data(), static_cast<std::size_t>(x.size_bytes()));
    ASSERT_TRUE(run(session, in.data() + shift, out.data() + shift));
    HostBuffer got = opened.room_for_output();
    std::memcpy(got.data(), out.data() + shift, static_cast<std::size_t>(got.size_bytes()));
    EXPECT_TRUE(compare(got, want, {}).equal) << shift;
    EXPECT_EQ(out[shift - 1], 1);
    EXPECT_EQ(out[shift + static_cast<std::size_t>(got.size_bytes())], 1);
  }
}

TEST(Session, ConvertsElementsThatKernelsDoNotComputeWith) {
  const Opened opened({.element = ElementType::Float16});
  Session session = *Session::make(opened.package);
  const HostBuffer x = opened.random_input(5);
  std::vector<std::byte> in(static_cast<std::size_t>(x.element_count() * 2));
  encode(x, ElementType::Float16, in);
  std::vector<std::byte> out(
      static_cast<std::size_t>(opened.room_for_output().element_count() * 2));
  ASSERT_TRUE(run(session, in.data(), out.data()));
  const HostBuffer rounded = decode(ElementType::Float16, x.element_count(), in);
  const HostBuffer want = opened.network.interpreted(rounded);
  const HostBuffer got = decode(ElementType::Float16, want.element_count(), out);
  const Comparison comparison = compare(got, want, {.absolute = 1e-3, .relative = 1e-3});
  EXPECT_TRUE(comparison.equal) << comparison.message;
}

TEST(Session, TakesCallsFromSeveralThreads) {
  const Opened opened;
  Session session = *Session::make(opened.package, {.threads = 2});
  std::vector<std::thread> callers;
  for (std::uint64_t n = 0; n < 4; ++n)
    callers.emplace_back([&, n] {
      for (std::uint64_t seed = 0; seed < 20; ++seed)
        expect_agreement(opened, session, 100 * n + seed);
    });
  for (std::thread& caller : callers) caller.join();
}

TEST(Session, SharesConstantsAndPoolWithOthersOfItsPackage) {
  const Opened opened;
  const auto pool = std::make_shared<ThreadPool>(2);
  std::vector<std::thread> callers;
  for (std::uint64_t n = 0; n < 3; ++n)
    callers.emplace_back([&, n] {
      Session session = *Session::make(opened.package, {.pool = pool});
      EXPECT_EQ(&session.package(), opened.package.get());
      for (std::uint64_t seed = 0; seed < 20; ++seed)
        expect_agreement(opened, session, 100 * n + seed);
    });
  for (std::thread& caller : callers) caller.join();
}

TEST(Session, OutlivesTheCallersHoldOnItsPackageAndTheFile) {
  Opened opened;
  Session session = *Session::make(std::move(opened.package));
  std::remove(opened.path.text().c_str());
  expect_agreement(opened, session, 8);
}

TEST(Session, TellsTheTimeOfEachCall) {
  const Opened opened;
  Session session = *Session::make(opened.package, {.threads = 1});
  const HostBuffer x = opened.random_input(1);
  HostBuffer y = opened.room_for_output();
  std::array<std::chrono::nanoseconds, 2> times{std::chrono::hours(1), std::chrono::hours(1)};
  const void* in = x.data();
  void* out = y.data();
  ASSERT_TRUE(session.run(std::span(&in, 1), std::span(&out, 1), times));
  for (const std::chrono::nanoseconds time : times) {
    EXPECT_GT(time.count(), 0);
    EXPECT_LT(time, std::chrono::hours(1));
  }
}

TEST(Session, RefusesPortsThatDoNotFit) {
  const Opened opened;
  Session session = *Session::make(opened.package);
  HostBuffer x = opened.random_input(1), y = opened.room_for_output();
  const void* in = x.data();
  void* out = y.data();
  EXPECT_EQ(refusal(session.run({}, std::span(&out, 1))), "0 inputs, expected 1");
  EXPECT_EQ(refusal(session.run(std::span(&in, 1), {})), "0 outputs, expected 1");
  EXPECT_EQ(refusal(run(session, nullptr, out)), "input 'x': null, expected its elements");
  EXPECT_EQ(refusal(run(session, in, nullptr)), "output 'y': null, expected its elements");
  EXPECT_EQ(refusal(run(session, in, x.data())), "output 'y' overlaps input 'x'");
  EXPECT_EQ(refusal(run(session, in, static_cast<std::byte*>(x.data()) + x.size_bytes() - 1)),
            "output 'y' overlaps input 'x'");
}

TEST(Session, RefusesImpossibleOptions) {
  const Opened opened;
  for (const std::int64_t threads : {-1, 2048}) {
    const Result<Session> session = Session::make(opened.package, {.threads = threads});
    ASSERT_FALSE(session);
    EXPECT_EQ(session.error().message,
              "threads " + std::to_string(threads) + ", expected 0 to 2047");
  }
}

TEST(Session, RefusesMemoryThatIsNotThere) {
  Opened opened;
  opened.network.plan.arena_bytes = std::int64_t{1} << 48;
  ASSERT_TRUE(opened.network.write(opened.path.text()));
  const Result<Session> session = Session::make(*Package::open(opened.path.text()));
  ASSERT_FALSE(session);
  EXPECT_TRUE(session.error().message.starts_with("session of 'sample': 2814749767"))
      << session.error().message;
  EXPECT_TRUE(session.error().message.ends_with("bytes of memory: Cannot allocate memory"));
}

}  // namespace
}  // namespace tessera
