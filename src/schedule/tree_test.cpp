#include "schedule/tree.h"

#include "base/text.h"
#include "ir/text.h"
#include "support/expect_step.h"
#include "support/small_tasks.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

/// Per dimension `first + size`, with `?` where the first may lie outside the tensor.
std::string text_of(const Region& region) {
  std::vector<std::string> dims;
  for (std::size_t d = 0; d < region.first.size(); ++d)
    dims.push_back(to_text(region.first[d]) + " + " + std::to_string(region.size[d]) +
                   (region.is_inside[d] ? "" : "?"));
  return join(dims, ", ");
}

/// What the body of a loop reads of a tensor.
std::string region_of(const Program& program, const TensorId& tensor, const AxisId& axis) {
  const Loop* loop = find_loop(program.body, axis);
  LoopScope scope = scope_of(program.body, axis);
  scope.enter(axis, loop->extent);
  return text_of(read_region(loop->body, find_placed(program, tensor)->tensor, scope));
}

TEST(FindLoop, LooksEverywhere) {
  const Program program = to_program(softmax(4, 8));
  EXPECT_EQ(find_loop(program.body, "D.j")->extent, Expr(8));
  EXPECT_EQ(find_loop(program.body, "D.z"), nullptr);
}

TEST(ScopeOf, HoldsTheLoopsAround) {
  const Program program = to_program(matmul(4, 8, 6));
  const LoopScope scope = scope_of(program.body, "C.k");
  ASSERT_EQ(scope.loops().size(), 2);
  EXPECT_EQ(scope.loops()[0].first, "C.i");
  EXPECT_EQ(scope.loops()[1].first, "C.j");
}

TEST(FindPlaced, FindsParametersAndAllocations) {
  const Program program = to_program(matmul_relu(4, 8, 6));
  EXPECT_EQ(find_placed(program, "B")->memory, Memory::Constant);
  EXPECT_EQ(find_placed(program, "C")->memory, Memory::Global);
  EXPECT_EQ(find_placed(program, "Z"), nullptr);
}

TEST(FindNest, IsPerfectlyNested) {
  const Program program = to_program(matmul_relu(4, 8, 6));
  EXPECT_EQ(find_nest(program, "C")->loops.size(), 3);
  EXPECT_EQ(find_nest(program, "D")->loops.size(), 2);
  EXPECT_FALSE(find_nest(program, "A"));
}

TEST(FusedName, SaysOnceWhatBothBeginWith) {
  EXPECT_EQ(fused_name("C.i.0", "C.j.0"), "C.i.0_j.0");
  EXPECT_EQ(fused_name("C.i.0", "C.i.1"), "C.i.0_1");
  EXPECT_EQ(fused_name("i", "j"), "i_j");
}

TEST(Renamed, KeepsWhatFollowsTheStage) {
  EXPECT_EQ(renamed("T.k.0", "T", "S.part"), "S.part.k.0");
  EXPECT_EQ(renamed("k.0", "T", "S"), "S.k.0");
  EXPECT_EQ(renamed("Tail.k", "T", "S"), "S.Tail.k");
}

TEST(FreshTensor, NumbersNamesThatAreTaken) {
  const Program program = scheduled(matmul(4, 8, 6), {CacheWrite{"C"}});
  EXPECT_EQ(fresh_tensor(program, "C.part"), "C.part");
  EXPECT_EQ(fresh_tensor(program, "C.tile"), "C.tile2");
}

TEST(ReadRegion, StartsAtTheLoopsOutside) {
  const Program program = scheduled(matmul(12, 16, 6), {Split{"C.i", {4}}, Split{"C.j", {8}}});
  EXPECT_EQ(region_of(program, "A", "C.i.0"), "C.i.0 * 4 + 4, 0 + 6");
  EXPECT_EQ(region_of(program, "B", "C.i.0"), "0 + 6, 0 + 16");
  EXPECT_EQ(region_of(program, "B", "C.j.0"), "0 + 6, C.j.0 * 8 + 8");
  EXPECT_EQ(region_of(program, "A", "C.k"), "C.i.0 * 4 + C.i.1 + 1, C.k + 1");
}

TEST(ReadRegion, CoversAWindow) {
  const Program program = to_program(conv({.inputs = 2, .outputs = 2, .size = 8}));
  EXPECT_EQ(region_of(program, "I", "C.y"), "C.n + 1, 0 + 2, C.y - 1 + 3?, -1 + 10?");
}

TEST(ReadRegion, CoversEveryRead) {
  const Program program = to_program(*parse_computation(
      "computation c\ninput X f32[12]\nstage D f32[i:8] = X[i] + X[i + 3]\noutput D\n"));
  EXPECT_EQ(region_of(program, "X", "D.i"), "D.i + 4");
}

TEST(ReadRegion, IsTheWholeTensorWhereReadsHaveNoKnownDistance) {
  const Program program = to_program(*parse_computation(
      "computation c\ninput X f32[64]\nstage D f32[i:8] = X[i] + X[i * 2]\noutput D\n"));
  EXPECT_EQ(region_of(program, "X", "D.i"), "0 + 64");
}

}  // namespace
}  // namespace tessera
