#pragma once

#include "base/result.h"
#include "cli/model_argument.h"
#include "target/target.h"

#include <string>

namespace tessera {

/// Whether it is one by its name: `zoo:NAME`, `X.onnx` or `X.tessera`.
bool is_network(const ModelArgument& argument);

/// The stations of a network's way to a package, in order, as `show` calls them.
std::string network_emits();

/// The text of one of them. A package has its plan only.
Result<std::string> network_text(const ModelArgument& argument, const std::string& emit,
                                 const Target& target);

}  // namespace tessera
