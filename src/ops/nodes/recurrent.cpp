#include "ops/nodes/nodes.h"
#include "ops/nodes/recurrent_lane.h"

/// Recurrent layers: the part of all steps that reads the input is one product, then each step is
/// a slice of it, a product with the state and elementwise functions, alike in all steps.
namespace tessera::ops {
namespace {

/// h' = f(x W + h R + b)
RecurrentState rnn_cell(const Recurrence& r, const Lane& lane, const ValueId& from_input,
                        const RecurrentState& last) {
  const ValueId from_state = r.e.add("MatMul", {last.hidden, lane.recurrent[0]});
  const ValueId sum = r.e.add("Add", {from_input, from_state});
  return {.hidden = r.apply_to_gate(lane.functions[0], sum), .cell = {}};
}

/// Gates z, r, h:
///
///     z = f(x Wz + h Rz + bz)   r = f(x Wr + h Rr + br)
///     h~ = g(x Wh + (r * h) Rh + bh), or g(x Wh + r * (h Rh + bRh) + bWh) before the reset
///     h' = (1 - z) * h~ + z * h
RecurrentState gru_cell(const Recurrence& r, const Lane& lane, const ValueId& from_input,
                        const RecurrentState& last) {
  Expansion& e = r.e;
  ValueId from_state = e.add("MatMul", {last.hidden, lane.recurrent[0]});
  if (!lane.recurrent_bias.empty()) from_state = e.add("Add", {from_state, lane.recurrent_bias});
  const bool is_before_reset = lane.recurrent.size() == 1;
  const ValueId both = e.add(
      "Add", {r.gates(from_input, 0, 2), is_before_reset ? r.gates(from_state, 0, 2) : from_state});
  const ValueId opened = r.apply_to_gate(lane.functions[0], both);
  const ValueId update = r.gate(opened, 0), reset = r.gate(opened, 1);
  const ValueId from_reset =
      is_before_reset ? e.add("Mul", {reset, r.gate(from_state, 2)})
                      : e.add("MatMul", {e.add("Mul", {reset, last.hidden}), lane.recurrent[1]});
  const ValueId fresh =
      r.apply_to_gate(lane.functions[1], e.add("Add", {r.gate(from_input, 2), from_reset}));
  const ValueId new_part = e.add("Mul", {e.add("Sub", {e.real(1), update}), fresh});
  return {.hidden = e.add("Add", {new_part, e.add("Mul", {update, last.hidden})}), .cell = {}};
}

/// Gates i, o, f, c, where a peephole lets a gate see the cell:
///
///     i = f(.. + Pi * C)   f = f(.. + Pf * C)   c = g(..)
///     C' = f * C + i * c   o = f(.. + Po * C')  h' = o * h(C')
RecurrentState lstm_cell(const Recurrence& r, const Lane& lane, const ValueId& from_input,
                         const RecurrentState& last) {
  Expansion& e = r.e;
  const ValueId from_state = e.add("MatMul", {last.hidden, lane.recurrent[0]});
  const ValueId gates = e.add("Add", {from_input, from_state});
  const auto seeing = [&](std::int64_t gate, const ValueId& cell) {  // peepholes stand as i, o, f
    const ValueId sum = r.gate(gates, gate);
    if (lane.peepholes.empty()) return sum;
    return e.add("Add",
                 {sum, e.add("Mul", {lane.peepholes[static_cast<std::size_t>(gate)], cell})});
  };
  const ValueId in = r.apply_to_gate(lane.functions[0], seeing(0, last.cell));
  const ValueId forget = e.integer("input_forget", 0) != 0
                             ? e.add("Sub", {e.real(1), in})
                             : r.apply_to_gate(lane.functions[0], seeing(2, last.cell));
  const ValueId fresh = r.apply_to_gate(lane.functions[1], r.gate(gates, 3));
  const ValueId cell = e.add("Add", {e.add("Mul", {forget, last.cell}), e.add("Mul", {in, fresh})});
  const ValueId out = r.apply_to_gate(lane.functions[0], seeing(1, cell));
  return {.hidden = e.add("Mul", {out, r.apply(lane.functions[2], cell)}), .cell = cell};
}

void unroll(Expansion& e, RecurrentCell cell) {
  const auto recurrence = Recurrence::make(e, std::move(cell));
  if (!recurrence) return e.refuse(recurrence.error().message);
  recurrence->run();
}

void rnn(Expansion& e) { unroll(e, {.functions = {"Tanh"}, .groups = {1}, .step = rnn_cell}); }

void gru(Expansion& e) {
  const bool is_before_reset = e.integer("linear_before_reset", 0) != 0;
  RecurrentCell cell{.functions = {"Sigmoid", "Tanh"},
                     .groups = {2, 1},
                     .has_bias_apart = is_before_reset,
                     .step = gru_cell};
  if (is_before_reset) cell.groups = {3};
  unroll(e, cell);
}

void lstm(Expansion& e) {
  unroll(e, {.functions = {"Sigmoid", "Tanh", "Tanh"},
             .groups = {4},
             .peepholes = 3,
             .has_cell_state = true,
             .step = lstm_cell});
}

constexpr Op list[] = {
    {"", "RNN", rnn, 3},
    {"", "GRU", gru, 3},
    {"", "LSTM", lstm, 3},
};

}  // namespace

std::span<const Op> recurrent_nodes() { return list; }

}  // namespace tessera::ops
