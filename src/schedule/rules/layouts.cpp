#include "schedule/rules/layouts.h"

#include <algorithm>

namespace tessera {

Layout blocked_channels(std::int64_t lanes) {
  return {.terms = {{.dim = 0},
                    {.dim = 1, .divide = lanes},
                    {.dim = 2},
                    {.dim = 3},
                    {.dim = 1, .modulo = lanes}},
          .halo = {}};
}

bool has_blocked_channels(const Layout& layout, std::int64_t lanes) {
  return layout.terms == blocked_channels(lanes).terms;
}

void choose_layout(RuleContext& context, const TensorId& tensor, const Layout& layout) {
  if (!context.settled.contains(tensor)) context.steps.push_back(ChooseLayout{tensor, layout});
}

std::vector<Halo> halo_of(const Access& access, const NestView& nest) {
  if (!access.is_padded) return {};
  LoopScope scope;
  for (const ViewAxis& a : nest.axes) scope.enter(a.id, a.extent);
  const Shape& shape = access.placed.tensor.shape;
  std::vector<Halo> halo(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (const auto range = bounds(to_expr(access.dims[d]), scope))
      halo[d] = {.before = std::max<std::int64_t>(0, -range->min),
                 .after = std::max<std::int64_t>(0, range->max + 1 - shape[d])};
  return halo;
}

std::vector<Halo> united(const std::vector<Halo>& a, const std::vector<Halo>& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  std::vector<Halo> both = a;
  for (std::size_t d = 0; d < both.size(); ++d)
    both[d] = {.before = std::max(a[d].before, b[d].before),
               .after = std::max(a[d].after, b[d].after)};
  return both;
}

}  // namespace tessera
