#include "schedule/plan.h"

#include "base/check.h"
#include "ir/rewrite.h"
#include "schedule/rules/layouts.h"
#include "schedule/rules/rules.h"
#include "schedule/tree.h"

#include <algorithm>
#include <set>

namespace tessera {
namespace {

class Planner {
 public:
  Planner(const Task& task, std::string name)
      : lanes_(task.target.f32_lanes()), settled_(task.layouts) {
    plan_.name = std::move(name);
    for (const Stage& stage : task.computation.stages) stages_.push_back(stage.tensor.name);
  }

  Plan run() {
    inline_cheap_stages();
    std::vector<NestView> nests;
    for (const TensorId& stage : stages_)
      if (auto view = view_of(plan_.program, stage)) nests.push_back(*std::move(view));
    if (std::optional<Unit> rows = as_rows(nests)) {
      plan_.units = {*std::move(rows)};
      return std::move(plan_);
    }
    for (std::size_t n = 0; n < nests.size(); ++n) add_unit(nests, n);
    return std::move(plan_);
  }

  /// The plan for one convolution by Winograd's algorithm, everything else fused into its output;
  /// nothing when the task is more than that.
  std::optional<Plan> run_winograd(const TensorId& conv, Algorithm algorithm) {
    const ChooseAlgorithm choice{conv, algorithm};
    if (!tessera::apply(choice, plan_.program)) return std::nullopt;
    inline_cheap_stages();
    if (stages_.size() > 2) return std::nullopt;
    step(choice);
    const TensorId output = stages_.back();
    if (output != conv) step(Inline{conv});
    step(CacheWrite{conv + ".m"});
    Unit unit{.rule = Unit::Rule::Winograd, .nests = {}};
    for (const TensorId& name :
         {conv + ".w", conv + ".v", conv + ".m.tile", conv + ".m", conv + ".z", output})
      unit.nests.push_back(*view_of(plan_.program, name));
    if (!fits_winograd(unit)) return std::nullopt;
    plan_.units = {std::move(unit)};
    return std::move(plan_);
  }

  /// The plan for one reduction over a long axis, `block` of it at a time: partial sums of a block
  /// are added to the result in memory, so that one block of the operands stays in the cache. What
  /// follows is a pass of its own.
  std::optional<Plan> run_split_reduction(std::int64_t block) {
    inline_cheap_stages();
    const TensorId name = stages_.front();
    const auto view = view_of(plan_.program, name);
    if (stages_.size() > 2 || !view || view->reduce().size() != 1 || view->spatial().size() < 2 ||
        !has_vector_axis(*view))
      return std::nullopt;
    const ViewAxis along = view->reduce().front();
    if (along.extent % block != 0 || along.extent <= block) return std::nullopt;
    step(Split{along.id, {block}});
    step(Factor{name, {along.id + ".0"}});
    plan_.units.push_back(
        {.rule = Unit::Rule::Tile,
         .nests = {*view_of(plan_.program, name + ".part"), *view_of(plan_.program, name)}});
    if (stages_.size() == 2)
      plan_.units.push_back(
          {.rule = Unit::Rule::Flat, .nests = {*view_of(plan_.program, stages_[1])}});
    return std::move(plan_);
  }

  void start(Program program) { plan_.program = std::move(program); }
  void step(Step s) {
    Result<Program> next = tessera::apply(s, plan_.program);
    check(next.has_value(), "a legal step: " + (next ? "" : next.error().message));
    plan_.program = *std::move(next);
    plan_.steps.push_back(std::move(s));
  }

 private:
  /// Whole tiles and whole vectors of channels, and nothing else read by the output than what lies
  /// like it.
  bool fits_winograd(const Unit& unit) const {
    const NestView& output = unit.nests.back();
    const std::int64_t m = unit.nests[4].axes[0].extent;
    if (output.axes.size() != 4 || output.axes[2].extent < m || output.axes[3].extent < m)
      return false;
    const auto may_be_blocked = [&](const Access& access) {
      const auto found = settled_.find(access.placed.tensor.name);
      return found == settled_.end() || access.placed.tensor.shape.size() != 4 ||
             has_blocked_channels(found->second, lanes_);
    };
    for (const NestView* nest : {&unit.nests.front(), &output})
      if (!std::all_of(nest->reads.begin(), nest->reads.end(), may_be_blocked)) return false;
    return may_be_blocked(output.write) && output.axes[1].extent > lanes_ &&
           unit.nests[1].axes[3].extent > lanes_;
  }

