#include "ir/text.h"

#include "ir/verify.h"
#include "support/documented.h"
#include "support/random_ir.h"

#include <gtest/gtest.h>

#include <limits>

namespace tessera {
namespace {

constexpr std::string_view conv_relu = R"(computation conv_relu
input I f32[1, 64, 56, 56]
constant W f32[64, 64, 3, 3]
constant b f32[64]
table T f32[2, 2] = [1.0, 0.0, 0.5, -1.0]
table U i64[3] = [1, -2, 1e+18]
stage C f32[n:1, o:64, y:56, x:54] = sum[c:64, r:3, s:3] select(0 <= y + r - 1 && y + r - 1 < 56, I[n, c, y + r - 1, x + s], 0.0) * W[o, c, r, s]
stage D f32[n:1, o:64, y:56, x:54] = max(C[n, o, y, x] + b[o], 0.0)
stage max f32[n:1] = T[n, 0]
stage E f32[n:1] = max[n] + f32(U[2])
output D
output E
)";

constexpr std::string_view matmul = R"(program matmul scheduled
input A f32[128, 768] layout [0 1+16]
constant B f32[768, 768] layout [1/16 0 1%16]
output C f32[128, 768] layout [0 1] halo 0:1:0
table T f32[] = [2.5]
body
alloc C.acc f32[128, 768] global layout [0 1] {
  for C.i.0 in 22 parallel {
    for C.i.1 in min(6, 128 - C.i.0 * 6) unroll {
      for C.k in 768 reduce C.acc {
        prefetch B[C.k + 8, 0]
        for C.j in 8 vector 8 {
          C.acc[C.i.0 * 6 + C.i.1, C.j] += A[C.i.0 * 6 + C.i.1, C.k] * B[C.k, C.j]
        }
      }
    }
  }
  for i in 3 {
  }
  if T[] < 3.0 {
    C[0, 0] max= C.acc[0, 0]
  } else {
    C[0, 0] *= 1.0
  }
}
)";

std::string refusal_of_computation(std::string_view text) {
  const Result<Computation> parsed = parse_computation(text);
  return parsed ? "accepted" : parsed.error().message;
}

std::string refusal_of_program(std::string_view text) {
  const Result<Program> parsed = parse_program(text);
  return parsed ? "accepted" : parsed.error().message;
}

/// A computation of one stage with that value, over axes `i` and `j`.
std::string with_value(const std::string& value, std::string_view dtype = "f32") {
  return "computation c\ninput X f32[9, 9]\ninput Y i64[9]\nstage Z " + std::string(dtype) +
         "[i:9, j:9] = " + value + "\noutput Z\n";
}

std::string repeated(std::string_view part, int times) {
  std::string text;
  for (int k = 0; k < times; ++k) text += part;
  return text;
}

TEST(ComputationText, PrintsWhatItParsed) {
  const Result<Computation> parsed = parse_computation(conv_relu);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(to_text(*parsed), conv_relu);
  EXPECT_EQ(parsed->operands[1].role, Role::Constant);
  EXPECT_EQ(parsed->stages[0].axes.size(), 7u);
  EXPECT_EQ(parsed->stages[2].reducer, std::nullopt);
}

TEST(ComputationText, DocumentedExampleParsesBack) {
  const std::string text = documented("computation conv_relu");
  const Result<Computation> parsed = parse_computation(text);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(to_text(*parsed), text);
}

TEST(ComputationText, IgnoresBlanksEmptyLinesAndComments) {
  const Result<Computation> parsed = parse_computation(
      "\n# a comment\ncomputation  c # another\r\n\n  stage A f32 [ ] =1.0*-2.0\n\noutput A");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(to_text(*parsed), "computation c\nstage A f32[] = 1.0 * -2.0\noutput A\n");
}

TEST(ExprText, HasOneNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(real(-nan), real(nan));
  EXPECT_EQ(to_text(real(-nan)), to_text(real(nan)));
  EXPECT_FALSE(real(nan) == real(1.0));
  EXPECT_FALSE(real(0.0) == real(-0.0));
}

