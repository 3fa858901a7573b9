#include "ir/interpret.h"

#include "ir/text.h"
#include "tensor/compare.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tessera {
namespace {

HostBuffer reals(std::initializer_list<double> values) {
  HostBuffer buffer(DType::F32, static_cast<std::int64_t>(values.size()));
  std::int64_t at = 0;
  for (const double value : values) buffer.set(at++, value);
  return buffer;
}

HostBuffer random_reals(std::int64_t count, std::uint64_t seed) {
  HostBuffer buffer(DType::F32, count);
  Rng rng(seed);
  fill_random(buffer, rng);
  return buffer;
}

std::string text_of(const HostBuffer& buffer) {
  std::string text;
  for (std::int64_t i = 0; i < buffer.element_count(); ++i)
    text += (i == 0 ? "" : " ") + std::to_string(buffer.get_integer(i));
  return text;
}

/// Evaluates the only output of a computation.
HostBuffer evaluated(std::string_view text, std::vector<HostBuffer> operands) {
  const Result<Computation> computation = parse_computation(text);
  EXPECT_TRUE(computation) << computation.error().message;
  if (!computation) return {};
  Result<std::vector<HostBuffer>> outputs = evaluate(*computation, operands);
  EXPECT_TRUE(outputs) << outputs.error().message;
  return outputs ? std::move(outputs->front()) : HostBuffer();
}

/// The refusal of a program run on `buffers`, or `ran`.
std::string run(std::string_view text, std::vector<HostBuffer*> buffers) {
  const Result<Program> program = parse_program(text);
  if (!program) return program.error().message;
  const Result<void> verdict = interpret(*program, buffers);
  return verdict ? "ran" : verdict.error().message;
}

constexpr std::string_view matmul_text = R"(
computation matmul
input A f32[2, 3]
constant B f32[3, 2]
stage C f32[i:2, j:2] = sum[k:3] A[i, k] * B[k, j]
output C
)";

TEST(Evaluate, MultipliesMatrices) {
  std::vector<HostBuffer> operands;
  operands.push_back(reals({1, 2, 3, 4, 5, 6}));
  operands.push_back(reals({1, 0, 0, 1, 10, 100}));
  EXPECT_EQ(text_of(evaluated(matmul_text, std::move(operands))), "31 302 64 605");
}

TEST(Evaluate, ReadsPaddingThroughSelect) {
  constexpr std::string_view text = R"(
computation conv
input I f32[5]
constant W f32[3]
stage C f32[x:5] = sum[r:3] select(0 <= x + r - 1 && x + r - 1 < 5, I[x + r - 1], 0.0) * W[r]
output C
)";
  std::vector<HostBuffer> operands;
  operands.push_back(reals({1, 2, 3, 4, 5}));
  operands.push_back(reals({100, 10, 1}));
  EXPECT_EQ(text_of(evaluated(text, std::move(operands))), "12 123 234 345 450");
}

TEST(Evaluate, ChainsStagesTablesAndReducers) {
  constexpr std::string_view text = R"(
computation softmax_like
input X f32[2, 3]
table T f32[3] = [1.0, 2.0, 3.0]
stage M f32[i:2] = max[j:3] X[i, j]
stage L f32[i:2] = min[j:3] X[i, j]
stage P f32[i:2] = prod[j:3] X[i, j]
stage Y f32[i:2] = M[i] * 10000.0 + L[i] * 100.0 + P[i] + T[i]
output Y
)";
  std::vector<HostBuffer> operands;
  operands.push_back(reals({3, 1, 2, 4, 5, 2}));
  EXPECT_EQ(text_of(evaluated(text, std::move(operands))), "30107 50242");
}

TEST(Evaluate, ComputesEveryOperator) {
  const auto value = [](const std::string& expression) {
    std::vector<HostBuffer> operands;
    operands.push_back(reals({0.5, -2.5}));
    return evaluated(
               "computation c\ninput X f32[2]\nstage Y f32[] = " + expression + "\noutput Y\n",
               std::move(operands))
        .get(0);
  };
  const auto near = [&](const std::string& expression, double want) {
    EXPECT_NEAR(value(expression), want, 1e-6) << expression;
  };
  near("-X[0]", -0.5);
  near("abs(X[1])", 2.5);
  near("exp(X[0])", std::exp(0.5));
  near("log(X[0])", std::log(0.5));
  near("sqrt(X[0])", std::sqrt(0.5));
  near("rsqrt(X[0])", 1 / std::sqrt(0.5));
  near("erf(X[0])", std::erf(0.5));
  near("tanh(X[0])", std::tanh(0.5));
  near("sigmoid(X[0])", 1 / (1 + std::exp(-0.5)));
  near("sin(X[0])", std::sin(0.5));
  near("cos(X[0])", std::cos(0.5));
  near("floor(X[1])", -3);
  near("ceil(X[1])", -2);
  near("round(X[0]) + round(X[1])", -2);  // halves to even
  near("X[0] / X[1]", -0.2);
  near("X[1] % 2.0", -0.5);
  near("pow(X[0], 3.0)", 0.125);
  near("min(X[0], X[1]) + max(X[0], X[1])", -2);
  near("select(X[0] < X[1] || !(X[0] <= X[1]) && X[0] == 0.5, 1.0, 2.0)", 1);
  near("f32(-7 / 2) + f32(-7 % 2)", -3);  // towards minus infinity: -4 and 1
  near("f32(i64(X[1])) + f32(i32(X[1] * 1e30)) * 0.0", -2);
  near("f32(-(3) + abs(-4) + min(1, 2) + max(1, 2))", 4);
  near("f32(bool(X[0])) + f32(bool(7)) + f32(i32(9) == i32(9))", 3);
  EXPECT_TRUE(std::isnan(value("max(nan, X[0])")));
  EXPECT_TRUE(std::isnan(value("min(X[0], nan)")));
}

