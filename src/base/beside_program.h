#pragma once

#include <array>
#include <filesystem>
#include <string_view>

namespace tessera {

/// Where something that comes with this program may lie: beside it, or beside its folder.
std::array<std::filesystem::path, 2> beside_program(std::string_view name);

}  // namespace tessera
