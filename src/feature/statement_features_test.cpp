#include "feature/statement_features.h"

#include "support/parsed.h"
#include "support/small_tasks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace tessera {
namespace {

double slog(double x) { return x < 0 ? -std::log2(1 - x) : std::log2(1 + x); }

/// One row, by the names of its columns.
using Row = std::map<std::string, float>;

std::vector<Row> rows_of(const Computation& computation, std::string_view program) {
  Rows rows{.width = statement_width};
  append_statements({computation, *parse_target("x86-avx2")}, parsed_program(program), rows);
  const std::vector<std::string> names = statement_columns();
  std::vector<Row> named(rows.length(0));
  for (std::size_t n = 0; n < rows.values.size(); ++n)
    named[n / statement_width][names[n % statement_width]] = rows.values[n];
  return named;
}

/// Expects columns that go through slog to be those of `numbers`.
void expect_slogs(const Row& row, const std::string& prefix,
                  const std::map<std::string, double>& numbers) {
  for (const auto& [name, number] : numbers)
    EXPECT_NEAR(row.at(prefix + name), slog(number), 1e-4) << prefix << name;
}

/// The numbers of a tensor that a statement uses.
struct Use {
  std::string kind;
  double bytes, unique_bytes, lines, unique_lines;
  std::string reuse;
  double distance_iterations, distance_bytes, count, stride;
};

void expect_use(const Row& row, const std::string& prefix, const Use& use) {
  for (const std::string kind : {"is_read", "is_write", "is_read_write"})
    EXPECT_EQ(row.at(prefix + kind), kind == use.kind ? 1 : 0) << prefix << kind;
  for (const std::string kind : {"loop_reuse", "serial_reuse", "no_reuse"})
    EXPECT_EQ(row.at(prefix + kind), kind == use.reuse ? 1 : 0) << prefix << kind;
  const double divisor = use.reuse == "no_reuse" ? 0.5 : use.count;
  expect_slogs(row, prefix,
               {{"bytes", use.bytes},
                {"unique_bytes", use.unique_bytes},
                {"lines", use.lines},
                {"unique_lines", use.unique_lines},
                {"reuse_distance_iterations", use.distance_iterations},
                {"reuse_distance_bytes", use.distance_bytes},
                {"reuse_count", use.count},
                {"bytes_per_reuse", use.bytes / divisor},
                {"unique_bytes_per_reuse", use.unique_bytes / divisor},
                {"lines_per_reuse", use.lines / divisor},
                {"unique_lines_per_reuse", use.unique_lines / divisor},
                {"stride", use.stride}});
}

void expect_no_use(const Row& row, const std::string& prefix) {
  for (const auto& [name, value] : row)
    EXPECT_TRUE(!name.starts_with(prefix) || value == 0) << name;
}

// 4 * 2 * 2 * 4 * 16 = 1024 iterations. Elements that the loops from one inwards touch:
//
//            i    j.0   k.0   k.1   j.1   one iteration
//     A     32      8     8     4     1     1
//     B    256    256   128    64    16     1
//     C    128     32    16    16    16     1
constexpr std::string_view tiled_matmul = R"(program matmul scheduled
input A f32[4, 8] layout [0 1]
constant B f32[8, 32] layout [0 1]
output C f32[4, 32] layout [0 1]
body
for C.i in 4 parallel {
  for C.j.0 in 2 {
    for C.k.0 in 2 reduce C {
      for C.k.1 in 4 unroll reduce C {
        for C.j.1 in 16 vector 16 {
          C[C.i, C.j.0 * 16 + C.j.1] += A[C.i, C.k.0 * 4 + C.k.1] * B[C.k.0 * 4 + C.k.1, C.j.0 * 16 + C.j.1]
        }
      }
    }
  }
}
)";

TEST(StatementFeatures, CountTheOperationsOfAllIterations) {
  const Row row = rows_of(matmul(4, 32, 8), tiled_matmul).at(0);
  expect_slogs(row, "",
               {{"float_mad", 0},
                {"float_addsub", 1024},
                {"float_mul", 1024},
                {"float_divmod", 0},
                {"float_compare", 0},
                {"float_math", 0},
                {"float_other", 0},
                {"int_addsub", 3 * 1024},  // of the indices of A and B
                {"int_mul", 3 * 1024},
                {"int_compare", 0},
                {"bool", 0},
                {"select", 0}});
}

