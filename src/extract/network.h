#pragma once

#include "graph/graph.h"
#include "ir/computation.h"
#include "tensor/layout.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// A Computation applied to values of a network: its operands are `inputs` and its outputs
/// `outputs`, each in order.
struct Call {
  Computation computation;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::string title;  // the nodes it is made of
  /// The axis along which its inputs, one behind the other, are its output; those before have one
  /// element.
  std::optional<std::size_t> joins = {};
};

/// Where a value lies inside another: from `begin` on along `axis`.
struct Part {
  ValueId whole;
  std::size_t axis = 0;
  std::int64_t begin = 0;
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
  /// Values that lie inside another one: what a call writes there, or a piece that others read.
  std::map<ValueId, Part> parts = {};
  /// Of values that are not row-major.
  std::map<ValueId, Layout> layouts;

  /// The value that `value` is a view of, through any number of views.
  const ValueId& root_of(const ValueId& value) const;
  /// The value that `value` is a part of, through any number of parts.
  const ValueId& whole_of(const ValueId& value) const;
  /// The value in whose memory another lies, and how many bytes behind its start.
  std::pair<ValueId, std::int64_t> holder_of(const ValueId& value) const;
  /// Of a value, of what it is a view of or a part of.
  Layout layout_of(const ValueId& value) const;
  /// Elements in memory before the part begins.
  std::int64_t offset_of(const Part& part) const;
};

/// One line per call.
std::string to_text(const Network& network);

}  // namespace tessera
