#include "extract/assign_layouts.h"

#include "extract/copy_outputs.h"
#include "extract/tasks.h"
#include "schedule/rules/layouts.h"

#include <algorithm>
#include <optional>
#include <set>

namespace tessera {
namespace {

/// Of copying one element between layouts, in cycles.
constexpr double copy_cycles = 0.5;

class LayoutAssignment {
 public:
  LayoutAssignment(Network& network, const Target& target, PriorDrafts& drafts)
      : network_(network), target_(target), drafts_(drafts), lanes_(target.f32_lanes()) {
    for (std::size_t n = 0; n < network.calls.size(); ++n) {
      for (const ValueId& value : network.calls[n].inputs)
        calls_of_[network.whole_of(value)].push_back(n);
      for (const ValueId& value : network.calls[n].outputs) calls_of_[value].push_back(n);
    }
    for (const auto& [view, value] : network.views) needs_rows_.insert(value);
    for (const NetworkOutput& output : network.outputs) needs_rows_.insert(output.value);
  }

  void run() {
    const Blocked followed = chosen_in_order(), everywhere = all_that_may();
    blocked_ = cycles(followed) <= cycles(everywhere) ? followed : everywhere;
    for (const ValueId& value : everywhere)
      if (!followed.contains(value)) improve(value);
    for (const ValueId& value : blocked_) network_.layouts[value] = blocked_channels(lanes_);
    copy_where_rows_are_needed();
    widen_halos();
    level_halos();
  }

 private:
  using Blocked = std::set<ValueId>;  // the images whose channels are blocked

  /// An image with enough channels to fill vectors, that a call makes alone.
  bool may_be_blocked(const Call& maker) const {
    const ValueType& type = network_.types.at(maker.outputs.front());
    const bool is_image = maker.outputs.size() == 1 && type.shape.size() == 4 &&
                          type.element == ElementType::Float && type.shape[1] >= lanes_ &&
                          type.shape[2] * type.shape[3] > 1;
    const auto fills_blocks = [&](const ValueId& part) {
      return network_.types.at(part).shape[1] % lanes_ == 0;
    };
    for (const auto& [value, part] : network_.parts)
      if (part.whole == maker.outputs.front() && (!fills_blocks(value) || part.begin % lanes_ != 0))
        return false;
    if (!is_image || !maker.joins) return is_image;
    return *maker.joins == 1 && std::all_of(maker.inputs.begin(), maker.inputs.end(), fills_blocks);
  }

  Blocked all_that_may() const {
    Blocked all;
    for (const Call& call : network_.calls)
      if (may_be_blocked(call)) all.insert(call.outputs.front());
    return all;
  }

  /// Each as its maker likes it best, given how that's images lie.
  Blocked chosen_in_order() {
    Blocked chosen;
    for (const Call& call : network_.calls) {
      if (!may_be_blocked(call)) continue;
      const double plain = cycles(call, chosen);
      chosen.insert(call.outputs.front());
      if (cycles(call, chosen) > plain) chosen.erase(call.outputs.front());
    }
    return chosen;
  }

  /// Turns the choice for one image when that is cheaper for all who touch it.
  void improve(const ValueId& value) {
    const double before = cycles_around(value);
    turn(value);
    if (cycles_around(value) >= before) turn(value);
  }
  void turn(const ValueId& value) {
    if (blocked_.erase(value) == 0) blocked_.insert(value);
  }
  double cycles_around(const ValueId& value) {
    double sum = border_cycles(value, blocked_);
    for (const std::size_t n : calls_of_.at(value)) sum += cycles(network_.calls[n], blocked_);
    return sum;
  }

  double cycles(const Blocked& blocked) {
    double sum = 0;
    for (const ValueId& value : blocked) sum += border_cycles(value, blocked);
    for (const Call& call : network_.calls) sum += cycles(call, blocked);
    return sum;
  }

