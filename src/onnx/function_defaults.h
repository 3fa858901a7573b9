#pragma once

#include "onnx/attribute_message.h"

#include <map>
#include <string>

namespace tessera {

/// The attributes that a function has when its caller gives none.
Result<std::map<std::string, Attribute>> function_defaults(const onnx::FunctionProto& function,
                                                           const ReadTensor& read_tensor);

}  // namespace tessera
