#pragma once

#include "base/result.h"
#include "graph/graph.h"

#include <functional>
#include <onnx/onnx_pb.h>

namespace tessera {

using ReadTensor = std::function<Result<Constant>(const onnx::TensorProto&)>;
using ReadGraph = std::function<Result<Graph>(const onnx::GraphProto&)>;

/// The value of an attribute that is no reference. Refuses one that holds something else than its
/// type says, and kinds that are not supported.
Result<Attribute> read_attribute(const onnx::AttributeProto& message, const ReadTensor& read_tensor,
                                 const ReadGraph& read_graph);

/// Refuses attributes of another kind than ONNX gives those of their name.
Result<void> verify_attributes(const Node& node);

}  // namespace tessera
