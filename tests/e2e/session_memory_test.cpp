#include "runtime/session.h"
#include "support/sample_network.h"
#include "support/shell.h"
#include "support/temporary_path.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

namespace {

std::atomic<std::int64_t> allocations = 0;

}  // namespace

// The allocator of the C library, counted. Sanitizers have their own.
#if !defined(__SANITIZE_ADDRESS__)
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}
#endif

namespace tessera {
namespace {

TEST(SessionMemory, IsNotAllocatedByRuns) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "allocations are not counted under a sanitizer";
#endif
  for (const ElementType element : {ElementType::Float, ElementType::Float16}) {
    const SampleNetwork network(detect_host(), {.element = element});
    const TemporaryPath path;
    ASSERT_TRUE(network.write(path.text()));
    Session session = *Session::make(*Package::open(path.text()), {.threads = 1});
    std::vector<std::byte> in(4096), out(4096);
    const void* x = in.data() + 4;  // not aligned, so that it goes through a copy
    void* y = out.data() + 4;
    std::array<std::chrono::nanoseconds, 2> times{};
    ASSERT_TRUE(session.run({&x, 1}, {&y, 1}, times));  // scratch of this thread
    const std::int64_t before = allocations;
    EXPECT_GT(before, 0);
    for (int n = 0; n < 10; ++n) ASSERT_TRUE(session.run({&x, 1}, {&y, 1}, times));
    EXPECT_EQ(allocations, before) << to_text(element);
  }
}

TEST(SessionMemory, IsThatOfWeightsAndArenaAndAFewMegabytes) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  const SampleNetwork network(detect_host(), {.rows = 512, .widths = {64, 4096, 4096, 64}});
  const TemporaryPath path;
  ASSERT_TRUE(network.write(path.text()));
  const Ended ended = run_shell(TESSERA_PEAK_MEMORY " " + path.text());
  ASSERT_EQ(ended.code, 0) << ended.text;
  const std::int64_t peak = std::stoll(ended.text) << 10;
  const std::int64_t planned = network.plan.weights_bytes + network.plan.arena_bytes;
  EXPECT_GT(planned, 60 << 20);
  EXPECT_LE(peak, planned + (10 << 20));
  EXPECT_GE(peak, planned);
}

}  // namespace
}  // namespace tessera
