#include "lower/skip_padding.h"

#include "ir/bounds.h"
#include "ir/rewrite.h"
#include "ir/simplify.h"

#include <algorithm>
#include <map>
#include <optional>

namespace tessera {
namespace {

using Places = std::map<TensorId, Placed>;

/// The rounds of a loop for which `0 <= start + step * round < size`.
struct Window {
  Expr start;
  std::int64_t step = 1;
  std::int64_t size = 0;

  Expr first() const { return max(Expr(step - 1) - start, 0) / step; }
  Expr end() const { return (Expr(size + step - 1) - start) / step; }
  friend bool operator==(const Window&, const Window&) = default;
};

/// The window that `index` describes over the rounds of `loop`, if it leaves the dimension and is
/// settled outside of the loop.
std::optional<Window> window_of(const Expr& index, std::int64_t size, const Loop& loop,
                                const LoopScope& outside) {
  Affine affine = to_affine(index);
  const std::int64_t step = affine.coefficient(loop.axis);
  if (step < 1) return std::nullopt;
  affine.add(axis(loop.axis), -step);
  const Expr start = to_expr(affine);
  const auto range = bounds(start, outside);
  if (!range) return std::nullopt;
  const std::int64_t last = range->max + step * (max_extent(loop.extent, outside) - 1);
  if (range->min >= 0 && last < size) return std::nullopt;
  return Window{start, step, size};
}

/// The loads that `value` is a product of.
void collect_factors(const Expr& value, std::vector<Load>& factors) {
  if (const Load* load = as<Load>(value)) factors.push_back(*load);
  const Binary* n = as<Binary>(value);
  if (n == nullptr || n->op != BinaryOp::Mul) return;
  collect_factors(n->a, factors);
  collect_factors(n->b, factors);
}

/// The window outside of which `store` adds zero.
std::optional<Window> window_of(const Store& store, const Loop& loop, const Places& with_halo,
                                const LoopScope& outside) {
  if (store.reducer != Reducer::Sum) return std::nullopt;
  std::vector<Load> factors;
  collect_factors(store.value, factors);
  for (const Load& load : factors) {
    const auto place = with_halo.find(load.tensor);
    if (place == with_halo.end()) continue;
    const Shape& shape = place->second.tensor.shape;
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (auto window = window_of(load.indices[d], shape[d], loop, outside)) return window;
  }
  return std::nullopt;
}

/// The window outside of which no store in `loop` has an effect.
std::optional<Window> window_of(const Loop& loop, const Places& with_halo,
                                const LoopScope& outside) {
  std::optional<Window> common;
  bool is_common = true;
  visit(loop.body, [&](const Stmt& s) {
    if (const Store* store = as<Store>(s)) {
      const auto window = window_of(*store, loop, with_halo, outside);
      is_common = is_common && window && (!common || common == window);
      common = window;
    }
  });
  return is_common ? common : std::nullopt;
}

Stmt skipped(const Stmt& s, const Places& with_halo, LoopScope scope) {
  const Loop* n = as<Loop>(s);
  if (n == nullptr)
    return map_children(
        s, [&](const Stmt& child) { return skipped(child, with_halo, scope); },
        [](const Expr& e) { return e; });
  Loop out = *n;
  const auto extent = constant_value(n->extent);
  if (n->kind == LoopKind::Serial && extent)
    if (const auto window = window_of(*n, with_halo, scope)) {
      const Expr first = simplify(min(window->first(), *extent - 1), scope);
      out.extent = simplify(max(min(window->end(), *extent) - first, 1), scope);
      out.body = substitute(n->body, {{n->axis, axis(n->axis) + first}});
    }
  scope.enter(n->axis, n->extent);
  out.body = skipped(out.body, with_halo, std::move(scope));
  return Stmt(StmtNode{std::move(out)});
}

}  // namespace

Program skip_padding(const Program& program) {
  Places with_halo;
  for (const Param& param : program.params)
    if (!param.placed.layout.halo.empty())
      with_halo.emplace(param.placed.tensor.name, param.placed);
  if (with_halo.empty()) return program;
  Program out = program;
  out.body = skipped(program.body, with_halo, {});
  return out;
}

}  // namespace tessera
