#include "ir/rewrite.h"

#include "ir/text.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

const Expr i = axis("i"), j = axis("j");

Stmt store(const TensorId& tensor, const Expr& value) {
  return Stmt(StmtNode{Store{tensor, {i}, value, std::nullopt}});
}

Expr read(const TensorId& tensor, const Expr& index) { return load(tensor, DType::F32, {index}); }

TEST(MapChildren, KeepsTheNodeWhenNothingChanges) {
  const Expr e = select(i < j, i + 1, j);
  const Expr same = map_children(e, [](const Expr& child) { return child; });
  EXPECT_EQ(&*same, &*e);
  const Stmt s = block({store("A", real(1.0)), store("B", real(2.0))});
  const Stmt equal = map_children(
      s, [](const Stmt& child) { return child; }, [](const Expr& child) { return child; });
  EXPECT_TRUE(equal.is_same_node(s));
}

TEST(Visit, GoesFromParentsToChildren) {
  std::string seen;
  visit((i + j) * 3, [&](const Expr& e) { seen += to_text(e) + "; "; });
  EXPECT_EQ(seen, "(i + j) * 3; i + j; i; j; 3; ");
}

TEST(Substitute, ReplacesAllAtOnce) {
  EXPECT_EQ(to_text(substitute(i * 2 + j, {{"i", j + 1}, {"j", i}})), "(j + 1) * 2 + i");
}

TEST(Substitute, ReachesExtents) {
  const Stmt loop(StmtNode{Loop{.axis = "j", .extent = i + 1, .body = store("A", real(1.0))}});
  EXPECT_EQ(to_text(substitute(loop, {{"i", 3}})), "for j in 3 + 1 {\n  A[3] = 1.0\n}\n");
}

TEST(ReplaceLoads, ReachesLoadsInsideIndices) {
  const Expr e = load("A", DType::I64, {load("A", DType::I64, {i})});
  const Expr got = replace_loads(
      e, "A", [](const Load& found) { return load("B", DType::I64, {found.indices[0] + 1}); });
  EXPECT_EQ(to_text(got), "B[B[i + 1] + 1]");
}

TEST(AxesIn, NamesEachOnce) {
  EXPECT_EQ(axes_in(i * j + cast(DType::I64, read("A", i))), (std::set<AxisId>{"i", "j"}));
}

TEST(LoadsIn, KeepsTheOrder) {
  const std::vector<Load> loads = loads_in(store("A", read("C", i) + read("B", j) * read("C", j)));
  std::string names;
  for (const Load& found : loads) names += found.tensor;
  EXPECT_EQ(names, "CBC");
}

TEST(StoredIn, LooksInsideBranches) {
  const Stmt branch(StmtNode{If{i < 3, store("A", real(1.0)), store("B", real(1.0))}});
  EXPECT_EQ(stored_in(branch), (std::set<TensorId>{"A", "B"}));
}

TEST(Block, IsFlat) {
  const Stmt a = store("A", real(1.0)), b = store("B", real(1.0));
  EXPECT_EQ(block({a}), a);
  EXPECT_EQ(block({block({}), block({a, b}), a}), block({a, b, a}));
}

}  // namespace
}  // namespace tessera
