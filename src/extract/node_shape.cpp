#include "extract/node_shape.h"

#include "ir/bounds.h"
#include "ir/rewrite.h"

#include <algorithm>

namespace tessera {
namespace {

bool is_affine(const Expr& index) {
  const Affine affine = to_affine(index);
  return std::all_of(affine.terms.begin(), affine.terms.end(),
                     [](const auto& term) { return as<AxisRef>(term.first) != nullptr; });
}

/// Whether the load reads at the stage's own place: its last indices are the stage's last axes, or
/// zero where it broadcasts.
bool is_in_place(const Load& load, const Stage& stage) {
  if (load.indices.size() > stage.axes.size()) return false;
  const std::size_t missing = stage.axes.size() - load.indices.size();
  for (std::size_t d = 0; d < load.indices.size(); ++d)
    if (!(load.indices[d] == axis(stage.axes[missing + d].name)) && !(load.indices[d] == Expr(0)))
      return false;
  return true;
}

template <typename Holds>
bool all_loads(const Computation& c, const Holds& holds) {
  return std::all_of(c.stages.begin(), c.stages.end(), [&](const Stage& stage) {
    const std::vector<Load> loads = loads_in(stage.value);
    return std::all_of(loads.begin(), loads.end(),
                       [&](const Load& load) { return holds(load, stage); });
  });
}

bool is_elementwise(const Computation& c) {
  const Shape& shape = find_tensor(c, c.outputs.front())->shape;
  return c.outputs.size() == 1 &&
         std::all_of(c.stages.begin(), c.stages.end(),
                     [&](const Stage& s) { return s.tensor.shape == shape; }) &&
         all_loads(c, is_in_place);
}

bool is_moving(const Computation& c) {
  if (c.stages.size() != 1) return false;
  const Load* load = as<Load>(c.stages.front().value);
  return load != nullptr && std::all_of(load->indices.begin(), load->indices.end(), is_affine);
}

/// Every reduction of a stage runs over the last axes of what it reads, the others in order.
bool is_rows(const Computation& c) {
  return all_loads(c, [](const Load& load, const Stage& stage) {
    if (!stage.reducer) return true;
    std::size_t at = 0;
    for (const Axis& a : stage.axes) {
      while (at < load.indices.size() && load.indices[at] == Expr(0)) ++at;
      if (at >= load.indices.size()) return a.extent == 1 || a.kind == AxisKind::Reduce;
      if (load.indices[at] == axis(a.name))
        ++at;
      else if (a.extent != 1)
        return false;
    }
    return true;
  });
}

bool is_contraction(const Computation& c) {
  return std::all_of(c.stages.begin(), c.stages.end(), [](const Stage& stage) {
    if (!stage.reducer) return true;
    const Binary* product = as<Binary>(stage.value);
    if (stage.reducer != Reducer::Sum || product == nullptr || product->op != BinaryOp::Mul)
      return false;
    const Load *a = as<Load>(product->a), *b = as<Load>(product->b);
    const auto is_plain = [](const Load* load) {
      return load != nullptr &&
             std::all_of(load->indices.begin(), load->indices.end(), [](const Expr& index) {
               return as<AxisRef>(index) != nullptr || index == Expr(0);
             });
    };
    return is_plain(a) && is_plain(b);
  });
}

}  // namespace

NodeShape shape_of(const Computation& node) {
  const bool reduces = std::any_of(node.stages.begin(), node.stages.end(),
                                   [](const Stage& s) { return s.reducer.has_value(); });
  if (!reduces) {
    if (is_elementwise(node)) return NodeShape::Elementwise;
    return is_moving(node) ? NodeShape::Moving : NodeShape::Rearranging;
  }
  if (is_contraction(node)) return NodeShape::Contraction;
  return is_rows(node) ? NodeShape::Rows : NodeShape::Reducing;
}

}  // namespace tessera
