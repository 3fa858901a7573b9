#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// Where the trained models that came with the program lie: `weights` beside it, or beside its
/// folder.
std::string shipped_weights_folder();
/// Where `tessera adapt` puts those of this machine: `weights` beside the default store; empty when
/// there is no such place.
std::string adapted_weights_folder();
/// Where to look for a model: what was adapted to this machine comes first.
std::string weights_folder(std::string_view model);

}  // namespace tessera
