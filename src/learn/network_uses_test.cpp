#include "learn/network_uses.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

const std::string task(32, 'a');

std::vector<NetworkUses> sample() {
  return {{.network = "resnet50",
           .target = "x86-avx2 cores=2",
           .is_held_out = true,
           .calls = {{task, 3}, {std::string(32, 'b'), 1}}},
          {.network = "vgg16", .target = "x86-avx2 cores=2", .calls = {{task, 2}}}};
}

TEST(NetworkUses, ReadBack) {
  const auto got = parse_network_uses(to_json(sample()));
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(*got, sample());
}

TEST(NetworkUses, RefuseWhatTheyDoNotKnow) {
  const auto refusal = [](const std::string& from, const std::string& to) {
    std::string json = to_json(sample());
    json.replace(json.find(from), from.size(), to);
    const auto got = parse_network_uses(json);
    return got ? std::string() : got.error().message;
  };
  EXPECT_EQ(refusal("tessera networks", "networks"), "not a list of networks");
  EXPECT_EQ(refusal("\"format_version\": 1", "\"format_version\": 2"),
            "format 2, this version knows 1");
  EXPECT_EQ(refusal("held_out", "secret"), "split \"secret\": expected held_out or training");
  EXPECT_EQ(refusal(task, "x"),
            "calls: expected fingerprints of tasks, each with a positive number");
  EXPECT_EQ(refusal("\"network\":", "\"net\":"), "no field \"network\"");
}

}  // namespace
}  // namespace tessera
