#include "extract/assign_layouts.h"

#include "extract/copy_outputs.h"
#include "schedule/rules/layouts.h"
#include "schedule/space.h"

#include <algorithm>
#include <optional>
#include <set>

namespace tessera {
namespace {

/// Of copying one element between layouts, in cycles.
constexpr double copy_cycles = 0.5;

class LayoutAssignment {
 public:
  LayoutAssignment(Network& network, const Target& target)
      : network_(network), target_(target), lanes_(target.f32_lanes()) {}

  void run() {
    for (const Call& call : network_.calls) choose_blocks(call);
    copy_where_rows_are_needed();
    widen_halos();
  }

 private:
  /// An image with enough channels to fill vectors.
  bool may_be_blocked(const ValueId& value) const {
    const ValueType& type = network_.types.at(value);
    return type.shape.size() == 4 && type.element == ElementType::Float &&
           type.shape[1] >= lanes_ && type.shape[2] * type.shape[3] > 1;
  }
  bool is_blocked(const ValueId& value) const { return network_.layouts.contains(value); }
  void block(const ValueId& value) { network_.layouts[value] = blocked_channels(lanes_); }

  /// Calls without a preference do as what they read does; others as the prior says.
  void choose_blocks(const Call& call) {
    if (call.outputs.size() != 1 || !may_be_blocked(call.outputs.front())) return;
    const bool reduces = std::any_of(call.computation.stages.begin(), call.computation.stages.end(),
                                     [](const Stage& s) { return s.reducer.has_value(); });
    if (!reduces) {
      const bool follows =
          std::any_of(call.inputs.begin(), call.inputs.end(), [&](const ValueId& v) {
            return is_blocked(v) &&
                   network_.types.at(v).shape == network_.types.at(call.outputs[0]).shape;
          });
      if (follows) block(call.outputs.front());
      return;
    }
    const double plain = cycles(call, false), blocked = cycles(call, true);
    if (blocked < plain) block(call.outputs.front());
  }

  /// What the prior expects of a call whose output, and whose images where they can be, are blocked
  /// or not; an image that lies otherwise is copied first.
  double cycles(const Call& call, bool is_blocked_wanted) {
    Task task{call.computation, target_, {}};
    double copies = 0;
    for (std::size_t n = 0; n < call.inputs.size(); ++n) {
      const Operand& operand = call.computation.operands[n];
      if (operand.role != Role::Input) continue;
      const bool wanted = is_blocked_wanted && may_be_blocked(call.inputs[n]);
      task.layouts[operand.tensor.name] =
          wanted ? blocked_channels(lanes_) : row_major(operand.tensor.shape.size());
      if (wanted != is_blocked(call.inputs[n]))
        copies += copy_cycles * static_cast<double>(element_count(operand.tensor.shape));
    }
    task.layouts[call.computation.outputs.front()] =
        is_blocked_wanted ? blocked_channels(lanes_) : row_major(4);
    const Space space(task);
    return space.draft(best_by_prior(space)).cycles + copies;
  }

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
    for (const auto& [view, value] : network_.views)
      if (is_blocked(value)) needs_rows.insert(value);
    for (const NetworkOutput& output : network_.outputs)
      if (is_blocked(output.value)) needs_rows.insert(output.value);
    std::vector<Call> calls;
    for (Call& call : network_.calls) {
      calls.push_back(call);
      for (const ValueId& value : call.outputs)
        if (needs_rows.contains(value)) copied(calls, value, "/rows");
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
    for (const NetworkOutput& output : network_.outputs) made.erase(network_.root_of(output.value));
    std::vector<Call> calls;
    for (Call& call : network_.calls) {
      for (std::size_t n = 0; n < call.inputs.size(); ++n) {
        const Operand& operand = call.computation.operands[n];
        if (operand.role != Role::Input) continue;
        const std::vector<Halo> halo = halo_wanted(call, operand.tensor.name);
        if (halo.empty()) continue;
        const bool has_views =
            std::any_of(network_.views.begin(), network_.views.end(), [&](const auto& view) {
              return view.second == call.inputs[n] || view.first == call.inputs[n];
            });
        if (!made.contains(call.inputs[n]) || has_views) {
          const bool was_blocked = is_blocked(call.inputs[n]);
          call.inputs[n] = copied(calls, call.inputs[n], "/halo");
          if (was_blocked) block(call.inputs[n]);
        }
        Layout& layout =
            network_.layouts.try_emplace(call.inputs[n], row_major(operand.tensor.shape.size()))
                .first->second;
        layout.halo = united(layout.halo, halo);
      }
      calls.push_back(call);
    }
    network_.calls = std::move(calls);
  }

  std::vector<Halo> halo_wanted(const Call& call, const TensorId& operand) {
    Task task{call.computation, target_, {}};
    for (std::size_t n = 0; n < call.outputs.size(); ++n) {
      const auto layout = network_.layouts.find(call.outputs[n]);
      task.layouts[call.computation.outputs[n]] =
          layout != network_.layouts.end()
              ? layout->second
              : row_major(network_.types.at(call.outputs[n]).shape.size());
    }
    const Space space(task);
    const std::optional<Decision> algorithm = space.next({});
    std::vector<Halo> halo;
    const auto look = [&](const Choices& head) {
      Rng rng(1);
      for (const Step& step : space.draft(draw(space, rng, head)).schedule)
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
  std::int64_t lanes_;
};

}  // namespace

void assign_layouts(Network& network, const Target& target) {
  LayoutAssignment(network, target).run();
}

}  // namespace tessera