  double copied_elements(const ValueId& value) const {
    return static_cast<double>(element_count(network_.types.at(value).shape));
  }
  double border_cycles(const ValueId& value, const Blocked& blocked) const {
    double sum = 0;
    if (blocked.contains(value))
      for (const ValueId& rows : needs_rows_)
        if (network_.whole_of(rows) == value) sum += copy_cycles * copied_elements(rows);
    return sum;
  }

  /// Of a call that reduces, what the prior expects; of others, what lies otherwise than the result
  /// is read at the price of a copy. Calls that touch no image count nothing.
  double cycles(const Call& call, const Blocked& blocked) {
    const bool has_image =
        may_be_blocked(call) ||
        std::any_of(call.inputs.begin(), call.inputs.end(),
                    [&](const ValueId& value) { return lies_in(blocked, value); });
    if (!has_image) return 0;
    const auto& stages = call.computation.stages;
    if (std::any_of(stages.begin(), stages.end(),
                    [](const Stage& s) { return s.reducer.has_value(); }))
      return drafts_.of(task(call, blocked)).estimate.cycles;
    double sum = 0;
    const bool is_blocked = blocked.contains(call.outputs.front());
    for (const ValueId& value : call.inputs)
      if (network_.types.at(value).shape.size() == 4 && !network_.constants.contains(value) &&
          lies_in(blocked, value) != is_blocked)
        sum += copy_cycles * copied_elements(value);
    return sum;
  }

  Task task(const Call& call, const Blocked& blocked) const {
    Task task = task_of(network_, call, target_);
    const auto settle = [&](const TensorId& tensor, const ValueId& value) {
      if (lies_in(blocked, value)) task.layouts[tensor] = blocked_channels(lanes_);
    };
    for (std::size_t n = 0; n < call.inputs.size(); ++n)
      settle(call.computation.operands[n].tensor.name, call.inputs[n]);
    for (std::size_t n = 0; n < call.outputs.size(); ++n)
      settle(call.computation.outputs[n], call.outputs[n]);
    return task;
  }

  bool lies_in(const Blocked& blocked, const ValueId& value) const {
    return blocked.contains(network_.whole_of(value));
  }
  bool is_blocked(const ValueId& value) const { return lies_in(blocked_, value); }

  ValueId copied(std::vector<Call>& calls, const ValueId& value, const std::string& suffix) {
    const ValueId copy = value + suffix;
    if (!network_.types.contains(copy)) {
      network_.types[copy] = network_.types.at(value);
      calls.push_back(copy_call(network_, value, copy, network_.types.at(value)));
    }
    return copy;
  }

  /// Views and outputs of the network are row-major; so are images that a call reads out of place.
  void copy_where_rows_are_needed() {
    std::set<ValueId> needs_rows;
    for (const ValueId& value : needs_rows_)
      if (is_blocked(value)) needs_rows.insert(value);
    std::vector<Call> calls;
    for (Call& call : network_.calls) {
      calls.push_back(call);
      for (const ValueId& value : needs_rows)
        if (std::ranges::count(call.outputs, network_.whole_of(value)) > 0)
          copied(calls, value, "/rows");
    }
    network_.calls = std::move(calls);
    for (auto& [view, value] : network_.views)
      if (needs_rows.contains(value)) value += "/rows";
    for (NetworkOutput& output : network_.outputs)
      if (needs_rows.contains(output.value)) output.value += "/rows";
  }

