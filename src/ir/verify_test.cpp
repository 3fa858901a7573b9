#include "ir/verify.h"

#include "ir/text.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

template <typename T>
std::string verdict(const T& value) {
  const Result<void> sound = verify(value);
  return sound ? "accepted" : sound.error().message;
}

const Expr a_ik = load("A", DType::F32, {axis("i"), axis("k")});

Computation row_sums() {
  return {
      .name = "row_sums",
      .operands = {{Role::Input, {"A", DType::F32, {4, 8}}}},
      .tables = {{{"T", DType::I64, {2}}, {3, 4}}},
      .stages =
          {{{"C", DType::F32, {4}}, {{"i", 4}, {"k", 8, AxisKind::Reduce}}, Reducer::Sum, a_ik},
           {{"D", DType::F32, {4}}, {{"i", 4}}, {}, load("C", DType::F32, {axis("i")}) * real(2)}},
      .outputs = {"D"}};
}

/// The verdict on `row_sums` after a change of its first stage.
template <typename F>
std::string with_stage(F change) {
  Computation computation = row_sums();
  change(computation.stages[0]);
  return verdict(computation);
}

std::string with_value(const Expr& value) {
  return with_stage([&](Stage& stage) { stage.value = value; });
}

Expr node(ExprNode n) { return Expr(std::move(n)); }

TEST(VerifyComputation, AcceptsASoundOne) { EXPECT_EQ(verdict(row_sums()), "accepted"); }

TEST(VerifyComputation, RefusesNames) {
  Computation c = row_sums();
  c.name = "a b";
  EXPECT_EQ(verdict(c), "computation: 'a b' is not a name");
  c = row_sums();
  c.operands[0].tensor.name = "";
  EXPECT_EQ(verdict(c), "input : '' is not a name");
  c = row_sums();
  c.operands[0].tensor.name = "nan";
  EXPECT_EQ(verdict(c), "input nan: 'nan' is a reserved word");
  c = row_sums();
  c.tables[0].tensor.name = "A";
  EXPECT_EQ(verdict(c), "table A: tensor A is defined twice");
  c = row_sums();
  c.stages[1].tensor.name = "C";
  EXPECT_EQ(verdict(c), "stage C: tensor C is defined twice");
}

