#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

using Integers = std::vector<std::int64_t>;

/// Counts 2 and 3 and, from two on, the pairs 5 6 and 7 8.
TestNode pairs(const Shape& shape, const std::vector<double>& x) {
  return TestNode("TfIdfVectorizer", 9)
      .input(shape, x, ElementType::Int64)
      .attribute("mode", std::string("TF"))
      .attribute("min_gram_length", 1)
      .attribute("max_gram_length", 2)
      .attribute("ngram_counts", Integers{0, 2})
      .attribute("ngram_indexes", Integers{0, 1, 3, 2})
      .attribute("pool_int64s", Integers{2, 3, 5, 6, 7, 8});
}

TEST(NgramNodes, CountSequences) {
  pairs({6}, {2, 5, 6, 2, 7, 8}).expect({4}, {2, 0, 1, 1});
  pairs({2, 3}, {2, 5, 6, 2, 7, 3}).expect({2, 4}, {1, 0, 0, 1, 1, 1, 0, 0});
  pairs({1}, {3}).expect({4}, {0, 1, 0, 0});
  pairs({4}, {5, 2, 6, 6}).attribute("max_skip_count", 2).expect({4}, {1, 0, 0, 2});
  pairs({2}, {5, 6}).attribute("min_gram_length", 2).expect({4}, {0, 0, 0, 1});
}

TEST(NgramNodes, WeighCounts) {
  const auto weighted = [](const char* mode) {
    return pairs({3}, {2, 2, 3})
        .attribute("mode", std::string(mode))
        .attribute("weights", std::vector<double>{5, 7, 1, 1});
  };
  weighted("IDF").expect({4}, {5, 7, 0, 0});
  weighted("TFIDF").expect({4}, {10, 7, 0, 0});
  EXPECT_EQ(weighted("X").refusal(),
            "TfIdfVectorizer \"node\": mode X with 4 weights, expected TF, IDF or TFIDF and 4");
}

TEST(NgramNodes, RefuseWhatDoesNotFit) {
  EXPECT_EQ(
      pairs({1, 1, 1}, {1}).refusal(),
      "TfIdfVectorizer \"node\": shape [1, 1, 1], expected one or two dimensions of integers");
  EXPECT_EQ(pairs({1}, {1}).attribute("ngram_counts", Integers{0, 9}).refusal(),
            "TfIdfVectorizer \"node\": ngram_counts [0, 9] do not divide a pool of 6");
  EXPECT_EQ(pairs({1}, {1}).attribute("ngram_indexes", Integers{0}).refusal(),
            "TfIdfVectorizer \"node\": ngram_indexes [0], expected one for each sequence");
  EXPECT_EQ(pairs({1}, {1}).attribute("pool_strings", std::vector<std::string>{"a"}).refusal(),
            "TfIdfVectorizer \"node\": a pool of strings, expected integers");
}

}  // namespace
}  // namespace tessera
