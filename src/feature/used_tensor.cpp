#include "feature/used_tensor.h"

#include <algorithm>
#include <cmath>

namespace tessera::statement {

double UsedTensor::distance(std::size_t dim, double steps) const {
  const double most = std::min(std::abs(steps), static_cast<double>(max_element_count));
  return std::copysign(static_cast<double>(shares[dim](static_cast<std::int64_t>(most))), steps);
}

double UsedTensor::run(std::span<const double> sizes) const {
  double run = 1;
  for (std::size_t k = physical.size(); k-- > 0;) {
    const LayoutTerm& term = layout.terms[k];
    const double blocks =
        std::ceil(sizes[static_cast<std::size_t>(term.dim)] / static_cast<double>(term.divide));
    const double touched =
        term.modulo == 0 ? blocks : std::min(blocks, static_cast<double>(term.modulo));
    run *= touched;
    if (touched < static_cast<double>(physical[k])) break;
  }
  return run;
}

UsedTensors::UsedTensors(const Program& program) {
  for (const Param& param : program.params)
    add({.tensor = &param.placed.tensor,
         .layout = param.placed.layout,
         .is_constant = param.role == Role::Constant,
         .is_output = param.role == Role::Output});
  for (const Table& table : program.tables)
    add({.tensor = &table.tensor,
         .layout = row_major(table.tensor.shape.size()),
         .is_constant = true});
}

void UsedTensors::allocate(const Placed& placed, std::size_t outer_loops) {
  add({.tensor = &placed.tensor,
       .layout = placed.layout,
       .outer_loops = outer_loops,
       .is_allocated = true});
}

void UsedTensors::add(UsedTensor added) {
  const Shape& shape = added.tensor->shape;
  added.physical = physical_extents(added.layout, shape);
  added.shares = offset_shares(added.layout, shape);
  for (OffsetShare& share : added.shares) share.before = 0;
  added.reach = shape;
  for (std::size_t dim = 0; dim < added.layout.halo.size(); ++dim)
    added.reach[dim] += added.layout.halo[dim].before + added.layout.halo[dim].after;
  tensors_.push_back(std::move(added));
}

const UsedTensor* UsedTensors::find(std::string_view name) const {
  const auto known = std::find_if(tensors_.rbegin(), tensors_.rend(),
                                  [&](const UsedTensor& t) { return t.tensor->name == name; });
  return known == tensors_.rend() ? nullptr : &*known;
}

void UsedTensors::mark_constant(std::string_view name) {
  for (UsedTensor& known : tensors_)
    if (known.tensor->name == name) known.is_constant = true;
}

}  // namespace tessera::statement