  /// The halo that readers of each value can use; what no call makes is copied into one.
  void widen_halos() {
    std::set<ValueId> made;
    for (const Call& call : network_.calls) made.insert(call.outputs.begin(), call.outputs.end());
    for (const NetworkOutput& output : network_.outputs)
      made.erase(network_.whole_of(network_.root_of(output.value)));
    std::vector<Call> calls;
    for (Call& call : network_.calls) {
      for (std::size_t n = 0; n < call.inputs.size(); ++n) {
        const Operand& operand = call.computation.operands[n];
        if (operand.role != Role::Input) continue;
        const std::vector<Halo> halo = halo_wanted(call, operand.tensor.name);
        if (halo.empty()) continue;
        ValueId holder = network_.whole_of(call.inputs[n]);
        const bool has_views =
            std::any_of(network_.views.begin(), network_.views.end(), [&](const auto& view) {
              return network_.whole_of(view.second) == holder || view.first == holder;
            });
        if (!made.contains(holder) || has_views) {
          const bool was_blocked = is_blocked(holder);
          holder = call.inputs[n] = copied(calls, call.inputs[n], "/halo");
          if (was_blocked) network_.layouts[holder] = blocked_channels(lanes_);
        }
        Layout& layout =
            network_.layouts.try_emplace(holder, row_major(operand.tensor.shape.size()))
                .first->second;
        layout.halo = united(layout.halo, halo);
      }
      calls.push_back(call);
    }
    network_.calls = std::move(calls);
  }

  /// What is joined and its parts get the same halo, so that parts can lie in the whole.
  void level_halos() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Call& call : network_.calls) {
        if (!call.joins) continue;
        std::vector<ValueId> kin = call.inputs;
        kin.push_back(call.outputs.front());
        std::erase_if(kin, [&](const ValueId& value) {
          return network_.parts.contains(value) ||
                 network_.layout_of(value).terms != network_.layout_of(call.outputs.front()).terms;
        });
        std::vector<Halo> halo;
        for (const ValueId& value : kin) halo = united(halo, network_.layout_of(value).halo);
        for (const ValueId& value : kin) {
          Layout layout = network_.layout_of(value);
          if (halo.empty() || layout.halo == halo || !makes_alone(value)) continue;
          layout.halo = halo;
          network_.layouts[value] = layout;
          changed = true;
        }
      }
    }
  }

  /// Whether a call makes the value for no one outside and for no view.
  bool makes_alone(const ValueId& value) const {
    const bool has_rows =
        !is_blocked(value) && std::ranges::any_of(needs_rows_, [&](const auto& v) {
          return network_.whole_of(v) == value;
        });
    return calls_of_.contains(value) && !has_rows && !network_.views.contains(value) &&
           !network_.constants.contains(value) &&
           std::none_of(network_.inputs.begin(), network_.inputs.end(),
                        [&](const GraphInput& input) { return input.name == value; });
  }

  std::vector<Halo> halo_wanted(const Call& call, const TensorId& operand) {
    Task task{call.computation, target_, {}};
    for (std::size_t n = 0; n < call.outputs.size(); ++n)
      task.layouts[call.computation.outputs[n]] = network_.layout_of(call.outputs[n]);
    const Space space(task);
    const std::optional<Decision> algorithm = space.next({});
    std::vector<Halo> halo;
    const auto look = [&](const Choices& head) {
      Rng rng(1);
      for (const Step& step : draw(space, rng, head).draft.schedule)
        if (const auto* layout = std::get_if<ChooseLayout>(&step))
          if (layout->tensor == operand) halo = united(halo, layout->layout.halo);
    };
    if (!algorithm || algorithm->name != "algorithm") {
      look({});
      return halo;
    }
    for (std::size_t k = 0; k < algorithm->options.size(); ++k)
      look({static_cast<std::int64_t>(k)});
    return halo;
  }

  Network& network_;
  const Target& target_;
  PriorDrafts& drafts_;
  std::int64_t lanes_;
  std::map<ValueId, std::vector<std::size_t>> calls_of_;  // that make or read a value
  std::set<ValueId> needs_rows_;  // views and outputs of the network are row-major
  Blocked blocked_;
};

}  // namespace

void assign_layouts(Network& network, const Target& target, PriorDrafts& drafts) {
  LayoutAssignment(network, target, drafts).run();
}

}  // namespace tessera
