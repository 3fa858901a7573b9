#include "extract/join_parts.h"

#include "extract/copy_outputs.h"

#include <algorithm>
#include <set>

namespace tessera {
namespace {

class Joining {
 public:
  Joining(Network& network, const Target& target) : network_(network), target_(target) {
    for (const Call& call : network.calls) made_.insert(call.outputs.begin(), call.outputs.end());
    for (const NetworkOutput& output : network.outputs)
      leaving_.insert(network.root_of(output.value));
  }

  void run() {
    std::vector<Call> calls;
    for (Call& call : network_.calls) {
      const std::vector<Part> places = call.joins ? places_in(call) : std::vector<Part>();
      if (places.empty() || !std::all_of(places.begin(), places.end(),
                                         [&](const Part& place) { return is_aligned(place); })) {
        calls.push_back(std::move(call));
        continue;
      }
      for (std::size_t n = 0; n < places.size(); ++n) {
        const ValueId value = call.inputs[n];
        network_.parts[may_move(value, places[n]) ? value : copied(calls, value, places[n])] =
            places[n];
      }
    }
    network_.calls = std::move(calls);
  }

 private:
  std::vector<Part> places_in(const Call& call) const {
    std::vector<Part> places;
    std::int64_t begin = 0;
    for (const ValueId& value : call.inputs) {
      places.push_back({call.outputs.front(), *call.joins, begin});
      begin += network_.types.at(value).shape[*call.joins];
    }
    return places;
  }

  bool is_aligned(const Part& place) const {
    const ValueType& type = network_.types.at(place.whole);
    const std::int64_t bytes = network_.offset_of(place) * size_bytes(dtype_of(type.element));
    return bytes % (network_.layouts.contains(place.whole) ? target_.f32_lanes() * 4 : 64) == 0;
  }

  bool may_move(const ValueId& value, const Part& place) const {
    return made_.contains(value) && !leaving_.contains(value) && !network_.parts.contains(value) &&
           network_.layout_of(value) == network_.layout_of(place.whole);
  }

  ValueId copied(std::vector<Call>& calls, const ValueId& value, const Part& place) {
    const ValueId copy = value + "/part " + std::to_string(place.begin) + " of " + place.whole;
    const ValueType type = network_.types.at(value);
    network_.types[copy] = type;
    network_.layouts[copy] = network_.layout_of(place.whole);
    calls.push_back(copy_call(network_, value, copy, type));
    return copy;
  }

  Network& network_;
  const Target& target_;
  std::set<ValueId> made_, leaving_;
};

}  // namespace

void join_parts(Network& network, const Target& target) { Joining(network, target).run(); }

}  // namespace tessera
