#include "cli/weights_folder.h"

#include "base/beside_program.h"
#include "cli/store_argument.h"
#include "model/trained_model.h"

#include <filesystem>

namespace tessera {

std::string shipped_weights_folder() {
  const auto [beside, above] = beside_program("weights");
  std::error_code unknown;
  return std::filesystem::exists(beside, unknown) ? beside.string() : above.string();
}

std::string adapted_weights_folder() {
  const std::string store = default_store_path();
  if (store.empty()) return "";
  return (std::filesystem::path(store).parent_path() / "weights").string();
}

std::string weights_folder(std::string_view model) {
  const std::string adapted = adapted_weights_folder();
  std::error_code unknown;
  const bool is_adapted =
      !adapted.empty() && std::filesystem::exists(adapted + "/" + file_of_trained(model), unknown);
  return is_adapted ? adapted : shipped_weights_folder();
}

}  // namespace tessera
