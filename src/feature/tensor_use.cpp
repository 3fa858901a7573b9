#include "feature/tensor_use.h"

#include "base/check.h"
#include "feature/expr_children.h"

#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace tessera::statement {
namespace {

/// Collects the accesses of one statement.
class Uses {
 public:
  Uses(const UsedTensors& tensors, const OpenLoops& loops) : tensors_(tensors), loops_(loops) {}

  void add(const TensorId& name, const std::vector<Expr>& indices, UseKind kind);
  std::vector<TensorUse> measured() &&;

 private:
  TensorUse& use_of(const TensorId& name, UseKind kind);
  AccessBox box_of(const std::vector<Expr>& indices) const;
  void add_terms(const Expr& e, double factor, std::size_t dim, AccessBox& box) const;
  void measure(TensorUse& use) const;
  std::vector<double> hull_sizes(const TensorUse& use, std::size_t level) const;

  const UsedTensors& tensors_;
  const OpenLoops& loops_;
  std::vector<TensorUse> uses_;
};

TensorUse& Uses::use_of(const TensorId& name, UseKind kind) {
  for (TensorUse& use : uses_)
    if (use.tensor->tensor->name == name) return use;
  const UsedTensor* tensor = tensors_.find(name);
  check(tensor != nullptr, "a tensor that is declared before it is used");
  return uses_.emplace_back(TensorUse{.tensor = tensor, .kind = kind, .boxes = {}});
}

void Uses::add(const TensorId& name, const std::vector<Expr>& indices, UseKind kind) {
  TensorUse& use = use_of(name, kind);
  if (use.kind != kind) use.kind = UseKind::ReadWrite;
  if (use.kind == UseKind::ReadWrite && !use.boxes.empty()) return;
  AccessBox box = box_of(indices);
  for (AccessBox& known : use.boxes) {
    if (!box.atoms.empty() || !known.atoms.empty() || box.coefficients != known.coefficients)
      continue;
    for (std::size_t dim = 0; dim < indices.size(); ++dim)
      known.constants[dim] = hull(known.constants[dim], box.constants[dim]);
    return;
  }
  use.boxes.push_back(std::move(box));
}

AccessBox Uses::box_of(const std::vector<Expr>& indices) const {
  AccessBox box;
  box.constants.resize(indices.size());
  box.coefficients.resize(indices.size() * loops_.depth());
  for (std::size_t dim = 0; dim < indices.size(); ++dim) add_terms(indices[dim], 1, dim, box);
  return box;
}

void Uses::add_terms(const Expr& e, double factor, std::size_t dim, AccessBox& box) const {
  if (const Integer* n = as<Integer>(e)) {
    const double value = factor * static_cast<double>(n->value);
    box.constants[dim] = box.constants[dim] + Range{value, value};
    return;
  }
  if (const AxisRef* n = as<AxisRef>(e)) {
    if (const std::optional<std::size_t> level = loops_.find(n->axis))
      box.coefficients[dim * loops_.depth() + *level] += factor;
    return;
  }
  if (const Binary* n = as<Binary>(e)) {
    if (n->op == BinaryOp::Add || n->op == BinaryOp::Sub) {
      add_terms(n->a, factor, dim, box);
      return add_terms(n->b, n->op == BinaryOp::Add ? factor : -factor, dim, box);
    }
    const Integer* by = as<Integer>(n->b);
    if (n->op == BinaryOp::Mul && by != nullptr)
      return add_terms(n->a, factor * static_cast<double>(by->value), dim, box);
  }
  box.atoms.push_back({.dim = dim, .factor = factor, .value = &e});
}

std::vector<TensorUse> Uses::measured() && {
  for (TensorUse& use : uses_) measure(use);
  return std::move(uses_);
}

void Uses::measure(TensorUse& use) const {
  use.elements.resize(loops_.depth() + 1);
  for (std::size_t level = loops_.depth() + 1; level-- > 0;) {
    use.sizes = hull_sizes(use, level);
    use.elements[level] =
        std::accumulate(use.sizes.begin(), use.sizes.end(), 1.0, std::multiplies<>());
  }
}

std::vector<double> Uses::hull_sizes(const TensorUse& use, std::size_t level) const {
  const Shape& reach = use.tensor->reach;
  std::vector<double> sizes(reach.size());
  for (std::size_t dim = 0; dim < reach.size(); ++dim) {
    const auto whole = static_cast<double>(reach[dim]);
    const Range any{0, whole - 1};
    Range all = use.boxes.front().range_from(loops_, level, dim, any);
    for (const AccessBox& box : use.boxes) all = hull(all, box.range_from(loops_, level, dim, any));
    sizes[dim] = std::min(all.max - all.min + 1, whole);
  }
  return sizes;
}

/// How far index `dim` of a box moves when the loop goes `steps` on from 0.
double moved(const AccessBox& box, std::size_t dim, const OpenLoops& loops, std::size_t level,
             double steps) {
  double sum = box.coefficient(dim, level) * steps;
  const AxisId& moving = loops[level].loop->axis;
  for (const AccessBox::Atom& atom : box.atoms) {
    if (atom.dim != dim || !mentions_axis(*atom.value, moving)) continue;
    const auto at = [&](double value) {
      return range_of(*atom.value, [&](const AxisId& axis) -> std::optional<Range> {
        return axis == moving ? Range{value, value} : Range{};
      });
    };
    const auto from = at(0), to = at(steps);
    sum += atom.factor * (from && to ? to->min - from->min : steps);
  }
  return sum;
}

}  // namespace

