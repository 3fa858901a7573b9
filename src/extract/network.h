#pragma once

#include "graph/graph.h"
#include "ir/computation.h"
#include "tensor/layout.h"

#include <map>
#include <string>
#include <vector>

namespace tessera {

/// A Computation applied to values of a network: its operands are `inputs` and its outputs
/// `outputs`, each in order.
struct Call {
  Computation computation;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::string title;  // the nodes it is made of
};

struct NetworkOutput {
  std::string name;
  ValueId value;
};

/// A Graph as calls of Computations, in the order in which they run.
struct Network {
  std::string name;
  std::vector<GraphInput> inputs;
  std::vector<NetworkOutput> outputs;
  std::map<ValueId, Constant> constants;
  std::map<ValueId, ValueType> types;
  std::vector<Call> calls;
  /// Values that are another value in another shape: the same elements in row-major order.
  std::map<ValueId, ValueId> views;
  /// Of values that are not row-major.
  std::map<ValueId, Layout> layouts;

  /// The value whose memory `value` has: what it is a view of, through any number of views.
  const ValueId& root_of(const ValueId& value) const;
};

/// One line per call.
std::string to_text(const Network& network);

}  // namespace tessera