TEST(VerifyComputation, RefusesOperandsAndTables) {
  Computation c = row_sums();
  c.operands[0].role = Role::Output;
  EXPECT_EQ(verdict(c), "output A: an operand, expected input or constant");
  c = row_sums();
  c.operands[0].tensor.shape = {4, 0};
  EXPECT_EQ(verdict(c), "input A: shape [4, 0]: extent 0 is below 1");
  c = row_sums();
  c.tables[0].values.push_back(1);
  EXPECT_EQ(verdict(c), "table T: 3 values, expected 2");
  c = row_sums();
  c.tables[0].values[0] = 0.5;
  EXPECT_EQ(verdict(c), "table T: value 0.5 is no i64");
  c = row_sums();
  c.tables[0].tensor.shape = {-1};
  EXPECT_EQ(verdict(c), "table T: shape [-1]: extent -1 is below 1");
  c = row_sums();
  c.tables[0].tensor.dtype = DType::F32;
  c.tables[0].values[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(verdict(c), "table T: value nan is no f32");
}

TEST(VerifyComputation, RefusesAxes) {
  EXPECT_EQ(with_stage([](Stage& s) { s.axes[1].name = "i"; }), "stage C: axis i is defined twice");
  EXPECT_EQ(with_stage([](Stage& s) { s.axes[1].extent = 0; }),
            "stage C: axis k: extent 0 is below 1");
  EXPECT_EQ(with_stage([](Stage& s) { std::swap(s.axes[0], s.axes[1]); }),
            "stage C: axis i is spatial, after a reduce axis");
  EXPECT_EQ(with_stage([](Stage& s) { s.axes[0].extent = 5; }),
            "stage C: spatial axes [5], expected [4]");
  EXPECT_EQ(with_stage([](Stage& s) { s.reducer.reset(); }),
            "stage C: reduce axes without a reducer");
  EXPECT_EQ(with_stage([](Stage& s) { s.axes.pop_back(); }),
            "stage C: a reducer without reduce axes");
  EXPECT_EQ(with_stage([](Stage& s) { s.tensor.dtype = DType::Bool; }),
            "stage C: sum of bool, expected numbers");
}

TEST(VerifyComputation, RefusesOutputs) {
  Computation c = row_sums();
  c.outputs = {};
  EXPECT_EQ(verdict(c), "computation row_sums: no output");
  c.outputs = {"A"};
  EXPECT_EQ(verdict(c), "output A: no stage of that name");
  c.outputs = {"D", "D"};
  EXPECT_EQ(verdict(c), "output D: listed twice");
}

TEST(VerifyComputation, RefusesUndefinedNames) {
  EXPECT_EQ(with_value(load("D", DType::F32, {axis("i")})),
            "stage C: reads D before it is defined");
  EXPECT_EQ(with_value(load("A", DType::F32, {axis("i"), axis("j")})), "stage C: no axis j");
  Computation c = row_sums();
  c.stages[1].value = a_ik;
  EXPECT_EQ(verdict(c), "stage D: no axis k");
}

TEST(VerifyComputation, RefusesLoads) {
  EXPECT_EQ(with_value(load("A", DType::F32, {axis("i")})),
            "stage C: reads A with 1 indices, expected 2");
  EXPECT_EQ(with_value(load("A", DType::I64, {axis("i"), axis("k")})),
            "stage C: reads A as i64, expected f32");
  EXPECT_EQ(with_value(load("A", DType::F32, {axis("i"), real(1)})),
            "stage C: reads A at f32, expected i64");
  EXPECT_EQ(with_value(load("A", DType::F32, {axis("i"), 8})),
            "stage C: reads A at index 8 of dimension 1, expected 0 to 7");
  EXPECT_EQ(with_value(load("A", DType::F32, {-1, axis("k")})),
            "stage C: reads A at index -1 of dimension 0, expected 0 to 3");
}

TEST(VerifyComputation, RefusesDtypes) {
  EXPECT_EQ(with_value(axis("i")), "stage C: value is i64, expected f32");
  EXPECT_EQ(with_value(node(Binary{BinaryOp::Add, a_ik, axis("i")})),
            "stage C: + of f32 and i64, expected one dtype");
  EXPECT_EQ(with_value(node(Binary{BinaryOp::And, a_ik, a_ik})),
            "stage C: && of f32 and f32, expected bool");
  EXPECT_EQ(with_value(node(Binary{BinaryOp::Pow, 1, 2})),
            "stage C: pow of i64 and i64, expected f32");
  EXPECT_EQ(with_value(node(Binary{BinaryOp::Less, boolean(true), boolean(true)})),
            "stage C: < of bool and bool, expected numbers");
  EXPECT_EQ(with_value(node(Binary{BinaryOp::Max, boolean(true), boolean(true)})),
            "stage C: max of bool and bool, expected numbers");
  EXPECT_EQ(with_value(unary(UnaryOp::Not, a_ik)), "stage C: ! of f32, expected bool");
  EXPECT_EQ(with_value(unary(UnaryOp::Neg, boolean(true))),
            "stage C: - of bool, expected a number");
  EXPECT_EQ(with_value(unary(UnaryOp::Exp, 1)), "stage C: exp of i64, expected f32");
  EXPECT_EQ(with_value(node(Select{a_ik, a_ik, a_ik})), "stage C: select on f32, expected bool");
  EXPECT_EQ(with_value(node(Select{boolean(true), a_ik, 1})),
            "stage C: select between f32 and i64, expected one dtype");
}

TEST(VerifyComputation, RefusesConstantsOutOfRange) {
  EXPECT_EQ(with_value(node(Integer{DType::I32, std::int64_t{1} << 31})),
            "stage C: constant 2147483648 is no i32");
  EXPECT_EQ(with_value(node(Integer{DType::Bool, 2})), "stage C: constant 2 is no bool");
  EXPECT_EQ(with_value(node(Integer{DType::F32, 2})), "stage C: constant 2 is no f32");
}

TEST(VerifyComputation, LimitsDepth) {
  Expr deep = a_ik;  // two levels
  for (int k = 0; k < max_depth - 2; ++k) deep = unary(UnaryOp::Exp, deep);
  EXPECT_EQ(with_value(deep), "accepted");
  EXPECT_EQ(with_value(unary(UnaryOp::Exp, deep)), "stage C: expression nests deeper than 200");
}

/// The verdict on a program with this body and parameters A, B and C.
std::string program(std::string_view form, const std::string& body) {
  const Result<Program> parsed =
      parse_program("program p " + std::string(form) +
                    "\ninput A f32[4, 8] layout [0 1] halo 1:1:0\n"
                    "constant B f32[8] layout [0+2]\noutput C f32[4] layout [0]\n"
                    "table T i64[2] = [1, 2]\nbody\n" +
                    body);
  return parsed ? "accepted" : parsed.error().message;
}
std::string scheduled(const std::string& body) { return program("scheduled", body); }
std::string lowered(const std::string& body) { return program("lowered", body); }

Program one_store() {
  return *parse_program(
      "program p scheduled\ninput A f32[4] layout [0]\nconstant B f32[4] layout [0]\n"
      "output C f32[4] layout [0]\nbody\nC[0] = A[0]\n");
}

TEST(VerifyProgram, AcceptsSoundOnes) {
  EXPECT_EQ(scheduled("for i in 4 parallel {\nfor k in 8 reduce C {\nC[i] += A[i, k - 1]\n}\n}\n"),
            "accepted");
  EXPECT_EQ(scheduled("C[0] = A[0, -1]\n"), "accepted");  // in the halo
  EXPECT_EQ(lowered("for i in 4 {\nC[i] = B[9]\n}\nfor i in 4 {\nC[i] += A[35]\n}\n"), "accepted");
  EXPECT_EQ(scheduled("prefetch A[9, 9]\n"), "accepted");
  EXPECT_EQ(scheduled("alloc R f32[2, 8] register layout [0 1] {\nfor i in 2 unroll {\n"
                      "for j in 8 vector 8 {\nR[1 - i, j] = 0.0\n}\n}\n}\n"),
            "accepted");
}

TEST(VerifyProgram, RefusesParameters) {
  Program p = one_store();
  p.name = "1";
  EXPECT_EQ(verdict(p), "program: '1' is not a name");
  p = one_store();
  p.params[0].placed.memory = Memory::Stack;
  EXPECT_EQ(verdict(p), "input A: memory stack, expected global");
  p = one_store();
  p.params[1].placed.memory = Memory::Global;
  EXPECT_EQ(verdict(p), "constant B: memory global, expected constant");
  p = one_store();
  std::swap(p.params[0], p.params[2]);
  EXPECT_EQ(verdict(p), "constant B: after an output");
  p = one_store();
  p.params[1].placed.tensor.name = "A";
  EXPECT_EQ(verdict(p), "constant A: tensor A is defined twice");
  p = one_store();
  p.params[0].placed.layout = row_major(2);
  EXPECT_EQ(verdict(p), "input A: layout [0 1] of [4]: no dimension 1");
  p = one_store();
  p.tables = {{{"A", DType::F32, {1}}, {1}}};
  EXPECT_EQ(verdict(p), "table A: tensor A is defined twice");
  p.tables = {{{"T", DType::F32, {1}}, {}}};
  EXPECT_EQ(verdict(p), "table T: 0 values, expected 1");
}

TEST(VerifyProgram, RefusesLoops) {
  EXPECT_EQ(scheduled("for i in 0 {\n}\n"), "loop i: extent 0 is below 1");
  EXPECT_EQ(scheduled("for i in 4.0 {\n}\n"), "loop i: extent is f32, expected i64");
  EXPECT_EQ(scheduled("for i in j {\n}\n"), "loop i: extent: no axis j");
  EXPECT_EQ(scheduled("for i in T[0] {\n}\n"),
            "loop i: extent reads T, expected axes and constants");
  EXPECT_EQ(scheduled("for i in 4 {\nfor i in 4 {\n}\n}\n"), "loop i: axis i is defined twice");
  EXPECT_EQ(scheduled("for i in 4 {\n}\nfor i in 4 {\n}\n"), "loop i: axis i is defined twice");
  EXPECT_EQ(lowered("for i in 4 {\nfor i in 4 {\n}\n}\n"), "loop i: axis i is defined twice");
  EXPECT_EQ(scheduled("for for in 4 {\n}\n"), "loop for: 'for' is a reserved word");
}

TEST(VerifyProgram, RefusesLoopKinds) {
  EXPECT_EQ(scheduled("for i in 4 vector 0 {\n}\n"), "loop i: 0 lanes, expected at least 1");
  EXPECT_EQ(scheduled("for i in 9 vector 8 {\n}\n"), "loop i: extent 9 is above its 8 lanes");
  EXPECT_EQ(scheduled("for i in 4 vector 4 {\nfor j in 4 vector 4 {\n}\n}\n"),
            "loop j: vector inside vector loop i");
  for (const std::string outer : {"parallel", "unroll", "vector 4"})
    EXPECT_EQ(scheduled("for i in 4 " + outer + " {\nfor j in 4 parallel {\n}\n}\n"),
              "loop j: parallel inside " + outer.substr(0, outer.find(' ')) + " loop i");
  Program p = one_store();
  p.body =
      Stmt(StmtNode{Loop{.axis = "i", .extent = 4, .reduces = {}, .lanes = 8, .body = p.body}});
  EXPECT_EQ(verdict(p), "loop i: 8 lanes of a loop that is not vector");
}

TEST(VerifyProgram, RefusesReductions) {
  EXPECT_EQ(scheduled("for k in 8 parallel reduce C {\nC[0] += 1.0\n}\n"),
            "loop k: reduces C in parallel");
  EXPECT_EQ(scheduled("for k in 8 reduce D {\n}\n"), "loop k: reduces D before it is defined");
  EXPECT_EQ(lowered("for k in 8 reduce C {\nC[0] += 1.0\n}\n"),
            "loop k: reduces C in a lowered program");
  EXPECT_EQ(scheduled("for k in 8 reduce C {\nC[0] = 1.0\n}\n"),
            "store to C: no reducer inside a loop that reduces it");
  EXPECT_EQ(scheduled("alloc D bool[] stack layout [] {\nD[] max= true\n}\n"),
            "store to D: max of bool, expected numbers");
}

TEST(VerifyProgram, RefusesAccesses) {
  EXPECT_EQ(scheduled("D[0] = 1.0\n"), "store to D: writes D before it is defined");
  EXPECT_EQ(scheduled("A[0, 0] = 1.0\n"), "store to A: writes A, which is read-only");
  EXPECT_EQ(scheduled("T[0] = 1\n"), "store to T: writes T, which is read-only");
  EXPECT_EQ(scheduled("C[0] = 1\n"), "store to C: value is i64, expected f32");
  EXPECT_EQ(scheduled("C[4] = 1.0\n"),
            "store to C: writes C at index 4 of dimension 0, expected 0 to 3");
  EXPECT_EQ(scheduled("C[0] = A[0, -2]\n"),
            "store to C: reads A at index -2 of dimension 1, expected -1 to 7");
  EXPECT_EQ(scheduled("C[0] = B[9]\n"),
            "store to C: reads B at index 9 of dimension 0, expected 0 to 7");
  EXPECT_EQ(lowered("C[0] = B[10]\n"),
            "store to C: reads B at index 10 of dimension 0, expected 0 to 9");
  EXPECT_EQ(lowered("C[0] = A[0, 0]\n"), "store to C: reads A with 2 indices, expected 1");
  EXPECT_EQ(scheduled("prefetch A[0]\n"), "prefetch: prefetches A with 1 indices, expected 2");
  EXPECT_EQ(scheduled("if 1 {\n}\n"), "if: condition is i64, expected bool");
  EXPECT_EQ(scheduled("if i < 3 {\n}\n"), "if: no axis i");
}

TEST(VerifyProgram, RefusesAllocations) {
  EXPECT_EQ(scheduled("alloc D f32[4] constant layout [0] {\n}\n"), "accepted");
  EXPECT_EQ(lowered("alloc D f32[4] constant layout [0] {\n}\n"),
            "alloc D: memory constant, expected global, stack or register");
  EXPECT_EQ(scheduled("alloc D f32[4] stack layout [] {\n}\n"),
            "alloc D: layout [] of [4]: parts of dimension 0 do not cover it exactly once");
  EXPECT_EQ(scheduled("alloc A f32[4] stack layout [0] {\n}\n"),
            "alloc A: tensor A is defined twice");
  const std::string twice =
      "alloc D f32[4] stack layout [0] {\n}\nalloc D f32[4] stack layout [0] {\n}\n";
  EXPECT_EQ(scheduled(twice), "alloc D: tensor D is defined twice");
  EXPECT_EQ(lowered(twice), "accepted");
}

TEST(VerifyProgram, RefusesRegistersThatMove) {
  const auto in_registers = [](const std::string& index) {
    return lowered("alloc R f32[8] register layout [0] {\nfor i in 8 {\nfor u in 8 unroll {\nR[" +
                   index + "] = 0.0\n}\n}\n}\n");
  };
  EXPECT_EQ(in_registers("u % 4 + 3"), "accepted");
  EXPECT_EQ(in_registers("u + i"),
            "store to R: writes R in registers at axis i, expected unrolled and vector axes");
  EXPECT_EQ(in_registers("T[0]"),
            "store to R: writes R in registers at an index that is not arithmetic of axes and "
            "constants");
}

TEST(VerifyProgram, RefusesUnevenBlocks) {
  Program p = one_store();
  const Stmt store = p.body;
  p.body = Stmt(StmtNode{Block{{store}}});
  EXPECT_EQ(verdict(p), "block of one statement, expected the statement");
  p.body = Stmt(StmtNode{Block{{store, Stmt(StmtNode{Block{}})}}});
  EXPECT_EQ(verdict(p), "block inside a block, expected one");
}

TEST(VerifyProgram, LimitsDepth) {
  Program p = one_store();
  for (int k = 0; k < max_depth; ++k)
    p.body = Stmt(StmtNode{If{boolean(true), p.body, std::nullopt}});
  EXPECT_EQ(verdict(p), "accepted");
  p.body = Stmt(StmtNode{If{boolean(true), p.body, std::nullopt}});
  EXPECT_EQ(verdict(p), "statements nest deeper than 200");
}

}  // namespace
}  // namespace tessera