TEST(StatementFeatures, KnowTheKindsOfLoops) {
  const Row row = rows_of(matmul(4, 32, 8), tiled_matmul).at(0);
  expect_slogs(row, "vector.", {{"loops", 1}, {"extents", 16}, {"innermost", 16}});
  expect_slogs(row, "unroll.", {{"loops", 1}, {"extents", 4}, {"innermost", 4}});
  expect_slogs(row, "parallel.", {{"loops", 1}, {"extents", 4}, {"innermost", 4}});
  EXPECT_EQ(row.at("vector.mixed"), 1);
  EXPECT_EQ(row.at("vector.none"), 0);
  EXPECT_EQ(row.at("is_gpu"), 0);
  EXPECT_EQ(row.at("thread_x"), 1);
  expect_slogs(row, "", {{"iterations", 1024}, {"loops", 5}, {"unroll_pragma", 0}});
}

TEST(StatementFeatures, DescribeTheUsesOfAMatmul) {
  const Row row = rows_of(matmul(4, 32, 8), tiled_matmul).at(0);
  // A waits for no other iteration of j.1; 1024 / 16 accesses, 16 of them in a line.
  expect_use(row, "B0.",
             {.kind = "is_read",
              .bytes = 4096,
              .unique_bytes = 128,
              .lines = 4,
              .unique_lines = 2,
              .reuse = "loop_reuse",
              .distance_iterations = 1,
              .distance_bytes = 3 * 4,
              .count = 16,
              .stride = 0});
  // C comes back with k.1, after 16 iterations of j.1, and with k.0.
  expect_use(row, "B1.",
             {.kind = "is_read_write",
              .bytes = 4096,
              .unique_bytes = 512,
              .lines = 64,
              .unique_lines = 8,
              .reuse = "loop_reuse",
              .distance_iterations = 16,
              .distance_bytes = (1 + 16 + 16) * 4,
              .count = 8,
              .stride = 1});
  // B comes back with i.
  expect_use(row, "B2.",
             {.kind = "is_read",
              .bytes = 4096,
              .unique_bytes = 1024,
              .lines = 64,
              .unique_lines = 16,
              .reuse = "loop_reuse",
              .distance_iterations = 256,
              .distance_bytes = (8 + 256 + 32) * 4,
              .count = 4,
              .stride = 1});
  expect_no_use(row, "B3.");
  expect_no_use(row, "B4.");
}

// Two operations in an iteration; operations and bytes of the loops from the innermost outwards:
// 2^5 and 33 * 4, 2^7 and 84 * 4, 2^8 and 152 * 4, 2^9 and 296 * 4, 2^11 and 416 * 4.
TEST(StatementFeatures, SampleArithmeticIntensity) {
  const Row row = rows_of(matmul(4, 32, 8), tiled_matmul).at(0);
  const double first = 5 / std::log2(132), second = 7 / std::log2(336), third = 8 / std::log2(608);
  for (const char* name : {"intensity.0", "intensity.1", "intensity.2", "intensity.3"})
    EXPECT_NEAR(row.at(name), first, 1e-4);                                      // 1.1 .. 4.4
  EXPECT_NEAR(row.at("intensity.4"), first + (second - first) * 0.5 / 2, 1e-4);  // 5.5
  EXPECT_NEAR(row.at("intensity.6"), second + (third - second) * 0.7, 1e-4);     // 7.7
  EXPECT_NEAR(row.at("intensity.9"), 11 / std::log2(1664), 1e-4);                // 11
}

TEST(StatementFeatures, KnowNoAllocationOfAnOutput) {
  const Row row = rows_of(matmul(4, 32, 8), tiled_matmul).at(0);
  expect_slogs(row, "alloc_",
               {{"bytes", 0}, {"product", 0}, {"outer_iterations", 0}, {"inner_iterations", 0}});
}

constexpr std::string_view matmul_on_tiles = R"(program matmul_relu scheduled
input A f32[4, 8] layout [0 1]
constant B f32[8, 32] layout [0 1]
output D f32[4, 32] layout [0 1]
body
for D.j.0 in 2 {
  for D.i in 4 {
    alloc C f32[1, 16] register layout [0 1] {
      for C.i in 1 {
        for C.k in 8 reduce C {
          for C.j in 16 vector 16 {
            C[C.i, C.j] += A[D.i + C.i, C.k] * B[C.k, D.j.0 * 16 + C.j]
          }
        }
      }
      for D.j.1 in 16 vector 16 {
        D[D.i, D.j.0 * 16 + D.j.1] = max(C[0, D.j.1], 0.0)
      }
    }
  }
}
)";