TEST(Evaluate, RoundsToF32WhenItStores) {
  std::vector<HostBuffer> none;
  const HostBuffer got = evaluated(
      "computation c\nstage A f32[] = 16777217.0\nstage B f32[] = A[] - 16777216.0\noutput B\n",
      std::move(none));
  EXPECT_EQ(got.get(0), 0);
}

TEST(Interpret, InitialisesReductionsWhateverTheLoopOrder) {
  constexpr std::string_view text = R"(
program matmul scheduled
input A f32[4, 6] layout [0 1]
constant B f32[6, 5] layout [0 1]
output C f32[4, 5] layout [0 1]
body
for C.k.0 in 2 reduce C {
  for C.i in 4 parallel {
    for C.k.1 in 3 reduce C {
      for C.j in 5 vector 8 {
        C[C.i, C.j] += A[C.i, C.k.0 * 3 + C.k.1] * B[C.k.0 * 3 + C.k.1, C.j]
      }
    }
  }
}
)";
  constexpr std::string_view plain = R"(
computation matmul
input A f32[4, 6]
constant B f32[6, 5]
stage C f32[i:4, j:5] = sum[k:6] A[i, k] * B[k, j]
output C
)";
  HostBuffer a = random_reals(24, 1), b = random_reals(30, 2), c(DType::F32, 20);
  for (std::int64_t i = 0; i < 20; ++i) c.set(i, 99);
  ASSERT_EQ(run(text, {&a, &b, &c}), "ran");
  std::vector<HostBuffer> operands;
  operands.push_back(a.copy());
  operands.push_back(b.copy());
  EXPECT_TRUE(compare(c, evaluated(plain, std::move(operands)), {}).equal);
}

TEST(Interpret, EndsTheLastTileEarly) {
  HostBuffer a = reals({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), c(DType::F32, 10);
  EXPECT_EQ(run(R"(
program copy scheduled
input A f32[10] layout [0]
output C f32[10] layout [0]
body
for C.i.0 in 3 parallel {
  for C.i.1 in min(4, 10 - C.i.0 * 4) vector 4 {
    prefetch A[C.i.0 * 4 + C.i.1 + 100]
    C[C.i.0 * 4 + C.i.1] = A[C.i.0 * 4 + C.i.1]
  }
}
)",
                {&a, &c}),
            "ran");
  EXPECT_EQ(text_of(c), "1 2 3 4 5 6 7 8 9 10");
}

TEST(Interpret, RunsParallelLoopsBackwards) {
  HostBuffer c(DType::F32, 3);
  EXPECT_EQ(run(R"(
program order scheduled
output C f32[3] layout [0]
body
for i in 3 parallel {
  C[0] = f32(i)
  if i < 2 {
    C[1] = f32(i)
  } else {
    C[2] = 5.0
  }
}
)",
                {&c}),
            "ran");
  EXPECT_EQ(text_of(c), "0 0 5");
}

TEST(Interpret, GivesFreshAllocationsNoMeaning) {
  HostBuffer c(DType::F32, 2), d(DType::I32, 1);
  EXPECT_EQ(run(R"(
program fresh scheduled
output C f32[2] layout [0]
output D i32[1] layout [0]
body
for i in 2 {
  alloc T f32[2] stack layout [0] {
    C[i] = T[1]
    T[1] = 3.0
  }
}
alloc U i32[1] global layout [0] {
  D[0] = U[0]
}
)",
                {&c, &d}),
            "ran");
  EXPECT_TRUE(std::isnan(c.get(0)));
  EXPECT_TRUE(std::isnan(c.get(1)));
  EXPECT_LT(d.get(0), -1e6);
}

