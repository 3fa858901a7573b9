#include "ir/overwrite.h"

#include "support/parsed.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

/// Whether the output C of a lowered program over A, B and C of 32 elements may overwrite A.
bool may_overwrite_first(const std::string& body,
                         const std::string& input = "input A f32[32] layout [0]") {
  const Program program = parsed_program("program p lowered\n" + input +
                                         "\ninput B f32[32] layout [0]\n"
                                         "output C f32[32] layout [0]\nbody\n" +
                                         body);
  return may_overwrite(program, program.params[0], program.params[2]);
}

TEST(MayOverwrite, TakesWhatIsReadWhereItIsWritten) {
  EXPECT_TRUE(
      may_overwrite_first("for i in 4 {\n"
                          "  for j in 8 vector 8 {\n"
                          "    C[i * 8 + j] = max(A[i * 8 + j], 0.0) * A[i * 8 + j]\n"
                          "  }\n"
                          "}\n"));
}

TEST(MayOverwrite, RefusesWhatIsReadElsewhere) {
  EXPECT_FALSE(may_overwrite_first("for i in 32 {\n  C[i] = A[31 - i]\n}\n"));
  EXPECT_FALSE(may_overwrite_first("for i in 32 {\n  C[i] = A[i] + A[0]\n}\n"));
  EXPECT_FALSE(
      may_overwrite_first("for i in 32 {\n  C[i] = B[i]\n}\n"
                          "for j in 32 {\n  C[j] = C[j] + A[j]\n}\n"));
}

TEST(MayOverwrite, RefusesWhatIsWrittenAgain) {
  EXPECT_FALSE(may_overwrite_first("for i in 32 {\n  C[i] = 0.0\n  C[i] += A[i]\n}\n"));
  EXPECT_FALSE(
      may_overwrite_first("for k in 2 {\n  for i in 32 {\n    C[i] = A[i] + B[k]\n  }\n}\n"));
  EXPECT_TRUE(
      may_overwrite_first("for k in 1 {\n  for i in 32 {\n    C[i] = A[i] + B[k]\n  }\n}\n"));
}

TEST(MayOverwrite, RefusesOtherTypesAndLayouts) {
  const std::string body = "for i in 32 {\n  C[i] = A[i]\n}\n";
  EXPECT_TRUE(may_overwrite_first(body));
  EXPECT_FALSE(may_overwrite_first(body, "constant A f32[32] layout [0]"));
  EXPECT_FALSE(may_overwrite_first(body, "input A f32[32] layout [0+16]"));
  EXPECT_FALSE(may_overwrite_first(body, "input A f32[64] layout [0]"));
}

}  // namespace
}  // namespace tessera
