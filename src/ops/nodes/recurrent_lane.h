#pragma once

#include "ops/op.h"

#include <string>
#include <utility>
#include <vector>

/// What RNN, GRU and LSTM share: everything around the cell.
namespace tessera::ops {

/// A function of gates, by the name that ONNX gives it.
struct GateFunction {
  std::string name;
  double alpha = 0, beta = 0;
};

/// What a step passes on to the next, each [batch, hidden]; `cell` is for LSTM.
struct RecurrentState {
  ValueId hidden, cell;
};

/// One direction of a recurrent node. The gates stand side by side in the last dimension.
struct Lane {
  std::size_t direction = 0;
  bool is_backwards = false;
  ValueId from_input;              // [time, batch, gates * hidden], of all steps at once
  std::vector<ValueId> recurrent;  // by group, [hidden, gates * hidden]
  ValueId recurrent_bias;          // [gates * hidden] where it stays apart, else empty
  RecurrentState initial;
  std::vector<ValueId> peepholes;  // [hidden] each; none when there are none
  std::vector<GateFunction> functions;
};

class Recurrence;

/// What makes a recurrent node an RNN, a GRU or an LSTM.
struct RecurrentCell {
  std::vector<std::string> functions;  // unless others are given, for one direction
  std::vector<std::int64_t> groups;    // gates that one product gives together
  std::int64_t peepholes = 0;          // in input 7
  bool has_cell_state = false;
  bool has_bias_apart = false;  // that of the recurrence is not joined with that of the input
  /// The next state from what the step's input gives, [batch, gates * hidden], and the last state.
  RecurrentState (*step)(const Recurrence&, const Lane&, const ValueId& from_input,
                         const RecurrentState& last);
};

/// A recurrent node on its way into nodes per step.
class Recurrence {
 public:
  /// Refuses what does not fit together.
  static Result<Recurrence> make(Expansion& e, RecurrentCell cell);

  /// Takes all steps of all directions and says what the node's outputs are.
  void run() const;

  ValueId gate(const ValueId& gates, std::int64_t n) const;
  /// Several gates in a row.
  ValueId gates(const ValueId& all, std::int64_t first, std::int64_t count) const;
  ValueId apply(const GateFunction& function, const ValueId& x) const;
  /// Of a gate's sum, which is clipped when the node says so.
  ValueId apply_to_gate(const GateFunction& function, const ValueId& sum) const;

  Expansion& e;

 private:
  Recurrence(Expansion& expansion, RecurrentCell cell) : e(expansion), cell_(std::move(cell)) {}
  Result<void> verify_inputs() const;
  /// One direction's share of an input that has one per direction.
  ValueId of_direction(const ValueId& value, std::size_t direction) const;
  Lane lane(std::size_t direction) const;
  void add_input_part(Lane& lane) const;
  ValueId bias(const Lane& lane, std::int64_t half) const;
  ValueId initial_state(std::size_t input, std::size_t direction) const;
  ValueId mask() const;
  /// What a step gives, and the state that it passes on.
  std::pair<ValueId, RecurrentState> masked(const ValueId& runs, const RecurrentState& next,
                                            const RecurrentState& last) const;
  ValueId joined(std::vector<ValueId> by_direction) const;

  RecurrentCell cell_;
  std::int64_t time_ = 0, batch_ = 0, hidden_ = 0, gate_count_ = 0;
  std::size_t directions_ = 1;
  std::vector<GateFunction> functions_;  // of all directions
};

}  // namespace tessera::ops
