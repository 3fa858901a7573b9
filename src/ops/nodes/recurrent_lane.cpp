#include "ops/nodes/recurrent_lane.h"

#include "base/text.h"

#include <algorithm>
#include <tuple>

namespace tessera::ops {
namespace {

constexpr std::int64_t most_steps = 2048;

constexpr std::size_t bias_input = 3, lengths_input = 4, hidden_input = 5, cell_input = 6,
                      peephole_input = 7;

struct FunctionDefaults {
  std::string_view name;
  bool has_alpha = false, has_beta = false;
  double alpha = 0, beta = 0;
};

constexpr FunctionDefaults known_functions[] = {
    {"Relu"},
    {"Tanh"},
    {"Sigmoid"},
    {"Softsign"},
    {"Softplus"},
    {"Affine", true, true, 1, 0},
    {"LeakyRelu", true, false, 0.01},
    {"ThresholdedRelu", true, false, 1},
    {"ScaledTanh", true, true, 1, 1},
    {"HardSigmoid", true, true, 0.2, 0.5},
    {"Elu", true, false, 1},
};

/// The functions with their parameters, which those that have some take in order.
Result<std::vector<GateFunction>> functions_of(const NodeView& view,
                                               const std::vector<std::string>& names) {
  const std::vector<double> alphas = view.reals("activation_alpha");
  const std::vector<double> betas = view.reals("activation_beta");
  std::size_t alpha = 0, beta = 0;
  std::vector<GateFunction> out;
  for (const std::string& name : names) {
    const auto* known = std::ranges::find(known_functions, name, &FunctionDefaults::name);
    if (known == std::end(known_functions)) return Error{"no known activation " + name};
    GateFunction& function = out.emplace_back(GateFunction{name, known->alpha, known->beta});
    if (known->has_alpha && alpha < alphas.size()) function.alpha = alphas[alpha++];
    if (known->has_beta && beta < betas.size()) function.beta = betas[beta++];
  }
  return out;
}

Result<void> verify_shape(const NodeView& view, std::size_t input, const Shape& expected) {
  if (!view.has_elements(input) || view.shape(input) == expected) return {};
  return Error{"input " + std::to_string(input) + " of shape " + to_text(view.shape(input)) +
               ", expected " + to_text(expected)};
}

bool is_batch_first(const NodeView& view) { return view.integer("layout", 0) != 0; }

}  // namespace

Result<Recurrence> Recurrence::make(Expansion& e, RecurrentCell cell) {
  Recurrence r(e, std::move(cell));
  const Shape &x = e.shape(0), &recurrent = e.shape(2);
  if (x.size() != 3 || recurrent.size() != 3)
    return Error{"X " + to_text(x) + " and R " + to_text(recurrent) +
                 ", expected three dimensions each"};
  const std::string direction = e.text("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    return Error{"direction " + direction + ", expected forward, reverse or bidirectional"};
  r.directions_ = direction == "bidirectional" ? 2 : 1;
  r.time_ = is_batch_first(e) ? x[1] : x[0];
  r.batch_ = is_batch_first(e) ? x[0] : x[1];
  r.hidden_ = recurrent[2];
  for (const std::int64_t group : r.cell_.groups) r.gate_count_ += group;
  if (r.time_ > most_steps)
    return Error{std::to_string(r.time_) + " steps, expected at most " +
                 std::to_string(most_steps)};
  if (const auto sound = r.verify_inputs(); !sound) return sound.error();
  const std::vector<std::string>& own = r.cell_.functions;
  std::vector<std::string> names = e.texts("activations");
  for (std::size_t d = 0; d < r.directions_ && e.texts("activations").empty(); ++d)
    names.insert(names.end(), own.begin(), own.end());
  if (names.size() != own.size() * r.directions_)
    return Error{std::to_string(names.size()) + " activations, expected " +
                 std::to_string(own.size()) + " per direction"};
  auto known = functions_of(e, names);
  if (!known) return known.error();
  r.functions_ = *std::move(known);
  return r;
}

Result<void> Recurrence::verify_inputs() const {
  const auto count = static_cast<std::int64_t>(directions_);
  const std::int64_t width = gate_count_ * hidden_;
  const Shape state =
      is_batch_first(e) ? Shape{batch_, count, hidden_} : Shape{count, batch_, hidden_};
  const std::pair<std::size_t, Shape> expected[] = {
      {1, {count, width, e.shape(0)[2]}},
      {2, {count, width, hidden_}},
      {bias_input, {count, 2 * width}},
      {lengths_input, {batch_}},
      {hidden_input, state},
      {cell_input, state},
      {peephole_input, {count, cell_.peepholes * hidden_}}};
  for (const auto& [input, shape] : expected)
    if (const auto sound = verify_shape(e, input, shape); !sound) return sound;
  return {};
}

ValueId Recurrence::gates(const ValueId& all, std::int64_t first, std::int64_t count) const {
  return e.add("Slice", {all, e.integers({first * hidden_}),
                         e.integers({(first + count) * hidden_}), e.integers({-1})});
}

ValueId Recurrence::gate(const ValueId& all, std::int64_t n) const { return gates(all, n, 1); }

ValueId Recurrence::apply(const GateFunction& function, const ValueId& x) const {
  const auto& [name, alpha, beta] = function;
  if (name == "Affine") return e.add("Add", {e.add("Mul", {x, e.real(alpha)}), e.real(beta)});
  if (name == "ScaledTanh")
    return e.add("Mul", {e.add("Tanh", {e.add("Mul", {x, e.real(beta)})}), e.real(alpha)});
  return e.add(name, {x}, {{"alpha", alpha}, {"beta", beta}});
}

ValueId Recurrence::apply_to_gate(const GateFunction& function, const ValueId& sum) const {
  if (!e.has_attribute("clip")) return apply(function, sum);
  const double limit = e.view().real("clip", 0);
  return apply(function, e.add("Clip", {sum, e.real(-limit), e.real(limit)}));
}

ValueId Recurrence::of_direction(const ValueId& value, std::size_t direction) const {
  ValueId mine = value;
  if (directions_ > 1) {
    const auto d = static_cast<std::int64_t>(direction);
    mine = e.add("Slice", {mine, e.integers({d}), e.integers({d + 1}), e.integers({0})});
  }
  return e.add("Squeeze", {mine, e.integers({0})});
}

/// That of the input (0) or of the recurrence (1).
ValueId Recurrence::bias(const Lane& lane, std::int64_t half) const {
  const ValueId both = of_direction(e.input(bias_input), lane.direction);
  return gates(both, half * gate_count_, gate_count_);
}

ValueId Recurrence::initial_state(std::size_t input, std::size_t direction) const {
  if (!e.has_elements(input)) return e.constant(*filled(ElementType::Float, {batch_, hidden_}, 0));
  ValueId states = e.input(input);
  if (is_batch_first(e))
    states = e.add("Transpose", {states}, {{"perm", std::vector<std::int64_t>{1, 0, 2}}});
  return of_direction(states, direction);
}

Lane Recurrence::lane(std::size_t direction) const {
  Lane lane;
  lane.direction = direction;
  lane.is_backwards = direction == 1 || e.text("direction", "forward") == "reverse";
  const auto per_direction = functions_.size() / directions_;
  const auto first = functions_.begin() + static_cast<std::ptrdiff_t>(direction * per_direction);
  lane.functions.assign(first, first + static_cast<std::ptrdiff_t>(per_direction));
  lane.initial.hidden = initial_state(hidden_input, direction);
  if (cell_.has_cell_state) lane.initial.cell = initial_state(cell_input, direction);
  const ValueId recurrent = e.add("Transpose", {of_direction(e.input(2), direction)});
  std::int64_t gate = 0;
  for (const std::int64_t group : cell_.groups) {
    lane.recurrent.push_back(group == gate_count_ ? recurrent : gates(recurrent, gate, group));
    gate += group;
  }
  if (cell_.peepholes > 0 && e.has_elements(peephole_input)) {
    const ValueId all = of_direction(e.input(peephole_input), direction);
    for (std::int64_t n = 0; n < cell_.peepholes; ++n) lane.peepholes.push_back(this->gate(all, n));
  }
  add_input_part(lane);
  return lane;
}

void Recurrence::add_input_part(Lane& lane) const {
  ValueId x = e.input(0);
  if (is_batch_first(e))
    x = e.add("Transpose", {x}, {{"perm", std::vector<std::int64_t>{1, 0, 2}}});
  const ValueId weights = e.add("Transpose", {of_direction(e.input(1), lane.direction)});
  lane.from_input = e.add("MatMul", {x, weights});
  if (!e.has_elements(bias_input)) return;
  ValueId of_input = bias(lane, 0);
  if (cell_.has_bias_apart)
    lane.recurrent_bias = bias(lane, 1);
  else
    of_input = e.add("Add", {of_input, bias(lane, 1)});
  lane.from_input = e.add("Add", {lane.from_input, of_input});
}

/// Which steps each sequence has, [time, batch, 1]; empty when all have all. One that has ended
/// gives zero and keeps its state.
ValueId Recurrence::mask() const {
  if (!e.has_elements(lengths_input)) return {};
  if (const auto known = e.view().integers(lengths_input, "lengths");
      known && std::ranges::all_of(*known, [&](std::int64_t n) { return n >= time_; }))
    return {};
  std::vector<std::int64_t> steps;
  for (std::int64_t t = 0; t < time_; ++t) steps.push_back(t);
  const ElementType element = e.type(lengths_input).element;
  return e.add("Less", {e.constant(constant_of(element, {time_, 1, 1}, steps)),
                        e.add("Reshape", {e.input(lengths_input), e.integers({batch_, 1})})});
}

/// A value of each direction as one, along a new first dimension.
ValueId Recurrence::joined(std::vector<ValueId> by_direction) const {
  for (ValueId& value : by_direction) value = e.add("Unsqueeze", {value, e.integers({0})});
  return directions_ == 1 ? by_direction[0] : e.add("Concat", by_direction, {{"axis", 0}});
}

std::pair<ValueId, RecurrentState> Recurrence::masked(const ValueId& runs,
                                                      const RecurrentState& next,
                                                      const RecurrentState& last) const {
  RecurrentState kept = {.hidden = e.add("Where", {runs, next.hidden, last.hidden}), .cell = {}};
  if (cell_.has_cell_state) kept.cell = e.add("Where", {runs, next.cell, last.cell});
  return {e.add("Where", {runs, next.hidden, e.real(0)}), kept};
}

void Recurrence::run() const {
  const ValueId has_step = mask();
  const auto at = [&](const ValueId& all, std::int64_t t) {
    const ValueId one =
        e.add("Slice", {all, e.integers({t}), e.integers({t + 1}), e.integers({0})});
    return e.add("Squeeze", {one, e.integers({0})});
  };
  std::vector<ValueId> sequences, hiddens, cells;
  for (std::size_t direction = 0; direction < directions_; ++direction) {
    const Lane lane = this->lane(direction);
    RecurrentState state = lane.initial;
    std::vector<ValueId> steps(static_cast<std::size_t>(time_));
    for (std::int64_t n = 0; n < time_; ++n) {
      const std::int64_t t = lane.is_backwards ? time_ - 1 - n : n;
      RecurrentState next = cell_.step(*this, lane, at(lane.from_input, t), state);
      ValueId given = next.hidden;
      if (!has_step.empty()) std::tie(given, next) = masked(at(has_step, t), next, state);
      steps[static_cast<std::size_t>(t)] = e.add("Unsqueeze", {given, e.integers({0})});
      state = next;
    }
    sequences.push_back(e.add("Concat", steps, {{"axis", 0}}));
    hiddens.push_back(state.hidden);
    cells.push_back(state.cell);
  }
  using Order = std::vector<std::int64_t>;
  const bool batch_first = is_batch_first(e);
  e.output(e.add("Transpose", {joined(sequences)},
                 {{"perm", batch_first ? Order{2, 1, 0, 3} : Order{1, 0, 2, 3}}}));
  const auto output_states = [&](const std::vector<ValueId>& states) {
    const ValueId all = joined(states);
    e.output(batch_first ? e.add("Transpose", {all}, {{"perm", Order{1, 0, 2}}}) : all);
  };
  output_states(hiddens);
  if (cell_.has_cell_state) output_states(cells);
}

}  // namespace tessera::ops
