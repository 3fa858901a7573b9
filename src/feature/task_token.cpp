#include "feature/task_token.h"

#include "feature/token_columns.h"
#include "ir/rewrite.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tessera {
namespace {

double work_of(const Stage& stage) {
  double product = 1;
  for (const Axis& axis : stage.axes) product *= static_cast<double>(axis.extent);
  return product;
}

/// Families by structure: what is summed, and how many axes an index is made of.
enum class Family : std::uint8_t { Flat, Rows, Window, Matmul, Convolution, Depthwise };

Family family_of(const Stage& stage) {
  if (!stage.reducer) return Family::Flat;
  std::set<AxisId> reduced;
  for (const Axis& axis : stage.axes)
    if (axis.kind == AxisKind::Reduce) reduced.insert(axis.name);
  std::size_t loads = 0;
  std::set<AxisId> in_window;  // reduce axes that share an index with another axis
  visit(stage.value, [&](const Expr& e) {
    const Load* load = as<Load>(e);
    if (load == nullptr) return;
    ++loads;
    for (const Expr& index : load->indices) {
      std::set<AxisId> axes;
      visit(index, [&](const Expr& part) {
        if (const AxisRef* axis = as<AxisRef>(part)) axes.insert(axis->axis);
      });
      if (axes.size() < 2) continue;
      for (const AxisId& axis : axes)
        if (reduced.contains(axis)) in_window.insert(axis);
    }
  });
  const bool is_product = loads >= 2 && stage.reducer == Reducer::Sum;
  if (in_window.empty()) return is_product ? Family::Matmul : Family::Rows;
  if (!is_product) return Family::Window;
  return in_window.size() == reduced.size() ? Family::Depthwise : Family::Convolution;
}

}  // namespace

void append_task_token(const Computation& computation, std::vector<float>& values) {
  std::vector<float> token(token_width, 0);
  token[token_column::task] = 1;
  const auto& stages = computation.stages;
  const auto main = std::ranges::max_element(stages, {}, work_of);
  token[token_column::facts + static_cast<std::size_t>(family_of(*main))] = 1;
  constexpr std::size_t families = 6, most_spatial = 4, most_reduce = 3;
  std::size_t spatial = 0, reduce = 0;
  for (auto axis = main->axes.rbegin(); axis != main->axes.rend(); ++axis) {
    const std::size_t first = token_column::facts + families;
    if (axis->kind == AxisKind::Spatial && spatial < most_spatial)
      token[first + spatial++] = log_size(axis->extent);
    if (axis->kind == AxisKind::Reduce && reduce < most_reduce)
      token[first + most_spatial + reduce++] = log_size(axis->extent);
  }
  const auto inputs = std::ranges::count(computation.operands, Role::Input, &Operand::role);
  const double work = flops(computation), bytes = traffic_bytes(computation);
  const float rest[] = {static_cast<float>(std::log2(1 + work)),
                        static_cast<float>(std::log2(1 + bytes)),
                        static_cast<float>(std::log2(1 + work / bytes)),
                        static_cast<float>(stages.size()),
                        static_cast<float>(std::ranges::count_if(
                            stages, [](const Stage& s) { return s.reducer.has_value(); })),
                        static_cast<float>(stages.end() - main - 1),
                        static_cast<float>(inputs),
                        static_cast<float>(std::ssize(computation.operands) - inputs)};
  std::ranges::copy(rest,
                    token.begin() + token_column::facts + families + most_spatial + most_reduce);
  values.insert(values.end(), token.begin(), token.end());
}

void append_hardware_token(const Target& target, std::vector<float>& values) {
  std::vector<float> token(token_width, 0);
  token[token_column::hardware] = 1;
  const float facts[] = {log_size(target.cores),
                         log_size(target.vector_bytes),
                         log_size(target.vector_registers),
                         target.has_fma ? 1.0F : 0.0F,
                         target.has_masks ? 1.0F : 0.0F,
                         log_size(target.fma_per_cycle),
                         log_size(target.fma_latency),
                         log_size(target.loads_per_cycle),
                         log_size(target.l1_bytes),
                         log_size(target.l2_bytes),
                         log_size(target.l3_bytes),
                         log_size(target.stack_bytes)};
  std::ranges::copy(facts, token.begin() + token_column::facts);
  token[token_column::facts + std::size(facts) + static_cast<std::size_t>(target.arch)] = 1;
  values.insert(values.end(), token.begin(), token.end());
}

}  // namespace tessera
