#include "base/text.h"
#include "ops/nodes/inline_graph.h"
#include "ops/nodes/nodes.h"
#include "ops/shape.h"

#include <algorithm>
#include <array>

/// Branches and loops vanish: the taken branch, or a copy of the body per round, stands in their
/// place.
namespace tessera::ops {
namespace {

constexpr std::int64_t most_unrolled_nodes = 1 << 14;

/// Below the first output, whose name is unique in the graph.
std::string prefix_of(const Expansion& e, const std::string& label) {
  const auto first =
      std::ranges::find_if(e.node().outputs, [](const ValueId& v) { return !v.empty(); });
  return *first + "/" + label;
}

Result<void> verify_unrolled(const Graph& body, std::int64_t rounds) {
  const auto nodes = static_cast<std::int64_t>(std::max<std::size_t>(body.nodes.size(), 1));
  if (rounds <= most_unrolled_nodes / nodes) return {};
  return Error{std::to_string(rounds) + " rounds of " + std::to_string(nodes) +
               " nodes, expected at most " + std::to_string(most_unrolled_nodes) +
               " nodes once unrolled"};
}

/// The values as slices of one along a new dimension.
ValueId stacked(Expansion& e, const std::vector<ValueId>& values, std::int64_t axis) {
  std::vector<ValueId> parts;
  for (const ValueId& value : values)
    parts.push_back(e.add("Unsqueeze", {value, e.integers({axis})}));
  return e.add("Concat", parts, {{"axis", axis}});
}

/// One slice of a value along a dimension, which it loses.
ValueId slice_at(Expansion& e, const ValueId& value, std::int64_t at, std::int64_t axis) {
  const ValueId index = e.constant(constant_of(ElementType::Int64, {}, std::array{at}));
  return e.add("Gather", {value, index}, {{"axis", axis}});
}

void if_node(Expansion& e) {
  const auto condition = e.view().integers(0, "condition");
  if (!condition) return e.refuse(condition.error().message);
  if (condition->size() != 1)
    return e.refuse("condition of shape " + to_text(e.shape(0)) + ", expected one element");
  const std::string name = (*condition)[0] != 0 ? "then_branch" : "else_branch";
  const Graph* branch = e.graph(name);
  if (branch == nullptr || !branch->inputs.empty())
    return e.refuse("expected a " + name + " without inputs");
  for (const ValueId& value : inline_graph(e, *branch, {}, prefix_of(e, name))) e.output(value);
}

/// A Loop after so many rounds: carried values follow the count and the condition, then come the
/// values that each round has given.
struct LoopState {
  const Graph* body = nullptr;
  std::size_t carried = 0, given = 0;  // values per round
  std::int64_t round = 0;

