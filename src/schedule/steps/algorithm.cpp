#include "ir/padding.h"
#include "ir/rewrite.h"
#include "schedule/step.h"
#include "schedule/tree.h"

#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace tessera {
namespace {

using Matrix = std::vector<std::vector<double>>;

/// F(m x m, 3 x 3): y = A^T [(G w G^T) * (B^T x B)] A on tiles of m + 2 (Lavin and Gray, arXiv
/// 1509.09308).
struct Winograd {
  std::int64_t outputs = 0;  // m
  Matrix input, weight, output;
};

const Winograd& winograd2() {
  static const Winograd matrices{
      .outputs = 2,
      .input = {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}},
      .weight = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}},
      .output = {{1, 1, 1, 0}, {0, 1, -1, -1}}};
  return matrices;
}

const Winograd& winograd4() {
  static const Winograd matrices{
      .outputs = 4,
      .input = {{4, 0, -5, 0, 1, 0},
                {0, -4, -4, 1, 1, 0},
                {0, 4, -4, -1, 1, 0},
                {0, -2, -1, 2, 1, 0},
                {0, 2, -1, -2, 1, 0},
                {0, 4, 0, -5, 0, 1}},
      .weight = {{1.0 / 4, 0, 0},
                 {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                 {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                 {1.0 / 24, 1.0 / 12, 1.0 / 6},
                 {1.0 / 24, -1.0 / 12, 1.0 / 6},
                 {0, 0, 1}},
      .output = {
          {1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}}};
  return matrices;
}

/// A 3x3 convolution of stride 1 as its nest shows it.
struct Convolution {
  Tensor input, weight, output;
  std::int64_t pad_top = 0, pad_left = 0;
};

/// `index` is `a + b - pad`, both axes with coefficient 1; gives pad.
std::optional<std::int64_t> window_pad(const Expr& index, const AxisId& a, const AxisId& b) {
  const Affine affine = to_affine(index);
  if (affine.terms.size() != 2 || affine.coefficient(a) != 1 || affine.coefficient(b) != 1)
    return std::nullopt;
  return -affine.constant;
}

std::optional<Convolution> as_convolution(const Program& program, const Nest& nest) {
  if (nest.loops.size() != 7 || nest.store.reducer != Reducer::Sum ||
      nest.store.indices.size() != 4)
    return std::nullopt;
  const Binary* product = as<Binary>(nest.store.value);
  if (product == nullptr || product->op != BinaryOp::Mul) return std::nullopt;
  const auto shape_of = [&](const TensorId& id) {
    const Placed* placed = find_placed(program, id);
    return placed == nullptr ? Shape() : placed->tensor.shape;
  };
  const Load* weight = as<Load>(product->b);
  const Load* padded = padded_read(product->a, shape_of);
  const Load* input = padded != nullptr ? padded : as<Load>(product->a);
  if (weight == nullptr || input == nullptr || input->indices.size() != 4) return std::nullopt;
  const auto id = [&](std::size_t n) { return nest.loops[n].axis; };  // n o y x, c r s
  const std::vector<Expr> want{axis(id(1)), axis(id(4)), axis(id(5)), axis(id(6))};
  const auto top = window_pad(input->indices[2], id(2), id(5));
  const auto left = window_pad(input->indices[3], id(3), id(6));
  const Placed* weights = find_placed(program, weight->tensor);
  if (weight->indices != want || !(input->indices[0] == axis(id(0))) ||
      !(input->indices[1] == axis(id(4))) || !top || !left || weights == nullptr ||
      weights->memory != Memory::Constant || nest.loops[5].extent != Expr(3) ||
      nest.loops[6].extent != Expr(3))
    return std::nullopt;
  return Convolution{.input = find_placed(program, input->tensor)->tensor,
                     .weight = weights->tensor,
                     .output = find_placed(program, nest.store.tensor)->tensor,
                     .pad_top = *top,
                     .pad_left = *left};
}

/// `matrix[row] . value`, without terms of zero; `row` is one of the matrix's rows.
Expr combination(const std::vector<double>& row, const std::function<Expr(std::int64_t)>& value) {
  std::optional<Expr> sum;
  for (std::size_t n = 0; n < row.size(); ++n) {
    if (row[n] == 0) continue;
    const double size = row[n] < 0 ? -row[n] : row[n];
    const Expr term = size == 1 ? value(static_cast<std::int64_t>(n))
                                : real(size) * value(static_cast<std::int64_t>(n));
    if (!sum)
      sum = row[n] < 0 ? real(0.0) - term : term;
    else
      sum = row[n] < 0 ? *sum - term : *sum + term;
  }
  return *sum;
}

/// The row of the matrix that `which` names, applied to values. Choosing costs nothing where
/// `which` is unrolled.
Expr transform(const Matrix& matrix, const Expr& which,
               const std::function<Expr(std::int64_t)>& value) {
  Expr out = combination(matrix.back(), value);
  for (std::size_t row = matrix.size() - 1; row-- > 0;)
    out = select(binary(BinaryOp::Equal, which, static_cast<std::int64_t>(row)),
                 combination(matrix[row], value), out);
  return out;
}

Axis spatial(const char* name, std::int64_t extent) { return {.name = name, .extent = extent}; }
Axis reduce(const char* name, std::int64_t extent) {
  return {.name = name, .extent = extent, .kind = AxisKind::Reduce};
}

Stage stage(const TensorId& name, std::vector<Axis> axes, std::optional<Reducer> reducer,
            Expr value) {
  Shape shape;
  for (const Axis& a : axes)
    if (a.kind == AxisKind::Spatial) shape.push_back(a.extent);
  return {.tensor = {.name = name, .dtype = DType::F32, .shape = shape},
          .axes = std::move(axes),
          .reducer = reducer,
          .value = std::move(value)};
}

/// The stages of the algorithm. Tiles are numbered t = (image * tile rows + tile row) * tile
/// columns + tile column.
std::vector<Stage> stages_of(const Convolution& conv, const Winograd& w, const TensorId& table) {
  const std::int64_t m = w.outputs, a = m + 2;
  const std::int64_t images = conv.output.shape[0], out_channels = conv.output.shape[1];
  const std::int64_t tile_rows = (conv.output.shape[2] + m - 1) / m,
                     tile_columns = (conv.output.shape[3] + m - 1) / m;
  const std::int64_t in_channels = conv.input.shape[1], tiles = images * tile_rows * tile_columns;
  const TensorId& name = conv.output.name;
  const auto at = [](const TensorId& tensor, std::vector<Expr> indices) {
    return load(tensor, DType::F32, std::move(indices));
  };
  const auto pixel = [&](const Expr& k, const Expr& l) {
    const Expr y = axis("t") / tile_columns % tile_rows * m + k - conv.pad_top;
    const Expr x = axis("t") % tile_columns * m + l - conv.pad_left;
    const Expr inside = Expr(0) <= y && y < Expr(conv.input.shape[2]) && Expr(0) <= x &&
                        x < Expr(conv.input.shape[3]);
    return select(inside,
                  at(conv.input.name, {axis("t") / (tile_rows * tile_columns), axis("c"), y, x}),
                  real(0.0));
  };
  std::vector<Stage> stages;
  stages.push_back(stage(name + ".u",
                         {spatial("i", a), spatial("j", a), spatial("c", in_channels),
                          spatial("o", out_channels), reduce("r", 3), reduce("s", 3)},
                         Reducer::Sum,
                         at(table, {axis("i"), axis("r")}) * at(table, {axis("j"), axis("s")}) *
                             at(conv.weight.name, {axis("o"), axis("c"), axis("r"), axis("s")})));
  stages.push_back(
      stage(name + ".w",
            {spatial("i", a), spatial("l", a), spatial("t", tiles), spatial("c", in_channels)},
            std::nullopt,
            transform(w.input, axis("i"), [&](std::int64_t k) { return pixel(k, axis("l")); })));
  stages.push_back(
      stage(name + ".v",
            {spatial("i", a), spatial("j", a), spatial("t", tiles), spatial("c", in_channels)},
            std::nullopt, transform(w.input, axis("j"), [&](std::int64_t l) {
              return at(name + ".w", {axis("i"), l, axis("t"), axis("c")});
            })));
  stages.push_back(stage(name + ".m",
                         {spatial("i", a), spatial("j", a), spatial("t", tiles),
                          spatial("o", out_channels), reduce("c", in_channels)},
                         Reducer::Sum,
                         at(name + ".v", {axis("i"), axis("j"), axis("t"), axis("c")}) *
                             at(name + ".u", {axis("i"), axis("j"), axis("c"), axis("o")})));
  stages.push_back(
      stage(name + ".z",
            {spatial("k", m), spatial("j", a), spatial("t", tiles), spatial("o", out_channels)},
            std::nullopt, transform(w.output, axis("k"), [&](std::int64_t i) {
              return at(name + ".m", {i, axis("j"), axis("t"), axis("o")});
            })));
  const Expr tile = (axis("n") * tile_rows + axis("y") / m) * tile_columns + axis("x") / m;
  stages.push_back(stage(name,
                         {spatial("n", images), spatial("o", out_channels),
                          spatial("y", conv.output.shape[2]), spatial("x", conv.output.shape[3])},
                         std::nullopt, transform(w.output, axis("x") % m, [&](std::int64_t j) {
                           return at(name + ".z", {axis("y") % m, j, tile, axis("o")});
                         })));
  return stages;
}

}  // namespace

Result<Program> apply(const ChooseAlgorithm& step, const Program& program) {
  const std::string subject = "algorithm " + step.stage + ": ";
  const std::optional<Nest> nest = find_nest(program, step.stage);
  if (!nest) return Error{subject + "no nest computes it"};
  if (step.algorithm == Algorithm::Direct) return program;
  const std::optional<Convolution> conv = as_convolution(program, *nest);
  if (!conv)
    return Error{subject + "not a plain 3x3 convolution of stride 1 with constant weights"};
  const Winograd& w = step.algorithm == Algorithm::Winograd2 ? winograd2() : winograd4();

  Program out = program;
  Table table{.tensor = {.name = fresh_tensor(program, step.stage + ".g"),
                         .dtype = DType::F32,
                         .shape = {w.outputs + 2, 3}},
              .values = {}};
  for (const auto& row : w.weight) table.values.insert(table.values.end(), row.begin(), row.end());
  const std::vector<Stage> stages = stages_of(*conv, w, table.tensor.name);
  out.tables.push_back(std::move(table));
  std::vector<Stmt> nests;
  for (const Stage& s : stages) nests.push_back(nest_of(s));
  Stmt body = replace_stmt(program.body, nest->root, block(std::move(nests)));
  for (std::size_t n = 0; n + 1 < stages.size(); ++n) {
    const Tensor& tensor = stages[n].tensor;
    // The transformed weights are computed once, when code is made.
    const Memory memory = n == 0 ? Memory::Constant : Memory::Global;
    body = Stmt(StmtNode{Allocate{
        .placed = {.tensor = tensor, .memory = memory, .layout = row_major(4)}, .body = body}});
  }
  return with_body(out, body);
}

}  // namespace tessera
