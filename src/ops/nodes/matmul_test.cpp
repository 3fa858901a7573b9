#include "ops/nodes/test_node.h"

namespace tessera {
namespace {

using enum ElementType;

TestNode two_matrices(const std::string& op, const std::string& domain = "") {
  return TestNode(op, domain.empty() ? 23 : 1, domain)
      .input({2, 2}, {1, 2, 3, 4})
      .input({2, 2}, {5, 6, 7, 8});
}

TEST(MatmulNodes, Multiply) {
  two_matrices("MatMul").expect({2, 2}, {19, 22, 43, 50});
  TestNode("MatMul").input({2}, {1, 2}).input({2}, {3, 4}).expect({}, {11});
  two_matrices("FusedMatMul", "com.microsoft")
      .attribute("transB", std::int64_t{1})
      .attribute("alpha", 0.5)
      .expect({2, 2}, {8.5, 11.5, 19.5, 26.5});
}

TEST(MatmulNodes, ScaleAndAddAMatrix) {
  two_matrices("Gemm").expect({2, 2}, {19, 22, 43, 50});
  two_matrices("Gemm")
      .input({1, 2}, {1, 2})
      .attribute("alpha", 0.5)
      .attribute("beta", 2.0)
      .attribute("transA", std::int64_t{1})
      .attribute("transB", std::int64_t{1})
      .expect({2, 2}, {13.5, 19.5, 19, 27});
  EXPECT_EQ(two_matrices("Gemm").input({1, 2, 2}, {1, 2, 3, 4}).refusal(),
            "Gemm \"node\": input 2 has shape [1, 2, 2], expected one that broadcasts to [2, 2]");
  EXPECT_EQ(TestNode("Gemm").input({2}, {1, 2}).input({2, 1}, {1, 2}).refusal(),
            "Gemm \"node\": input 0 has shape [2], expected a matrix");
}

TEST(MatmulNodes, SubtractZeroPointsFromIntegers) {
  TestNode("MatMulInteger")
      .input({2, 2}, {1, 2, 3, 4}, UInt8)
      .input({2, 1}, {10, 20}, UInt8)
      .input({}, {1}, UInt8)
      .input({1}, {10}, UInt8)
      .expect({2, 1}, {10, 30}, Int32);
  TestNode("MatMulInteger")
      .input({2, 2}, {1, 2, 3, 4}, Int8)
      .input({2, 2}, {1, 0, 0, 1}, Int8)
      .input({2}, {1, 3}, Int8)
      .input({2}, {0, 1}, Int8)
      .expect({2, 2}, {0, 0, 0, 0}, Int32);
  EXPECT_EQ(TestNode("MatMulInteger")
                .input({2, 2}, {1, 2, 3, 4}, Int8)
                .input({2, 2}, {1, 0, 0, 1}, Int8)
                .input({3}, {1, 3, 5}, Int8)
                .refusal(),
            "MatMulInteger \"node\": input 2 has shape [3], which does not fit [2, 2]");
}

TEST(MatmulNodes, QuantiseProducts) {
  TestNode("QLinearMatMul")
      .input({1, 2}, {3, 5}, UInt8)
      .input({}, {0.5})
      .input({}, {1}, UInt8)
      .input({2, 2}, {2, 4, 6, 255}, UInt8)
      .input({}, {0.25})
      .input({}, {2}, UInt8)
      .input({}, {0.5})
      .input({}, {7}, UInt8)
      .expect({1, 2}, {11, 255}, UInt8);
}

TEST(MatmulNodes, GiveDeterminants) {
  TestNode("Det").input({2, 2}, {1, 2, 3, 4}).expect({}, {-2});
  TestNode("Det").input({1, 3, 3}, {2, 0, 1, 1, 3, 2, 1, 1, 4}).expect({1}, {18});
  EXPECT_EQ(TestNode("Det").input({1, 2}, {1, 2}).refusal(),
            "Det \"node\": shape [1, 2]; expected square matrices of at most 4 rows");
}

}  // namespace
}  // namespace tessera