TEST(StatementFeatures, KnowTheTileThatIsAllocatedInLoops) {
  const std::vector<Row> rows = rows_of(matmul_relu(4, 32, 8), matmul_on_tiles);
  ASSERT_EQ(rows.size(), 2);
  expect_slogs(rows[0], "alloc_",
               {{"bytes", 64},
                {"product", 16 * 8},
                {"outer_iterations", 2 * 4},
                {"inner_iterations", 8 * 16}});
  expect_slogs(rows[0], "", {{"iterations", 1024}, {"loops", 4}});  // C.i runs once
  // The same 16 elements in all iterations; those of D.i bring nothing back.
  expect_use(rows[0], "B1.",
             {.kind = "is_read_write",
              .bytes = 4096,
              .unique_bytes = 64,
              .lines = 64,
              .unique_lines = 1,
              .reuse = "loop_reuse",
              .distance_iterations = 16,
              .distance_bytes = (1 + 16 + 16) * 4,
              .count = 8,
              .stride = 1});
}

TEST(StatementFeatures, FindWhatAnEarlierStatementTouched) {
  const std::vector<Row> rows = rows_of(matmul_relu(4, 32, 8), matmul_on_tiles);
  ASSERT_EQ(rows.size(), 2);
  expect_slogs(rows[1], "", {{"float_compare", 128}, {"int_addsub", 0}, {"iterations", 128}});
  expect_use(rows[1], "B0.",
             {.kind = "is_write",
              .bytes = 512,
              .unique_bytes = 512,
              .lines = 8,
              .unique_lines = 8,
              .reuse = "no_reuse",
              .distance_iterations = 0,
              .distance_bytes = 0,
              .count = 0,
              .stride = 1});
  // An iteration of D.i reads 8 elements of A, 128 of B and the 16 of the tile.
  expect_use(rows[1], "B1.",
             {.kind = "is_read",
              .bytes = 512,
              .unique_bytes = 64,
              .lines = 8,
              .unique_lines = 1,
              .reuse = "serial_reuse",
              .distance_iterations = 16,
              .distance_bytes = (8 + 128 + 16) * 4,
              .count = 8,
              .stride = 1});
}

/// A convolution whose image has `layout`.
std::string conv_program(const std::string& layout) {
  return R"(program conv scheduled
input I f32[1, 4, 6, 6] layout )" +
         layout + R"(
constant W f32[8, 4, 3, 3] layout [1 2 3 0]
output C f32[1, 8, 6, 6] layout [0 1/8 2 3 1%8]
body
for C.y in 6 {
  for C.x in 6 {
    for C.c in 4 reduce C {
      for C.r in 3 reduce C {
        for C.s in 3 reduce C {
          for C.o in 8 vector 8 {
            C[0, C.o, C.y, C.x] += select(0 <= C.y + C.r - 1 && C.y + C.r - 1 < 6 && 0 <= C.x + C.s - 1 && C.x + C.s - 1 < 6, I[0, C.c, C.y + C.r - 1, C.x + C.s - 1], 0.0) * W[C.o, C.c, C.r, C.s]
          }
        }
      }
    }
  }
}
)";
}

const ConvSizes conv_sizes{.inputs = 4, .outputs = 8, .size = 6, .pad = 1};
constexpr double conv_iterations = 6 * 6 * 4 * 3 * 3 * 8;

