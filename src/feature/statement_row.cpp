#include "feature/statement_row.h"

#include "feature/intensity_curve.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace tessera::statement {
namespace {

constexpr double line_bytes = 64;
constexpr std::size_t described_tensors = 5;
constexpr std::size_t tensor_width = 18;

/// The numbers of one use of a tensor in all iterations of a statement.
struct UseFeatures {
  UseKind kind;
  double bytes, unique_bytes, lines, unique_lines;
  Reuse reuse;
  double stride;

  auto order() const { return std::tuple(reuse.distance_bytes, unique_bytes, unique_lines, kind); }
};

/// Neighbours in memory share lines, and iterations of the innermost loops that do not move the use
/// share an access.
double touched_lines(const TensorUse& use, const OpenLoops& loops) {
  double accesses = loops.iterations();
  for (std::size_t level = loops.depth(); level-- > 0;) {
    if (const double stride = use.stride(loops, level); stride != 0)
      return std::max(accesses * std::min(1.0, stride * use.tensor->element_bytes() / line_bytes),
                      1.0);
    accesses /= loops[level].extent;
  }
  return 1;
}

UseFeatures features_of(const TensorUse& use, const OpenLoops& loops) {
  const double element_bytes = use.tensor->element_bytes();
  const double run_bytes = use.tensor->run(use.sizes) * element_bytes;
  return {.kind = use.kind,
          .bytes = loops.iterations() * element_bytes,
          .unique_bytes = use.bytes_from(0),
          .lines = touched_lines(use, loops),
          .unique_lines = std::max(use.bytes_from(0) / std::min(run_bytes, line_bytes), 1.0),
          .reuse = reuse_of(use, loops),
          .stride = loops.depth() == 0 ? 0 : use.stride(loops, loops.depth() - 1)};
}

/// Writes rows of numbers.
class RowWriter {
 public:
  explicit RowWriter(std::vector<float>& values) : values_(values) {}

  void plain(double x) { values_.push_back(static_cast<float>(x)); }
  void slog(double x) { plain(std::copysign(std::log2(std::abs(x) + 1), x)); }
  void one_of(std::size_t count, std::size_t chosen) {
    for (std::size_t n = 0; n < count; ++n) plain(n == chosen ? 1 : 0);
  }

  void loops_of(LoopKind kind, const OpenLoops& loops);
  void gpu();
  void use(const UseFeatures& use);
  void uses(std::vector<UseFeatures> all);
  void allocation(const UsedTensor& tensor, const OpenLoops& loops);

 private:
  std::vector<float>& values_;
};

void RowWriter::loops_of(LoopKind kind, const OpenLoops& loops) {
  constexpr std::size_t places = 8;
  double count = 0, product = 1, innermost = 0;
  for (const OpenLoop& open : loops) {
    if (open.loop->kind != kind) continue;
    ++count;
    product *= open.extent;
    innermost = open.extent;
  }
  slog(count);
  slog(count == 0 ? 0 : product);
  slog(innermost);
  one_of(places, count == 0 ? 0 : places - 1);
}

void RowWriter::gpu() {
  plain(0);
  for (int extent = 0; extent < 7; ++extent) slog(1);
}

void RowWriter::use(const UseFeatures& use) {
  const double amounts[] = {use.bytes, use.unique_bytes, use.lines, use.unique_lines};
  one_of(3, static_cast<std::size_t>(use.kind));
  for (const double amount : amounts) slog(amount);
  one_of(3, static_cast<std::size_t>(use.reuse.kind));
  slog(use.reuse.distance_iterations);
  slog(use.reuse.distance_bytes);
  slog(use.reuse.count);
  for (const double amount : amounts)
    slog(use.reuse.kind == ReuseKind::None ? amount * 2 : amount / use.reuse.count);
  slog(use.stride);
}

void RowWriter::uses(std::vector<UseFeatures> all) {
  std::stable_sort(all.begin(), all.end(), [](const UseFeatures& a, const UseFeatures& b) {
    return a.order() < b.order();
  });
  all.resize(std::min(all.size(), described_tensors));
  for (const UseFeatures& each : all) use(each);
  for (std::size_t n = all.size() * tensor_width; n < described_tensors * tensor_width; ++n)
    plain(0);
}

void RowWriter::allocation(const UsedTensor& tensor, const OpenLoops& loops) {
  const double outside = loops.iterations(0, tensor.outer_loops);
  const double elements = static_cast<double>(element_count(tensor.physical));
  const double is_there = tensor.is_allocated ? 1 : 0;
  slog(is_there * elements * tensor.element_bytes());
  slog(is_there * elements * outside);
  slog(is_there * outside);
  slog(is_there * loops.iterations() / outside);
}

std::vector<IntensityPoint> intensity_of(const OperationCounts& counts, const OpenLoops& loops,
                                         const std::vector<TensorUse>& uses) {
  std::vector<IntensityPoint> points;
  double operations = float_operations(counts);
  for (std::size_t level = loops.depth(); level-- > 0;) {
    operations *= loops[level].extent;
    double bytes = 0;
    for (const TensorUse& use : uses) bytes += use.bytes_from(level);
    points.push_back({.operations = operations, .bytes = bytes});
  }
  return points;
}

}  // namespace

void append_row(const Store& store, const UsedTensors& tensors, const OpenLoops& loops,
                const std::vector<TensorUse>& uses, std::vector<float>& values) {
  const OperationCounts counts = count_operations(store, tensors);
  std::vector<UseFeatures> described;
  for (const TensorUse& use : uses) described.push_back(features_of(use, loops));

  RowWriter row(values);
  for (const double count : counts) row.slog(count * loops.iterations());
  for (const LoopKind kind : {LoopKind::Vector, LoopKind::Unroll, LoopKind::Parallel})
    row.loops_of(kind, loops);
  row.gpu();
  row.uses(std::move(described));
  for (const double sample : intensity_curve(intensity_of(counts, loops, uses))) row.plain(sample);
  row.allocation(*uses.front().tensor, loops);
  row.slog(loops.iterations());
  row.slog(static_cast<double>(loops.depth()));
  row.slog(0);
}

}  // namespace tessera::statement
