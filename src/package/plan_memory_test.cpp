#include "package/plan_memory.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

constexpr std::int64_t count = 1000;

/// A network of calls whose values are rows of `count` floats, the input `x` and the output `y`.
class Calls {
 public:
  Calls() {
    network_.inputs = {{"x", type()}};
    network_.outputs = {{"y", "y"}};
    network_.types["x"] = type();
  }
  /// `output` of `inputs`, which may be written over those of the given numbers.
  Calls& call(const ValueId& output, std::vector<ValueId> inputs,
              std::vector<std::size_t> overwritable = {}) {
    network_.types[output] = type();
    network_.calls.push_back(
        {.computation = {}, .inputs = std::move(inputs), .outputs = {output}, .title = output});
    memory_.push_back({.overwritable = std::move(overwritable)});
    return *this;
  }
  Calls& view(const ValueId& view, const ValueId& of) {
    network_.types[view] = type();
    network_.views[view] = of;
    return *this;
  }

  Network& network() { return network_; }
  std::vector<CallMemory>& memory() { return memory_; }
  /// Whether two values lie in the same place.
  bool shares(const ValueId& a, const ValueId& b) const {
    const MemoryPlan plan = plan_memory(network_, memory_);
    const BufferPlace &of_a = plan.places.at(a), &of_b = plan.places.at(b);
    return of_a.where == of_b.where && of_a.offset == of_b.offset;
  }
  std::int64_t arena_bytes() const { return plan_memory(network_, memory_).arena_bytes; }

 private:
  static ValueType type() { return {ElementType::Float, {count}}; }

  Network network_{.name = "calls",
                   .inputs = {},
                   .outputs = {},
                   .constants = {},
                   .types = {},
                   .calls = {},
                   .views = {},
                   .layouts = {}};
  std::vector<CallMemory> memory_;
};

TEST(PlanMemory, WritesOverAnInputThatEndsThere) {
  EXPECT_TRUE(Calls().call("a", {"x"}).call("b", {"a"}, {0}).call("y", {"b"}).shares("a", "b"));
  const auto chain = [](const std::vector<std::size_t>& overwritable) {
    return Calls()
        .call("a", {"x"})
        .call("b", {"a"}, overwritable)
        .call("c", {"b"}, overwritable)
        .call("y", {"c"})
        .arena_bytes();
  };
  EXPECT_EQ(chain({0}) * 2, chain({}));
}

TEST(PlanMemory, KeepsAnInputThatIsReadLater) {
  EXPECT_FALSE(
      Calls().call("a", {"x"}).call("b", {"a"}, {0}).call("y", {"b", "a"}).shares("a", "b"));
  EXPECT_FALSE(Calls()
                   .call("a", {"x"})
                   .view("v", "a")
                   .call("b", {"a"}, {0})
                   .call("y", {"b", "v"})
                   .shares("a", "b"));
}

TEST(PlanMemory, KeepsAnInputThatIsReadInAnotherWayToo) {
  EXPECT_FALSE(Calls()
                   .call("a", {"x"})
                   .view("v", "a")
                   .call("b", {"a", "v"}, {0})
                   .call("y", {"b"})
                   .shares("a", "b"));
}

TEST(PlanMemory, KeepsWhatIsOnlyAPart) {
  Calls calls;
  calls.call("a", {"x"}).call("b", {"half"}, {0}).call("y", {"b"});
  calls.network().types["half"] = {ElementType::Float, {count / 2}};
  calls.network().types["b"] = {ElementType::Float, {count / 2}};
  calls.network().parts["half"] = {.whole = "a", .axis = 0, .begin = 0};
  EXPECT_FALSE(calls.shares("a", "b"));
}

TEST(PlanMemory, NeverWritesOverTheCallersBuffers) {
  EXPECT_FALSE(Calls().call("a", {"x"}, {0}).call("y", {"a"}, {0}).shares("x", "a"));
}

TEST(PlanMemory, GivesEachCallItsWorkspace) {
  Calls calls;
  calls.call("a", {"x"}).call("b", {"a"}).call("y", {"b"});
  calls.memory()[1].workspace_bytes = 100;
  const MemoryPlan plan = plan_memory(calls.network(), calls.memory());
  const std::int64_t at = plan.workspaces[1];
  for (const ValueId value : {"a", "b"}) {
    const std::int64_t begin = plan.places.at(value).offset;
    EXPECT_TRUE(at + 100 <= begin || begin + 4 * count <= at) << value;
  }
}

}  // namespace
}  // namespace tessera