TEST(StatementFeatures, DescribeTheUsesOfAConvolutionByItsLayouts) {
  const Row row = rows_of(conv(conv_sizes), conv_program("[0 1/4 2 3 1%4] halo 2:1:1 3:1:1")).at(0);
  // I: 6 + 2 rows and columns of 4 channels. Neighbours along s are 4 elements apart, four
  // positions to a line, and 8 iterations of o share an access.
  expect_use(row, "B0.",
             {.kind = "is_read",
              .bytes = conv_iterations * 4,
              .unique_bytes = 8 * 8 * 4 * 4,
              .lines = conv_iterations / 8 / 4,
              .unique_lines = 16,
              .reuse = "loop_reuse",
              .distance_iterations = 1,
              .distance_bytes = 3 * 4,
              .count = 8,
              .stride = 0});
  // C comes back with s, r and c.
  expect_use(row, "B1.",
             {.kind = "is_read_write",
              .bytes = conv_iterations * 4,
              .unique_bytes = 288 * 4,
              .lines = conv_iterations / 16,
              .unique_lines = 18,
              .reuse = "loop_reuse",
              .distance_iterations = 8,
              .distance_bytes = (1 + 8 + 8) * 4,
              .count = 36,
              .stride = 1});
  // W comes back with x and y; in between are 4 * 3 * 3 elements of I, all of W and 8 of C.
  expect_use(row, "B2.",
             {.kind = "is_read",
              .bytes = conv_iterations * 4,
              .unique_bytes = 288 * 4,
              .lines = conv_iterations / 16,
              .unique_lines = 18,
              .reuse = "loop_reuse",
              .distance_iterations = 288,
              .distance_bytes = (36 + 288 + 8) * 4,
              .count = 36,
              .stride = 1});
}

TEST(StatementFeatures, CountTestsOfPaddingWhereThereIsNoHalo) {
  const Row in_halo = rows_of(conv(conv_sizes), conv_program("[0 1 2 3] halo 2:1:1 3:1:1")).at(0);
  expect_slogs(in_halo, "",
               {{"select", 0},
                {"bool", 0},
                {"int_compare", 0},
                {"int_addsub", 4 * conv_iterations},
                {"float_addsub", conv_iterations}});
  const Row tested = rows_of(conv(conv_sizes), conv_program("[0 1 2 3]")).at(0);
  expect_slogs(tested, "",
               {{"select", conv_iterations},
                {"bool", 3 * conv_iterations},
                {"int_compare", 4 * conv_iterations},
                {"int_addsub", 12 * conv_iterations},
                {"float_addsub", conv_iterations}});
  expect_slogs(tested, "B0.", {{"unique_bytes", 4 * 6 * 6 * 4}});  // nothing beyond the image
}

/// T[i, j] = A[j, i] with A in `layout`.
std::string transpose_program(const std::string& layout) {
  return "program transpose scheduled\ninput A f32[16, 4] layout " + layout + R"(
output T f32[4, 16] layout [0 1]
body
for T.i in 4 {
  for T.j in 16 {
    T[T.i, T.j] = A[T.j, T.i]
  }
}
)";
}

TEST(StatementFeatures, TakeStridesAndLinesFromTheLayout) {
  const auto expect_read = [](const std::string& layout,
                              const std::map<std::string, double>& numbers) {
    const Row row = rows_of(matmul(4, 4, 4), transpose_program(layout)).at(0);
    expect_slogs(row, row.at("B0.is_read") == 1 ? "B0." : "B1.", numbers);
  };
  expect_read("[0 1]", {{"stride", 4}, {"lines", 16}, {"unique_lines", 4}});
  // Rows of 4 elements, 16 apart.
  expect_read("[0 1+12]", {{"stride", 16}, {"lines", 64}, {"unique_lines", 16}});
  expect_read("[1 0]", {{"stride", 1}, {"lines", 4}, {"unique_lines", 4}});
  expect_read("[0/8 1 0%8]", {{"stride", 1}, {"lines", 4}, {"unique_lines", 4}});
}

TEST(StatementFeatures, KnowNoIntensityOfACopy) {
  const Row row = rows_of(matmul(4, 4, 4), transpose_program("[0 1]")).at(0);
  for (int n = 0; n < 10; ++n) EXPECT_EQ(row.at("intensity." + std::to_string(n)), 0);
}

TEST(StatementFeatures, ReadThroughFusedLoops) {
  const Row row = rows_of(matmul(4, 4, 4), R"(program fused scheduled
input A f32[8, 4] layout [0 1]
output D f32[4, 8] layout [0 1]
body
for D.i_j in 32 {
  D[D.i_j / 8, D.i_j % 8] = A[D.i_j % 8, D.i_j / 8]
}
)")
                      .at(0);
  expect_slogs(row, "B0.", {{"unique_bytes", 128}, {"stride", 4}, {"lines", 8}});
  expect_slogs(row, "B1.", {{"unique_bytes", 128}, {"stride", 1}, {"lines", 2}});
  EXPECT_EQ(row.at("B0.is_read"), 1);
}

