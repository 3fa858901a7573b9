#pragma once

#include "schedule/nest_view.h"
#include "schedule/rules/rules.h"
#include "tensor/layout.h"

namespace tessera {

/// NCHW with `lanes` channels innermost: `[0 1/8 2 3 1%8]`.
Layout blocked_channels(std::int64_t lanes);
/// Whether a layout is that one, whatever its halo.
bool has_blocked_channels(const Layout& layout, std::int64_t lanes);

/// Appends the step unless the task settles the layout of the tensor.
void choose_layout(RuleContext& context, const TensorId& tensor, const Layout& layout);

/// Zeros that a padded read of `access` reaches beyond its tensor when `nest` runs; empty when it
/// is not padded.
std::vector<Halo> halo_of(const Access& access, const NestView& nest);

/// Zeros enough for both; an empty halo is none.
std::vector<Halo> united(const std::vector<Halo>& a, const std::vector<Halo>& b);

}  // namespace tessera