TEST(ExprText, ParenthesisesNoMoreThanItMust) {
  const std::pair<const char*, const char*> forms[] = {
      {"(i + j) * (i * j)", "i64"},
      {"i - (j - 3) - 2", "i64"},
      {"-3 * i - -3 - -(3) - --3 - -i", "i64"},
      {"-(i + j) % -(i * 2)", "i64"},
      {"!(i < j || 1 <= j) && !true == false", "bool"},
      {"i < j == j < i", "bool"},
      {"true == false == (i < 3 && true)", "bool"},
      {"i32(3) + i32((3)) - i32(-3) + i32(i + 3) + -i32(3)", "i32"},
      {"-(0.5) + -0.5 - inf + -inf + -(inf) + nan + -(nan) - 1e+22 - -0.0", "f32"},
      {"exp(X[i, j]) + select(bool(i), 1.0, pow(2.0, f32(Y[j])))", "f32"},
      {"min(max(i, j), Y[Y[i] / 2])", "i64"},
  };
  for (const auto& [value, dtype] : forms) {
    const Result<Computation> parsed = parse_computation(with_value(value, dtype));
    ASSERT_TRUE(parsed) << value << ": " << parsed.error().message;
    EXPECT_EQ(to_text(parsed->stages[0].value), value);
  }
}

TEST(ExprText, TellsConstantsFromOperatorsOnThem) {
  const auto value = [](const std::string& text, const char* dtype) {
    return parse_computation(with_value(text, dtype))->stages[0].value;
  };
  EXPECT_EQ(value("-3", "i64"), Expr(-3));
  EXPECT_EQ(value("-(3)", "i64"), unary(UnaryOp::Neg, 3));
  EXPECT_EQ(value("-9223372036854775808", "i64"), Expr(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(value("i32(-3)", "i32"), Expr(ExprNode{Integer{DType::I32, -3}}));
  EXPECT_EQ(value("i32((-3))", "i32"), cast(DType::I32, -3));
  EXPECT_EQ(value("3.0", "f32"), real(3));
  EXPECT_EQ(value("true", "bool"), boolean(true));
}

TEST(ExprText, RoundTripsAtRandom) {
  const Vocabulary names{.axes = {"i", "j"},
                         .loads = {{"X", DType::F32, {0, 0}}, {"Y", DType::I64, {0}}}};
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Rng rng(seed);
    const auto dtype = static_cast<DType>(rng.below(4));
    const Expr value = random_expr(dtype, names, 8, rng);
    const std::string text = with_value(to_text(value), to_text(dtype));
    const Result<Computation> parsed = parse_computation(text);
    ASSERT_TRUE(parsed) << "seed " << seed << ": " << parsed.error().message << "\n" << text;
    ASSERT_EQ(parsed->stages[0].value, value) << "seed " << seed << ": " << text;
    ASSERT_EQ(to_text(*parsed), text) << "seed " << seed;
  }
}

TEST(ProgramText, PrintsWhatItParsed) {
  const Result<Program> parsed = parse_program(matmul);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(to_text(*parsed), matmul);
}

TEST(ProgramText, RoundTripsAtRandom) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Rng rng(seed);
    const Program program = random_program(rng);
    const std::string text = to_text(program);
    const Result<void> sound = verify(program);
    ASSERT_TRUE(sound) << "seed " << seed << ": " << sound.error().message << "\n" << text;
    const Result<Program> parsed = parse_program(text);
    ASSERT_TRUE(parsed) << "seed " << seed << ": " << parsed.error().message << "\n" << text;
    ASSERT_EQ(*parsed, program) << "seed " << seed << "\n" << text;
  }
}

TEST(ComputationText, RefusesWithTheLine) {
  EXPECT_EQ(refusal_of_computation(""), "line 1: expected 'computation', found end of text");
  EXPECT_EQ(refusal_of_computation("computation c\nfoo"),
            "line 2: expected input, constant, table, stage or output, found 'foo'");
  EXPECT_EQ(refusal_of_computation("computation c\ninput A f64[2]"), "line 2: no dtype f64");
  EXPECT_EQ(refusal_of_computation("computation c\ninput A f32[2"),
            "line 2: expected ',', found end of text");
  EXPECT_EQ(refusal_of_computation("computation c\ninput A f32[99999999999999999999]"),
            "line 2: expected an integer of 64 bits, found '99999999999999999999'");
  EXPECT_EQ(refusal_of_computation("computation c\ntable T f32[1] = [x]"),
            "line 2: expected a number in range, found 'x'");
  EXPECT_EQ(refusal_of_computation("computation c\n\nstage A f32[i 3] = 1.0"),
            "line 3: expected ':', found '3'");
  EXPECT_EQ(refusal_of_computation(with_value("Q[i]")), "line 4: no tensor Q");
  EXPECT_EQ(refusal_of_computation(with_value("Z[i, j]")), "line 4: no tensor Z");
  EXPECT_EQ(refusal_of_computation(with_value("foo(i)")), "line 4: no function foo");
  EXPECT_EQ(refusal_of_computation(with_value("pow(1.0)")),
            "line 4: pow of 1 arguments, expected 2");
  EXPECT_EQ(refusal_of_computation(with_value("select(1.0)")),
            "line 4: select of 1 arguments, expected 3");
  EXPECT_EQ(refusal_of_computation(with_value("1.0 +")),
            "line 4: expected an expression, found end of line");
  EXPECT_EQ(refusal_of_computation(with_value("1.0 2.0")),
            "line 4: expected end of line, found '2.0'");
  EXPECT_EQ(refusal_of_computation(with_value("(1.0")), "line 4: expected ')', found end of line");
}

