#include "ops/matmul.h"

#include "base/text.h"
#include "ops/elementwise.h"
#include "ops/nodes/elements.h"
#include "ops/nodes/nodes.h"
#include "ops/nodes/quantization.h"
#include "ops/shape.h"

#include <array>
#include <functional>

namespace tessera::ops {
namespace {

void matmul_node(Definition& d) { d.output(matmul(d.b, d.input(0), d.input(1), {}, d.node().op)); }

TensorId scaled(const Definition& d, const TensorId& x, double factor) {
  if (factor == 1) return x;
  return map_number(
      d.b, x, [&](const Expr& e) { return e * number(e.dtype(), factor); }, d.node().op);
}

/// alpha * A B + beta * C, where C broadcasts to the product.
void gemm(Definition& d) {
  for (const std::size_t n : {0U, 1U})
    if (d.shape(n).size() != 2)
      return d.refuse("input " + std::to_string(n) + " has shape " + to_text(d.shape(n)) +
                      ", expected a matrix");
  const TensorId product = matmul(
      d.b, d.input(0), d.input(1),
      {.transpose_a = d.integer("transA", 0) != 0, .transpose_b = d.integer("transB", 0) != 0},
      "product");
  const double alpha = d.real("alpha", 1), beta = d.real("beta", 1);
  if (!d.has_input(2) || beta == 0) return d.output(scaled(d, product, alpha));
  const TensorId result = elementwise(
      d.b, std::array{product, d.input(2)},
      [&](std::span<const Expr> e) {
        const auto times = [](const Expr& x, double factor) {
          return factor == 1 ? x : x * number(x.dtype(), factor);
        };
        return times(e[0], alpha) + times(e[1], beta);
      },
      d.node().op);
  if (d.b.shape(result) != d.b.shape(product))
    return d.refuse("input 2 has shape " + to_text(d.shape(2)) +
                    ", expected one that broadcasts to " + to_text(d.b.shape(product)));
  d.output(result);
}

/// alpha * A B, either transposed in its last two dimensions.
void fused_matmul(Definition& d) {
  if (d.integer("transBatchA", 0) != 0 || d.integer("transBatchB", 0) != 0)
    return d.refuse("expected no transposed batches");
  const TensorId product =
      matmul(d.b, d.input(0), d.input(1),
             {.transpose_a = d.integer("transA", 0) != 0 && d.shape(0).size() > 1,
              .transpose_b = d.integer("transB", 0) != 0 && d.shape(1).size() > 1},
             "product");
  d.output(scaled(d, product, d.real("alpha", 1)));
}

/// (A - zero point) (B - zero point) in i32; zero points are scalars, or one per row of A and per
/// column of B.
void matmul_integer(Definition& d) {
  const TensorId a = centred(d, 0, 2, {.dim = -2}), b = centred(d, 1, 3, {.dim = -1});
  d.output(matmul(d.b, a, b, {}, d.node().op), ElementType::Int32);
}

/// Inputs: a, its scale and zero point; b and its; the scale and zero point of the result.
void quantized_matmul(Definition& d) {
  const TensorId product =
      matmul(d.b, centred(d, 0, 2, {.dim = -2}), centred(d, 3, 5, {.dim = -1}), {}, "product");
  d.output(requantized(
               d, product,
               {.x_scale = 1, .w_scale = 4, .y_scale = 6, .y_zero = 7, .x_dim = -2, .w_dim = -1}),
           d.type(7).element);
}

/// Laplace's expansion along the first of `rows`.
Expr determinant(const std::function<Expr(std::size_t, std::size_t)>& element, std::size_t row,
                 const std::vector<std::size_t>& columns) {
  if (columns.size() == 1) return element(row, columns[0]);
  Expr sum = real(0);
  for (std::size_t n = 0; n < columns.size(); ++n) {
    std::vector<std::size_t> others = columns;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(n));
    const Expr term = element(row, columns[n]) * determinant(element, row + 1, others);
    sum = n == 0 ? term : n % 2 == 0 ? sum + term : sum - term;
  }
  return sum;
}

void det(Definition& d) {
  constexpr std::int64_t largest = 4;
  const Shape& shape = d.shape(0);
  const std::size_t rank = shape.size();
  if (rank < 2 || shape[rank - 1] != shape[rank - 2] || shape[rank - 1] > largest)
    return d.refuse("shape " + to_text(shape) + "; expected square matrices of at most 4 rows");
  std::vector<Axis> axes = d.b.axes(d.input(0));
  axes.resize(rank - 2);
  std::vector<std::size_t> columns;
  for (std::int64_t n = 0; n < shape[rank - 1]; ++n) columns.push_back(static_cast<std::size_t>(n));
  const auto element = [&](std::size_t row, std::size_t column) {
    std::vector<Expr> indices = indices_of(axes);
    indices.emplace_back(static_cast<std::int64_t>(row));
    indices.emplace_back(static_cast<std::int64_t>(column));
    return d.b.read(d.input(0), indices);
  };
  if (!is_float(d.b.dtype(d.input(0)))) return d.refuse(undefined_for(d.b.dtype(d.input(0))));
  d.output(d.b.stage(d.node().op, axes, determinant(element, 0, columns)));
}

constexpr Op list[] = {
    {"", "Det", det},
    {"", "Gemm", gemm, 2},
    {"", "MatMul", matmul_node, 2},
    {"", "MatMulInteger", matmul_integer, 2},
    {"", "QLinearMatMul", quantized_matmul, 8},
    {"com.microsoft", "FusedMatMul", fused_matmul, 2},
};

}  // namespace

std::span<const Op> matmul_nodes() { return list; }

}  // namespace tessera::ops
