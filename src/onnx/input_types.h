#pragma once

#include "base/result.h"
#include "graph/graph.h"

#include <map>
#include <onnx/onnx_pb.h>
#include <string>
#include <vector>

namespace tessera {

struct InputTypes {
  std::vector<GraphInput> inputs;
  std::vector<std::string> notices;
};

/// The inputs with the types that the model gives them and the dimensions it leaves open filled in:
/// from `shapes`, from a dimension of the same name elsewhere, or as 1 when it is the first.
Result<InputTypes> input_types(const std::vector<const onnx::ValueInfoProto*>& messages,
                               const std::map<std::string, Shape>& shapes);

}  // namespace tessera
