#include "cli/weights_folder.h"

#include "base/beside_program.h"

namespace tessera {

std::string weights_folder() {
  const auto [beside, above] = beside_program("weights");
  std::error_code unknown;
  return std::filesystem::exists(beside, unknown) ? beside.string() : above.string();
}

}  // namespace tessera
