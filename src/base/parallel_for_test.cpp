#include "base/parallel_for.h"

#include "base/check.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(ParallelFor, CallsEachOnce) {
  for (const std::size_t threads : {1U, 3U, 20U}) {
    std::vector<std::atomic<int>> calls(10);
    parallel_for(calls.size(), threads, [&](std::size_t n) { ++calls[n]; });
    for (const std::atomic<int>& count : calls) EXPECT_EQ(count, 1);
  }
  parallel_for(0, 3, [](std::size_t) { ADD_FAILURE(); });
}

TEST(ParallelFor, ThrowsWhatACallThrows) {
  for (const std::size_t threads : {1U, 3U})
    EXPECT_THROW(
        parallel_for(100, threads, [](std::size_t n) { check(n != 7, "any number but 7"); }),
        InternalError);
}

}  // namespace
}  // namespace tessera
