#include "schedule/rules/layouts.h"
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

/// Of a nest whose vectors run along `last`: arithmetic and loads, or memory; and the loop itself.
Estimate flat_estimate(const NestView& nest, const AxisId& last, std::int64_t lanes,
                       std::int64_t unroll) {
  double loads = 0;
  for (const Access& read : nest.reads) {
    const auto stride = read.stride_of(last);
    const bool is_contiguous = has_blocked_channels(read.placed.layout, lanes) ||
                               (stride && (*stride == 0 || *stride == 1));
    loads += is_contiguous ? 1.0 : static_cast<double>(lanes);
  }
  const double vectors = nest.points() / static_cast<double>(lanes);
  Estimate estimate;
  estimate[EstimatePart::Arithmetic] = vectors * nest.operations / 2;
  estimate[EstimatePart::Loads] = vectors * (loads + 1) / 2;
  estimate[EstimatePart::BehindL2] =
      nest.points() * 4 * static_cast<double>(nest.reads.size() + 1) / 20;
  estimate.cycles = std::ranges::max(estimate.parts);
  estimate[EstimatePart::Entering] = vectors / static_cast<double>(unroll);
  estimate.cycles += estimate[EstimatePart::Entering];
  return estimate;
}

/// `1 2 4 8`, the best guess first, as far as they divide `extent` in runs of `run`.
std::int64_t pick_unroll(RuleContext& context, const NestView& nest, std::int64_t extent,
                         std::int64_t run) {
  std::vector<std::pair<std::string, std::int64_t>> unrolls;
  for (const std::int64_t u : {4, 2, 1, 8})
    if (u == 1 || extent % (run * u) == 0) unrolls.emplace_back(std::to_string(u), u);
  return context.chooser.pick<std::int64_t>(nest.tensor + ".unroll", unrolls);
}

/// An output with blocked channels: one block is a vector, and columns are unrolled.
void blocked_flat_rule(RuleContext& context, const NestView& nest) {
  const ViewAxis &n = nest.axes[0], &c = nest.axes[1], &y = nest.axes[2], &x = nest.axes[3];
  const std::int64_t lanes = context.target.f32_lanes();
  const std::int64_t unroll = pick_unroll(context, nest, x.extent, 1);
  context.steps.push_back(Split{c.id, {lanes}});
  context.steps.push_back(Reorder{{n.id, c.id + ".0", y.id, x.id, c.id + ".1"}});
  if (unroll > 1) {
    context.steps.push_back(Split{x.id, {unroll}});
    context.steps.push_back(Unroll{x.id + ".1"});
  }
  context.steps.push_back(Vectorize{c.id + ".1"});
  const Estimate estimate = flat_estimate(nest, c.id, lanes, unroll);
  const std::vector<ViewAxis> outer{n, {.id = c.id + ".0", .extent = ceil_div(c.extent, lanes)}, y};
  context.estimate += estimate.lengthened(parallelise(context, outer, estimate.cycles));
}

}  // namespace

void flat_rule(RuleContext& context, const NestView& nest) {
  if (nest.axes.empty()) return;
  if (has_blocked_channels(nest.write.placed.layout, context.target.f32_lanes()) &&
      nest.axes[1].extent >= context.target.f32_lanes())
    return blocked_flat_rule(context, nest);
  std::vector<ViewAxis> axes = nest.axes;
  const bool is_one = axes.size() > 1 && is_linear(nest);
  if (is_one) axes = {fused_axes(context, nest)};

  // The vector runs along the last axis: stores are contiguous, loads as they are.
  const ViewAxis last = axes.back();
  const std::int64_t lanes = std::min(context.target.f32_lanes(), last.extent);
  const std::int64_t unroll = pick_unroll(context, nest, last.extent, lanes);
  const Estimate estimate =
      flat_estimate(nest, is_one ? nest.axes.back().id : last.id, lanes, unroll);

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
  context.estimate += estimate.lengthened(parallelise(context, axes, estimate.cycles));
}

}  // namespace tessera
