#include "schedule/rules/rules.h"
#include "schedule/tree.h"

#include <algorithm>

namespace tessera {
namespace {

/// Cuts the axis of a row into vectors, several to a round where they divide it.
struct RowCut {
  std::int64_t lanes = 1;
  std::int64_t unroll = 1;
};

RowCut cut_of(RuleContext& context, const std::string& name, std::int64_t extent) {
  RowCut cut{.lanes = std::min(context.target.f32_lanes(), extent), .unroll = 1};
  std::vector<std::pair<std::string, std::int64_t>> unrolls;
  for (const std::int64_t u : {4, 2, 8, 1})
    if (u == 1 || extent % (u * cut.lanes) == 0) unrolls.emplace_back(std::to_string(u), u);
  cut.unroll = context.chooser.pick<std::int64_t>(name + ".unroll", unrolls);
  return cut;
}

/// Splits `axis` as told; gives the names of the unrolled loop (empty for none) and the vector
/// loop.
struct CutNames {
  AxisId unrolled;
  AxisId vector;
};
CutNames apply_cut(RuleContext& context, const AxisId& axis, std::int64_t extent,
                   const RowCut& cut) {
  CutNames names{.unrolled = {}, .vector = axis};
  if (extent > cut.lanes * cut.unroll || cut.unroll > 1) {
    context.steps.push_back(Split{axis, {std::min(extent, cut.lanes * cut.unroll)}});
    names.vector = axis + ".1";
  }
  if (cut.unroll > 1) {
    context.steps.push_back(Split{names.vector, {cut.lanes}});
    names.unrolled = names.vector + ".0";
    names.vector += ".1";
  }
  return names;
}

/// Partial results per lane, and per vector of a round, in registers; then the vectors of the round
/// are reduced to one, and that across its lanes.
void reduce_across_lanes(RuleContext& context, const NestView& nest, const ViewAxis& along) {
  const RowCut cut = cut_of(context, nest.tensor, along.extent);
  if (along.extent <= cut.lanes) {
    context.steps.push_back(Vectorize{along.id});
    return;
  }
  const CutNames names = apply_cut(context, along.id, along.extent, cut);
  const AxisId row = nest.spatial().back().id;
  std::vector<TensorId> parts{nest.tensor + ".part"};
  if (names.unrolled.empty()) {
    context.steps.push_back(Factor{nest.tensor, {names.vector}});
  } else {
    context.steps.push_back(Factor{nest.tensor, {names.unrolled, names.vector}});
    context.steps.push_back(Factor{nest.tensor, {names.vector}});
    parts.insert(parts.begin(), nest.tensor + ".part2");
  }
  for (const TensorId& part : parts) {
    context.steps.push_back(ComputeAt{part, row, Memory::Register});
    if (!names.unrolled.empty())
      context.steps.push_back(Unroll{renamed(names.unrolled, nest.tensor, part)});
    context.steps.push_back(Vectorize{renamed(names.vector, nest.tensor, part)});
  }
  context.steps.push_back(Vectorize{names.vector});
}

void vectorise_row(RuleContext& context, const NestView& nest, const ViewAxis& along) {
  const RowCut cut = cut_of(context, nest.tensor, along.extent);
  const CutNames names = apply_cut(context, along.id, along.extent, cut);
  if (!names.unrolled.empty()) context.steps.push_back(Unroll{names.unrolled});
  if (along.extent > 1) context.steps.push_back(Vectorize{names.vector});
}

}  // namespace

void row_rule(RuleContext& context, const std::vector<NestView>& nests, std::size_t rows) {
  const NestView& output = nests.back();
  const AxisId row = output.axes[rows - 1].id;
  Estimate estimate;
  for (const NestView& nest : nests) {
    const double vectors = nest.points() / static_cast<double>(context.target.f32_lanes());
    estimate[EstimatePart::Arithmetic] += vectors * nest.operations / 2;
    estimate[EstimatePart::Loads] += vectors * 1.5;
    estimate.cycles += vectors * (nest.operations / 2 + 1.5);
  }
  for (std::size_t n = nests.size() - 1; n-- > 0;) {
    const std::vector<ViewAxis> axes = nests[n].spatial();
    const bool is_scalar = std::all_of(axes.begin() + static_cast<std::ptrdiff_t>(rows), axes.end(),
                                       [](const ViewAxis& a) { return a.extent == 1; });
    context.steps.push_back(
        ComputeAt{nests[n].tensor, row, is_scalar ? Memory::Register : Memory::Stack});
  }
  for (const NestView& nest : nests) {
    const ViewAxis& last = nest.axes.back();
    if (last.is_reduce)
      reduce_across_lanes(context, nest, last);
    else if (nest.spatial().size() > rows)
      vectorise_row(context, nest, last);
  }
  const std::vector<ViewAxis> outer{output.axes.begin(),
                                    output.axes.begin() + static_cast<std::ptrdiff_t>(rows)};
  context.estimate += estimate.lengthened(parallelise(context, outer, estimate.cycles));
}

}  // namespace tessera
