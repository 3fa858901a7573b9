#pragma once

#include <string>

namespace tessera {

/// Where trained models lie: `weights` beside the program, or beside its folder.
std::string weights_folder();

}  // namespace tessera
