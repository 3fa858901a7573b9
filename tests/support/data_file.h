#pragma once

#include <string>

namespace tessera {

/// The path of a file of tests/data.
std::string data_path(const std::string& name);

}  // namespace tessera