  /// Stages without reduction go into their readers, unless that would compute something costly
  /// more often.
  void inline_cheap_stages() {
    std::vector<TensorId> kept;
    for (const TensorId& stage : stages_) {
      const auto view = view_of(plan_.program, stage);
      check(view.has_value(), "a plain nest per stage");
      if (view->has_reducer || is_output(plan_.program, stage) || reads_of(stage) == 0 ||
          (view->is_heavy && reads_of(stage) > view->points()))
        kept.push_back(stage);
      else
        step(Inline{stage});
    }
    stages_ = std::move(kept);
  }

  /// How many times elements of a tensor are read in all.
  double reads_of(const TensorId& tensor) const {
    double total = 0;
    for (const TensorId& stage : stages_) {
      const auto view = view_of(plan_.program, stage);
      if (!view) continue;
      for (const Access& read : view->reads)
        if (read.placed.tensor.name == tensor) total += view->points();
    }
    return total;
  }

  /// Whether some spatial axis walks every activation contiguously or not at all, so that vectors
  /// can run along it.
  bool has_vector_axis(const NestView& nest) const {
    const std::vector<ViewAxis> spatial = nest.spatial();
    return std::any_of(spatial.begin(), spatial.end(), [&](const ViewAxis& a) {
      if (a.extent * 2 < lanes_) return false;
      return std::all_of(nest.reads.begin(), nest.reads.end(), [&](const Access& read) {
        if (read.is_constant || !read.depends_on(a.id)) return true;
        const auto stride = read.stride_of(a.id);
        return (stride && *stride == 1) || (spatial.size() == 4 && read.dim_of(a.id) == 1);
      });
    });
  }

  /// Whether operands are used again along two axes, so that packing one pays.
  static bool is_contraction(const NestView& nest) {
    const std::vector<ViewAxis> spatial = nest.spatial();
    return std::count_if(spatial.begin(), spatial.end(), [&](const ViewAxis& a) {
             return a.extent > 1 &&
                    std::any_of(nest.reads.begin(), nest.reads.end(),
                                [&](const Access& read) { return !read.depends_on(a.id); });
           }) >= 2;
  }

  /// The nests as rows of one output: several reductions, or one along the contiguous axis, over
  /// common leading axes.
  std::optional<Unit> as_rows(const std::vector<NestView>& nests) {
    const auto reductions =
        std::count_if(nests.begin(), nests.end(), [](const NestView& n) { return n.has_reducer; });
    const bool is_along = std::any_of(nests.begin(), nests.end(), [&](const NestView& n) {
      return n.has_reducer && !has_vector_axis(n) && !is_contraction(n);
    });
    if (reductions == 0 || (reductions == 1 && !is_along)) return std::nullopt;
    const NestView& output = nests.back();
    if (!is_output(plan_.program, output.tensor) || output.spatial().empty()) return std::nullopt;
    if (output.has_reducer && nests.size() > 1) return std::nullopt;
    const std::size_t rows = row_count(nests);
    if (rows == 0) return std::nullopt;
    for (const NestView& nest : nests)
      if (!shares_rows(nest, nests, rows)) return std::nullopt;
    std::vector<NestView> all = nests;
    if (output.has_reducer) {
      step(CacheWrite{output.tensor});
      all = {*view_of(plan_.program, output.tensor + ".tile"),
             *view_of(plan_.program, output.tensor)};
    }
    return Unit{.rule = Unit::Rule::Row, .nests = std::move(all), .rows = rows};
  }

  /// Reduces at most along its last axis, is no output but the last, and reads the other nests at
  /// its own row.
  bool shares_rows(const NestView& nest, const std::vector<NestView>& all, std::size_t rows) const {
    if (nest.reduce().size() > 1) return false;
    if (is_output(plan_.program, nest.tensor) != (nest.tensor == all.back().tensor)) return false;
    for (const Access& read : nest.reads)
      for (const NestView& other : all) {
        if (read.placed.tensor.name != other.tensor) continue;
        for (std::size_t d = 0; d < rows; ++d) {
          const Affine& index = read.dims[d];
          if (index.constant != 0 || index.terms.size() != 1 ||
              index.coefficient(nest.axes[d].id) != 1)
            return false;
        }
      }
    return true;
  }