TEST(ProgramText, RefusesWithTheLine) {
  EXPECT_EQ(refusal_of_program("program p\n"), "line 1: expected a name, found end of line");
  EXPECT_EQ(refusal_of_program("program p flat\n"), "line 1: no form flat");
  EXPECT_EQ(refusal_of_program("program p lowered\nstage A"), "line 2: no role stage");
  EXPECT_EQ(refusal_of_program("program p lowered\ninput A f32[2]\n"),
            "line 2: expected 'layout', found end of line");
  EXPECT_EQ(refusal_of_program("program p lowered\n"),
            "line 2: expected 'body', found end of text");
  const std::string head = "program p lowered\noutput C f32[2] layout [0]\nbody\n";
  EXPECT_EQ(refusal_of_program(head + "}"), "line 4: expected a statement, found '}'");
  EXPECT_EQ(refusal_of_program(head + "C[0] 1.0"), "line 4: expected '=', found '1.0'");
  EXPECT_EQ(refusal_of_program(head + "for i in 3 {\n"), "line 5: expected '}', found end of text");
  EXPECT_EQ(refusal_of_program(head + "for i in 3 { C[0] = 1.0 }"),
            "line 4: expected end of line, found 'C'");
  EXPECT_EQ(refusal_of_program(head + "for i in 3 parallel unroll {\n}"),
            "line 4: expected '{', found 'unroll'");
  EXPECT_EQ(refusal_of_program(head + "alloc T f32[2] shared layout [0] {\n}"),
            "line 4: no memory shared");
  EXPECT_EQ(refusal_of_program(head + "alloc T f32[2] stack layout [0] {\n}\nC[0] = T[0]\n"),
            "line 6: no tensor T");
}

TEST(Text, LimitsNesting) {
  const std::string deep_expression = "line 4: expression nests deeper than 200";
  EXPECT_EQ(refusal_of_computation(with_value(repeated("-", 199) + "X[i, j]")), deep_expression);
  EXPECT_EQ(refusal_of_computation(with_value(repeated("-", 198) + "X[i, j]")), "accepted");
  EXPECT_EQ(refusal_of_computation(with_value("1.0" + repeated(" + 1.0", 199))), "accepted");
  EXPECT_EQ(refusal_of_computation(with_value("1.0" + repeated(" + 1.0", 200))), deep_expression);
  for (const char* part : {"(", "!", "-", "exp(", "X[", "1.0 +", "1.0 || 1 && 1 == 1 < 1 + 1 * ("})
    EXPECT_EQ(refusal_of_computation(with_value(repeated(part, 100000))), deep_expression) << part;

  const std::string head = "program p lowered\nbody\n";
  const auto nested = [&](std::string_view open, int times) {
    return refusal_of_program(head + repeated(open, times) + repeated("}\n", times));
  };
  EXPECT_EQ(nested("if true {\n", 200), "accepted");
  EXPECT_EQ(nested("if true {\n", 201), "line 203: statements nest deeper than 200");
  EXPECT_EQ(nested("if true {\n", 100000), "line 203: statements nest deeper than 200");
}

TEST(Text, KeepsTheDeepestThatIsAllowed) {
  Expr deep = 3;
  for (int height = 1; height < max_depth; ++height) deep = Expr(1) - deep;
  const Result<Computation> parsed = parse_computation(with_value(to_text(deep), "i64"));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->stages[0].value, deep);
}

}  // namespace
}  // namespace tessera