TEST(StatementFeatures, SupposeThatDataReachesAllOfADimension) {
  const Row row = rows_of(matmul(4, 4, 4), R"(program gather scheduled
input N i64[4] layout [0]
input X f32[10, 32] layout [0 1]
output D f32[4, 32] layout [0 1]
body
for D.i in 4 {
  for D.j in 32 {
    D[D.i, D.j] = X[N[D.i], D.j]
  }
}
)")
                      .at(0);
  // N, D and X: nothing of D and X comes back, but N does in each iteration of j.
  expect_slogs(row, "B0.", {{"unique_bytes", 4 * 32 * 4}, {"stride", 1}});
  expect_slogs(row, "B1.", {{"unique_bytes", 10 * 32 * 4}, {"lines", 8}, {"stride", 1}});
  expect_slogs(row, "B2.", {{"unique_bytes", 4 * 8}, {"reuse_count", 32}, {"stride", 0}});
  expect_slogs(row, "B2.", {{"reuse_distance_bytes", 4 + 4 + 8}});
}

TEST(StatementFeatures, AverageAStrideThatMostlyStays) {
  const Row row = rows_of(matmul(4, 4, 4), R"(program groups scheduled
input A f32[2] layout [0]
output D f32[9] layout [0]
body
for D.i in 9 {
  D[D.i] = A[D.i / 8]
}
)")
                      .at(0);
  expect_slogs(row, "B0.", {{"unique_bytes", 8}, {"stride", 1.0 / 8}});
}

TEST(StatementFeatures, DescribeFiveTensorsAtMost) {
  const Row row = rows_of(matmul(4, 4, 4), R"(program sum scheduled
input A f32[8] layout [0]
input B f32[8] layout [0]
input C f32[8] layout [0]
input D f32[8] layout [0]
input E f32[8] layout [0]
output F f32[8] layout [0]
body
for F.i in 8 {
  F[F.i] = A[F.i] + B[F.i] + C[F.i] + D[F.i] + E[F.i]
}
)")
                      .at(0);
  for (int n = 0; n < 5; ++n)  // all alike, but F is written
    EXPECT_EQ(row.at("B" + std::to_string(n) + ".is_read"), 1);
}

TEST(StatementFeatures, TakeTheLargestExtents) {
  const Row row = rows_of(matmul(4, 4, 4), R"(program negative scheduled
input A f32[128] layout [0]
output D f32[128] layout [0]
body
for D.i.0 in 22 {
  for D.i.1 in min(6, 128 - D.i.0 * 6) {
    D[D.i.0 * 6 + D.i.1] = -A[D.i.0 * 6 + D.i.1]
  }
}
)")
                      .at(0);
  expect_slogs(row, "", {{"iterations", 132}, {"loops", 2}, {"float_addsub", 132}});
  expect_slogs(row, "B0.", {{"bytes", 132 * 4}, {"unique_bytes", 128 * 4}});
}

TEST(StatementFeatures, HaveNoRowForWorkOnConstants) {
  const std::vector<Row> rows = rows_of(matmul(4, 4, 4), R"(program scaled scheduled
input X f32[8] layout [0]
constant W f32[8] layout [0]
output D f32[8] layout [0]
body
alloc V f32[8] constant layout [0] {
  for V.i in 8 {
    V[V.i] = W[V.i] * 2.0
  }
  for D.i in 8 {
    D[D.i] = X[D.i] * V[D.i]
  }
}
)");
  ASSERT_EQ(rows.size(), 1);
  expect_slogs(rows[0], "", {{"float_mul", 8}, {"alloc_bytes", 0}});
}

TEST(StatementFeatures, NameEachColumn) {
  const std::vector<std::string> names = statement_columns();
  ASSERT_EQ(names.size(), statement_width);
  EXPECT_EQ(names[0], "float_mad");
  EXPECT_EQ(names[16], "vector.loops");
  EXPECT_EQ(names[49], "is_gpu");
  EXPECT_EQ(names[57], "B0.is_read");
  EXPECT_EQ(names[57 + 18], "B1.is_read");
  EXPECT_EQ(names[147], "intensity.0");
  EXPECT_EQ(names[157], "alloc_bytes");
  EXPECT_EQ(names[161], "iterations");
  EXPECT_EQ(names[164], "task.max");
}

}  // namespace
}  // namespace tessera
