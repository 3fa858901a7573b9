#pragma once

#include <string>

namespace tessera {

/// `resnet50.tessera` for `zoo:resnet50` and for `models/resnet50.onnx`.
std::string default_output(const std::string& model);

}  // namespace tessera
