#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

TestNode einsum(const std::string& equation) {
  return TestNode("Einsum").attribute("equation", equation);
}

TestNode on_matrix(const std::string& equation) {
  return einsum(equation).input({2, 2}, {1, 2, 3, 4});
}

TEST(EinsumNodes, RearrangeAndSumOneOperand) {
  on_matrix("ij->ji").expect({2, 2}, {1, 3, 2, 4});
  on_matrix("ij->i").expect({2}, {3, 7});
  on_matrix("ij -> ").expect({}, {10});
  on_matrix("ii->i").expect({2}, {1, 4});
  on_matrix("ji").expect({2, 2}, {1, 3, 2, 4});
  on_matrix("ii").expect({}, {5});
}

TEST(EinsumNodes, MultiplyOperands) {
  on_matrix("ij,jk->ik").input({2, 1}, {5, 6}).expect({2, 1}, {17, 39});
  on_matrix("ij,jk,k").input({2, 1}, {5, 6}).input({1}, {2}).expect({2}, {34, 78});
}

TEST(EinsumNodes, AlignEllipsesAtTheirEnd) {
  on_matrix("...i->...").expect({2}, {3, 7});
  einsum("...ij,...jk->...ik")
      .input({2, 1, 2}, {1, 2, 3, 4})
      .input({2, 1}, {5, 6})
      .expect({2, 1, 1}, {17, 39});
  einsum("b...,...").input({1, 2, 1}, {1, 2}).input({1}, {3}).expect({2, 1, 1}, {3, 6});
}

TEST(EinsumNodes, RefuseWhatDoesNotFit) {
  EXPECT_EQ(on_matrix("ijk->i").refusal(), "Einsum \"node\": term \"ijk\" does not fit rank 2");
  EXPECT_EQ(on_matrix("i1->i").refusal(),
            "Einsum \"node\": term \"i1\" is not of letters and one ellipsis");
  EXPECT_EQ(on_matrix("ij,j->i").refusal(),
            "Einsum \"node\": equation \"ij,j->i\" has 2 terms for 1 inputs");
  EXPECT_EQ(on_matrix("ij->k").refusal(),
            "Einsum \"node\": equation \"ij->k\" gives label k that no term has, or twice");
  EXPECT_EQ(on_matrix("ij,j->i").input({3}, {1, 2, 3}).refusal(),
            "Einsum \"node\": label j has extents 2 and 3");
  EXPECT_EQ(on_matrix("ij,j->i").absent_input().refusal(), "Einsum \"node\": input 1 is absent");
}

}  // namespace
}  // namespace tessera