TEST(Interpret, MapsIndicesThroughLayoutsAndReadsHalosAsZero) {
  HostBuffer c(DType::F32, 2 * 4 * 2);
  const Shape shape = {3, 4};
  const Layout blocked = *parse_layout("[0/2 1 0%2]");
  EXPECT_EQ(run(R"(
program layouts scheduled
output C f32[3, 4] layout [0/2 1 0%2]
body
alloc T f32[3, 4] global layout [0 1+3] halo 1:1:1 {
  for T.i in 3 {
    for T.j in 4 {
      T[T.i, T.j] = f32(T.i * 10 + T.j)
    }
  }
  for C.i in 3 {
    for C.j in 4 {
      C[C.i, C.j] = T[C.i, C.j - 1] + T[C.i, C.j + 1]
    }
  }
}
)",
                {&c}),
            "ran");
  EXPECT_EQ(text_of(unpack(c, shape, blocked)), "1 2 4 2 11 22 24 12 21 42 44 22");
}

TEST(Interpret, TakesFlatOffsetsInTheLoweredForm) {
  HostBuffer a = reals({1, 2, 3, 4, 0, 0}), c = reals({7});
  EXPECT_EQ(run(R"(
program sum lowered
input A f32[4] layout [0+2]
table T f32[2, 2] = [1.0, 10.0, 100.0, 1000.0]
output C f32[1] layout [0]
body
C[0] = 0.0
for k in 4 {
  C[0] += A[k] * T[k]
}
)",
                {&a, &c}),
            "ran");
  EXPECT_EQ(text_of(c), "4321");
}

TEST(Interpret, RefusesAccessOutsideATensor) {
  HostBuffer a(DType::F32, 12), c(DType::F32, 12);
  const std::string head =
      "input A f32[3, 4] layout [0 1]\noutput C f32[3, 4] layout [0 1]\nbody\nfor i in 4 {\n";
  EXPECT_EQ(run("program p scheduled\n" + head + "C[0, 0] = A[i, 0]\n}\n", {&a, &c}),
            "load of A: index 3 of dimension 0 is outside 0 .. 2");
  EXPECT_EQ(run("program p scheduled\n" + head + "C[i - 1, 0] = 1.0\n}\n", {&a, &c}),
            "store to C: index -1 of dimension 0 is outside 0 .. 2");
  EXPECT_EQ(run("program p lowered\n" + head + "C[i * 4] = 1.0\n}\n", {&a, &c}),
            "store to C: index 12 is outside 0 .. 11");
  EXPECT_EQ(
      run("program p lowered\n" + head + "C[0] = A[i * 9223372036854775807 * 4]\n}\n", {&a, &c}),
      "load of A: index -4 is outside 0 .. 11");
}

TEST(Interpret, RefusesWritesToAHalo) {
  HostBuffer c(DType::F32, 6);
  EXPECT_EQ(run("program p scheduled\noutput C f32[4] layout [0] halo 0:1:1\nbody\nfor i in 5 {\n"
                "C[i] = 1.0\n}\n",
                {&c}),
            "store to C: index 4 is outside 0 .. 3");
}

TEST(Interpret, RefusesDivisionByWhatIsNotPositive) {
  HostBuffer c(DType::F32, 1);
  EXPECT_EQ(run("program p scheduled\noutput C f32[1] layout [0]\nbody\nfor i in 2 {\n"
                "C[i / i] = 1.0\n}\n",
                {&c}),
            "integer division by 0, expected a positive divisor");
}

TEST(Interpret, RefusesMoreIterationsThanLanes) {
  HostBuffer c(DType::F32, 9);
  EXPECT_EQ(run("program p scheduled\noutput C f32[9] layout [0]\nbody\nfor j in 2 {\n"
                "for i in 8 + j vector 8 {\nC[i] = 1.0\n}\n}\n",
                {&c}),
            "loop i: extent 9 is above its 8 lanes");
}

TEST(Interpret, RefusesTensorsThatDoNotFitIntoMemory) {
  EXPECT_EQ(run("program p scheduled\nbody\n"
                "alloc T f32[16777216, 16777216] global layout [0 1] {\nT[0, 0] = 1.0\n}\n",
                {}),
            "program p: its tensors do not fit into memory");
  const auto computation =
      parse_computation("computation c\nstage T f32[i:16777216, j:16777216] = 1.0\noutput T\n");
  EXPECT_EQ(evaluate(*computation, {}).error().message,
            "computation c: its tensors do not fit into memory");
}

TEST(Interpret, RefusesBuffersThatDoNotFit) {
  constexpr std::string_view text =
      "program p scheduled\ninput A f32[4] layout [0+2]\noutput C f32[1] layout [0]\nbody\n";
  HostBuffer short_a(DType::F32, 4), a(DType::F32, 6), c(DType::I32, 1);
  EXPECT_EQ(run(text, {&a}), "program p: 1 buffers, expected 2");
  EXPECT_EQ(run(text, {&short_a, &c}), "input A: buffer of 4 f32, expected 6 f32");
  EXPECT_EQ(run(text, {&a, &c}), "output C: buffer of 1 i32, expected 1 f32");
}

}  // namespace
}  // namespace tessera