  /// How many leading axes every nest has; what each has beyond them is one row of it.
  static std::size_t row_count(const std::vector<NestView>& all) {
    std::size_t rows = all.back().spatial().size();
    for (const NestView& nest : all) {
      std::size_t own = nest.spatial().size();
      while (own > 1 && nest.spatial()[own - 1].extent == 1) --own;
      rows = std::min(rows, own);
    }
    return rows;
  }

  /// Whether `reader` reads `tensor` at its own axes, one to one and in order.
  static bool reads_elementwise(const NestView& reader, const NestView& tensor) {
    if (reader.has_reducer || reader.axes.size() != tensor.spatial().size()) return false;
    bool found = false;
    for (const Access& read : reader.reads) {
      if (read.placed.tensor.name != tensor.tensor) continue;
      if (found || read.is_padded) return false;
      found = true;
      for (std::size_t d = 0; d < reader.axes.size(); ++d)
        if (read.dims[d].constant != 0 || read.dims[d].terms.size() != 1 ||
            read.dims[d].coefficient(reader.axes[d].id) != 1)
          return false;
    }
    return found;
  }

  void add_unit(const std::vector<NestView>& nests, std::size_t n) {
    const NestView& nest = nests[n];
    if (consumed_.contains(nest.tensor)) return;
    if (!nest.has_reducer || nest.spatial().empty()) {
      if (!nest.has_reducer) plan_.units.push_back({.rule = Unit::Rule::Flat, .nests = {nest}});
      return;
    }
    std::vector<std::size_t> readers;
    for (std::size_t m = n + 1; m < nests.size(); ++m)
      for (const Access& read : nests[m].reads)
        if (read.placed.tensor.name == nest.tensor) readers.push_back(m);
    if (readers.size() == 1 && !is_output(plan_.program, nest.tensor) &&
        reads_elementwise(nests[readers[0]], nest) && readers[0] == n + 1) {
      consumed_.insert(nests[readers[0]].tensor);
      plan_.units.push_back({.rule = Unit::Rule::Tile, .nests = {nest, nests[readers[0]]}});
      return;
    }
    step(CacheWrite{nest.tensor});
    plan_.units.push_back({.rule = Unit::Rule::Tile,
                           .nests = {*view_of(plan_.program, nest.tensor + ".tile"),
                                     *view_of(plan_.program, nest.tensor)}});
  }

  std::int64_t lanes_;
  const std::map<TensorId, Layout>& settled_;
  Plan plan_{.name = {},
             .steps = {},
             .program = {.name = {}, .params = {}, .tables = {}, .body = block({})},
             .units = {}};
  std::vector<TensorId> stages_;
  std::set<TensorId> consumed_;
};

}  // namespace

std::vector<Plan> plans_of(const Task& task) {
  const auto planner = [&](const std::string& name) {
    Planner out(task, name);
    out.start(to_program(task.computation));
    for (const auto& [tensor, layout] : task.layouts) out.step(ChooseLayout{tensor, layout});
    return out;
  };
  std::vector<Plan> plans{planner("direct").run()};
  for (const std::int64_t block : {512, 384, 256})
    if (auto plan = planner("split_" + std::to_string(block)).run_split_reduction(block))
      plans.push_back(*std::move(plan));
  for (const auto& [name, algorithm] :
       {std::pair{"winograd4", Algorithm::Winograd4}, std::pair{"winograd2", Algorithm::Winograd2}})
    for (const Stage& stage : task.computation.stages)
      if (stage.reducer)
        if (auto plan = planner(name).run_winograd(stage.tensor.name, algorithm))
          plans.push_back(*std::move(plan));
  return plans;
}

void apply_rule(RuleContext& context, const Unit& unit) {
  switch (unit.rule) {
    case Unit::Rule::Tile:
      return tile_rule(context, unit.nests[0], unit.nests[1]);
    case Unit::Rule::Row:
      return row_rule(context, unit.nests, unit.rows);
    case Unit::Rule::Flat:
      return flat_rule(context, unit.nests[0]);
    case Unit::Rule::Winograd:
      return winograd_rule(context, unit.nests);
  }
}

}  // namespace tessera