Range AccessBox::range_from(const OpenLoops& loops, std::size_t level, std::size_t dim,
                            Range any) const {
  Range range = constants[dim];
  for (std::size_t inner = level; inner < loops.depth(); ++inner) {
    const double reach = coefficient(dim, inner) * (loops[inner].extent - 1);
    (reach < 0 ? range.min : range.max) += reach;
  }
  for (const Atom& atom : atoms) {
    if (atom.dim != dim) continue;
    std::optional<Range> values = loops.range_from(level, *atom.value);
    if (!values) {
      const bool moves = std::any_of(
          loops.begin() + static_cast<std::ptrdiff_t>(level), loops.end(),
          [&](const OpenLoop& open) { return mentions_axis(*atom.value, open.loop->axis); });
      values = moves ? any : Range{};
    }
    range = range + *values * Range{atom.factor, atom.factor};
  }
  return range;
}

bool TensorUse::depends_on(const OpenLoops& loops, std::size_t level) const {
  for (const AccessBox& box : boxes) {
    for (std::size_t dim = 0; dim < box.constants.size(); ++dim)
      if (box.coefficient(dim, level) != 0) return true;
    for (const AccessBox::Atom& atom : box.atoms)
      if (mentions_axis(*atom.value, loops[level].loop->axis)) return true;
  }
  return false;
}

double TensorUse::stride(const OpenLoops& loops, std::size_t level) const {
  if (!depends_on(loops, level)) return 0;
  const auto distance = [&](const AccessBox& box, double steps) {
    double sum = 0;
    for (std::size_t dim = 0; dim < box.constants.size(); ++dim)
      sum += tensor->distance(dim, moved(box, dim, loops, level, steps));
    return std::abs(sum);
  };
  const double last = loops[level].extent - 1;
  double least = std::numeric_limits<double>::max();
  for (const AccessBox& box : boxes) {
    const double step = distance(box, 1);
    const double stride = step != 0 ? step : distance(box, last) / last;
    if (stride != 0) least = std::min(least, stride);
  }
  return least == std::numeric_limits<double>::max() ? 0 : least;
}

std::vector<TensorUse> uses_of(const Store& store, const UsedTensors& tensors,
                               const OpenLoops& loops) {
  Uses uses(tensors, loops);
  uses.add(store.tensor, store.indices, UseKind::Write);
  if (store.reducer) uses.add(store.tensor, store.indices, UseKind::Read);
  for_each<Load>(store.value, [&](const Load& n) { uses.add(n.tensor, n.indices, UseKind::Read); });
  return std::move(uses).measured();
}

}  // namespace tessera::statement
