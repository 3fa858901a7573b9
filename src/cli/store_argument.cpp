#include "cli/store_argument.h"

#include <CLI/CLI.hpp>

#include <cstdlib>

namespace tessera {

std::string default_store_path() {
  constexpr const char* name = "/tessera/store.db";
  // A relative path there is to be ignored, says the standard of these folders.
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && data[0] == '/')
    return std::string(data) + name;
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] != '\0')
    return std::string(home) + "/.local/share" + name;
  return "";
}

void add_store_argument(CLI::App& verb, std::string& path) {
  path = default_store_path();
  verb.add_option("--db", path,
                  "The store; by default $XDG_DATA_HOME/tessera/store.db or "
                  "~/.local/share/tessera/store.db")
      ->type_name("FILE");
}

}  // namespace tessera
