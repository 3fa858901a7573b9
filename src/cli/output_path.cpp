#include "cli/output_path.h"

#include <filesystem>

namespace tessera {

std::string default_output(const std::string& model) {
  const std::size_t colon = model.find(':');
  const std::filesystem::path path = colon == std::string::npos ? model : model.substr(colon + 1);
  return path.stem().string() + ".tessera";
}

}  // namespace tessera