  std::size_t first_collected() const { return 2 + carried; }
};

Result<LoopState> loop_state(const Expansion& e) {
  LoopState state{.body = e.graph("body"), .round = e.integer("round", 0)};
  if (state.body == nullptr || state.body->inputs.size() < 2) return Error{"expected a body"};
  state.carried = state.body->inputs.size() - 2;
  if (state.body->outputs.size() < state.carried + 1)
    return Error{"the body gives " + std::to_string(state.body->outputs.size()) +
                 " values, expected a condition and all it carries"};
  state.given = state.body->outputs.size() - state.carried - 1;
  if (state.round < 0 || e.input_count() != state.first_collected() +
                                                static_cast<std::size_t>(state.round) * state.given)
    return Error{std::to_string(e.input_count()) + " inputs, expected " +
                 std::to_string(state.first_collected())};
  return state;
}

/// Whether another round runs; refuses when that is known only at run time.
Result<bool> goes_on(const NodeView& view, const LoopState& state) {
  if (view.has_input(0)) {
    const auto count = view.integers(0, "trip count");
    if (!count) return count.error();
    if (count->size() != 1) return Error{"expected one trip count"};
    if (state.round >= (*count)[0]) return false;
    if (const auto sound = verify_unrolled(*state.body, (*count)[0]); !sound) return sound.error();
  }
  if (const auto sound = verify_unrolled(*state.body, state.round + 1); !sound)
    return sound.error();
  if (!view.has_input(1)) return true;
  const auto condition = view.integers(1, "condition");
  if (!condition) return condition.error();
  return !condition->empty() && (*condition)[0] != 0;
}

void end_loop(Expansion& e, const LoopState& state) {
  for (std::size_t n = 0; n < state.carried; ++n) e.output(e.input(2 + n));
  if (state.given > 0 && state.round == 0)
    return e.refuse("no round runs, so that the shape of what rounds give is not known");
  for (std::size_t n = 0; n < state.given; ++n) {
    std::vector<ValueId> values;
    for (std::size_t at = state.first_collected() + n; at < e.input_count(); at += state.given)
      values.push_back(e.input(at));
    e.output(stacked(e, values, 0));
  }
}

/// One round and the rest of the Loop, which is looked at when the round's condition is known.
void loop(Expansion& e) {
  const auto state = loop_state(e);
  if (!state) return e.refuse(state.error().message);
  const auto is_on = goes_on(e, *state);
  if (!is_on) return e.refuse(is_on.error().message);
  if (!*is_on) return end_loop(e, *state);
  // names below the round's: the rest of the Loop has the outputs of this one
  const std::string prefix = prefix_of(e, "round_" + std::to_string(state->round));
  std::vector<ValueId> arguments = {prefix + "/round", prefix + "/condition"};
  e.constants.emplace(arguments[0], constant_of(ElementType::Int64, {}, std::array{state->round}));
  e.constants.emplace(arguments[1], constant_of(ElementType::Bool, {}, std::array{1.0}));
  for (std::size_t n = 0; n < state->carried; ++n) arguments.push_back(e.input(2 + n));
  const std::vector<ValueId> results = inline_graph(e, *state->body, arguments, prefix + "/body");
  Node rest = e.node();
  rest.attributes["round"] = state->round + 1;
  std::copy_n(results.begin(), 1 + state->carried, rest.inputs.begin() + 1);
  rest.inputs.insert(rest.inputs.end(),
                     results.begin() + 1 + static_cast<std::ptrdiff_t>(state->carried),
                     results.end());
  e.nodes.push_back(std::move(rest));
}

/// What a Scan walks along.
struct Walked {
  ValueId value;
  std::int64_t axis = 0;
  bool is_backwards = false;
};

struct Scanned {
  std::vector<ValueId> states;
  std::vector<std::vector<ValueId>> given;  // by output, a value per round
};

Scanned scan_rounds(Expansion& e, const Graph& body, std::vector<ValueId> states,
                    const std::vector<Walked>& walked, std::int64_t rounds,
                    const std::string& prefix) {
  Scanned out;
  out.given.resize(body.outputs.size() - states.size());
  for (std::int64_t round = 0; round < rounds; ++round) {
    std::vector<ValueId> arguments = states;
    for (const Walked& w : walked)
      arguments.push_back(
          slice_at(e, w.value, w.is_backwards ? rounds - 1 - round : round, w.axis));
    const auto results =
        inline_graph(e, body, arguments, prefix + "round_" + std::to_string(round));
    std::copy_n(results.begin(), states.size(), states.begin());
    for (std::size_t n = 0; n < out.given.size(); ++n)
      out.given[n].push_back(results[states.size() + n]);
  }
  out.states = std::move(states);
  return out;
}

/// One of a list of integers, by default 0.
std::int64_t entry(const NodeView& view, std::string_view name, std::size_t n) {
  const auto values = view.integers(name);
  return n < values.size() ? values[n] : 0;
}

/// The last `count` inputs of Scan, which are walked along; those from `first` on go to the body.
Result<std::vector<Walked>> walked_of(const NodeView& view, const Graph& body, std::size_t first,
                                      std::size_t count, std::string_view directions) {
  if (view.input_count() != body.inputs.size() + first || body.inputs.size() < count ||
      body.outputs.size() + count < body.inputs.size())
    return Error{"the body takes " + std::to_string(body.inputs.size()) + " values and gives " +
                 std::to_string(body.outputs.size()) + " for " +
                 std::to_string(view.input_count()) + " inputs"};
  std::vector<Walked> out;
  for (std::size_t n = 0; n < count; ++n)
    out.push_back({view.node().inputs[view.input_count() - count + n],
                   entry(view, "scan_input_axes", n), entry(view, directions, n) != 0});
  return out;
}

/// The extent of a walked input along its dimension.
Result<std::int64_t> rounds_of(const NodeView& view, std::size_t input, std::int64_t axis) {
  const auto dim = dimension(axis, view.shape(input).size());
  if (!dim) return dim.error();
  return view.shape(input)[*dim];
}

void output_given(Expansion& e, const Scanned& scanned) {
  for (std::size_t n = 0; n < scanned.given.size(); ++n) {
    std::vector<ValueId> values = scanned.given[n];
    if (entry(e, "scan_output_directions", n) != 0) std::ranges::reverse(values);
    e.output(stacked(e, values, entry(e, "scan_output_axes", n)));
  }
}

/// Version 8: after the lengths, all inputs and outputs have a first dimension of batches.
void scan_batches(Expansion& e, const Graph& body, std::size_t count) {
  if (e.has_input(0)) return e.refuse("sequence lengths are given, expected none");
  const auto walked = walked_of(e, body, 1, count, "directions");
  if (!walked) return e.refuse(walked.error().message);
  const std::size_t last = e.input_count() - 1;
  if (e.shape(last).size() < 2) return e.refuse("expected batches of sequences");
  const std::int64_t batches = e.shape(last)[0], rounds = e.shape(last)[1];
  if (const auto sound = verify_unrolled(body, batches * rounds); !sound)
    return e.refuse(sound.error().message);
  const std::size_t carried = e.input_count() - 1 - count;
  std::vector<std::vector<ValueId>> results(body.outputs.size());
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    std::vector<ValueId> states;
    for (std::size_t n = 0; n < carried; ++n)
      states.push_back(slice_at(e, e.input(1 + n), batch, 0));
    std::vector<Walked> inputs = *walked;
    for (Walked& w : inputs) w.value = slice_at(e, w.value, batch, 0);
    const Scanned scanned = scan_rounds(e, body, states, inputs, rounds,
                                        prefix_of(e, "batch_" + std::to_string(batch) + "/"));
    for (std::size_t n = 0; n < carried; ++n) results[n].push_back(scanned.states[n]);
    for (std::size_t n = 0; n < scanned.given.size(); ++n)
      results[carried + n].push_back(stacked(e, scanned.given[n], 0));
  }
  for (const auto& values : results) e.output(stacked(e, values, 0));
}

void scan(Expansion& e) {
  const Graph* body = e.graph("body");
  const auto count =
      static_cast<std::size_t>(std::max<std::int64_t>(0, e.integer("num_scan_inputs", 0)));
  if (body == nullptr || count == 0) return e.refuse("expected a body and inputs to scan");
  if (e.version() < 9) return scan_batches(e, *body, count);
  const auto walked = walked_of(e, *body, 0, count, "scan_input_directions");
  if (!walked) return e.refuse(walked.error().message);
  const std::size_t carried = e.input_count() - count;
  const auto rounds = rounds_of(e, carried, walked->front().axis);
  if (!rounds) return e.refuse(rounds.error().message);
  if (const auto sound = verify_unrolled(*body, *rounds); !sound)
    return e.refuse(sound.error().message);
  std::vector<ValueId> states;
  for (std::size_t n = 0; n < carried; ++n) states.push_back(e.input(n));
  const Scanned scanned = scan_rounds(e, *body, states, *walked, *rounds, prefix_of(e, ""));
  for (const ValueId& state : scanned.states) e.output(state);
  output_given(e, scanned);
}

constexpr Op list[] = {
    {"", "If", if_node},
    {"", "Loop", loop, 0},
    {"", "Scan", scan, 0},
};

}  // namespace

std::span<const Op> control_nodes() { return list; }

}  // namespace tessera::ops
