#include "schedule/rules/rules.h"
#include "schedule/tree.h"

#include <algorithm>

namespace tessera {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

double parallelise(RuleContext& context, const std::vector<ViewAxis>& outer, double cycles) {
  const std::int64_t cores = context.target.cores;
  if (!context.may_parallelise || cores == 1 || cycles < min_parallel_cycles) return 1;
  const auto idle = static_cast<double>(cores);
  if (outer.empty()) return idle;
  AxisId fused = outer.front().id;
  std::int64_t count = outer.front().extent;
  for (std::size_t n = 1; n < outer.size() && count < 8 * cores; ++n) {
    context.steps.push_back(Fuse{fused, outer[n].id});
    fused = fused_name(fused, outer[n].id);
    count *= outer[n].extent;
  }
  if (count == 1) return idle;
  context.steps.push_back(Parallel{fused});
  return static_cast<double>(ceil_div(count, cores) * cores) / static_cast<double>(count);
}

namespace {

/// Whether every access walks memory in the order of the nest's axes, so that all of them can
/// become one.
bool is_linear(const NestView& nest) {
  const auto in_order = [&](const Access& access) {
    std::int64_t stride = 1;
    for (std::size_t n = nest.axes.size(); n-- > 0; stride *= nest.axes[n].extent) {
      const auto got = access.stride_of(nest.axes[n].id);
      if (!got || (nest.axes[n].extent > 1 && *got != stride)) return false;
    }
    return true;
  };
  return in_order(nest.write) && std::all_of(nest.reads.begin(), nest.reads.end(), in_order);
}

/// The fused name of all axes; appends the steps.
ViewAxis fused_axes(RuleContext& context, const NestView& nest) {
  ViewAxis all = nest.axes.front();
  for (std::size_t n = 1; n < nest.axes.size(); ++n) {
    context.steps.push_back(Fuse{all.id, nest.axes[n].id});
    all.id = fused_name(all.id, nest.axes[n].id);
    all.extent *= nest.axes[n].extent;
  }
  return all;
}

}  // namespace

void flat_rule(RuleContext& context, const NestView& nest) {
  if (nest.axes.empty()) return;
  std::vector<ViewAxis> axes = nest.axes;
  if (axes.size() > 1 && is_linear(nest)) axes = {fused_axes(context, nest)};

  // The vector runs along the last axis: stores are contiguous, loads as they are.
  const ViewAxis last = axes.back();
  const std::int64_t lanes = std::min(context.target.f32_lanes(), last.extent);
  std::vector<std::pair<std::string, std::int64_t>> unrolls;
  for (const std::int64_t u : {4, 2, 1, 8})
    if (u == 1 || (lanes * u <= last.extent && last.extent % (lanes * u) == 0))
      unrolls.emplace_back(std::to_string(u), u);
  const std::int64_t unroll = context.chooser.pick<std::int64_t>(nest.tensor + ".unroll", unrolls);

  double loads = 0;
  for (const Access& read : nest.reads) {
    const auto stride =
        nest.axes.size() == axes.size() ? read.stride_of(last.id) : std::optional<std::int64_t>(1);
    loads += stride && (*stride == 0 || *stride == 1) ? 1.0 : static_cast<double>(lanes);
  }
  const double vectors = nest.points() / static_cast<double>(lanes);
  const double compute = vectors * std::max(nest.operations / 2, (loads + 1) / 2);
  const double moved = nest.points() * 4 * static_cast<double>(nest.reads.size() + 1) / 20;
  const double cycles = std::max(compute, moved) + vectors / static_cast<double>(unroll);

  axes.pop_back();
  AxisId vector = last.id;
  if (last.extent > lanes) {
    // One thread's share is a run of whole vectors; a single long axis is cut once more for the
    // threads.
    const std::int64_t chunk = lanes * unroll;
    context.steps.push_back(Split{last.id, {chunk}});
    AxisId outer = last.id + ".0";
    std::int64_t rounds = ceil_div(last.extent, chunk);
    if (axes.empty() && rounds >= 4 * context.target.cores) {
      const std::int64_t share = ceil_div(rounds, 4 * context.target.cores);
      context.steps.push_back(Split{outer, {share}});
      axes.push_back({.id = outer + ".0", .extent = ceil_div(rounds, share)});
    }
    vector = last.id + ".1";
    if (unroll > 1) {
      context.steps.push_back(Split{vector, {lanes}});
      context.steps.push_back(Unroll{vector + ".0"});
      vector += ".1";
    }
  }
  if (last.extent > 1) context.steps.push_back(Vectorize{vector});
  context.cycles += cycles * parallelise(context, axes, cycles);
}

}  // namespace tessera
