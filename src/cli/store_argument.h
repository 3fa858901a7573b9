#pragma once

#include <string>

namespace CLI {
class App;
}

namespace tessera {

/// `$XDG_DATA_HOME/tessera/store.db`, else `$HOME/.local/share/tessera/store.db`; empty when
/// neither is set.
std::string default_store_path();

/// `--db FILE`, by default that one.
void add_store_argument(CLI::App& verb, std::string& path);

}  // namespace tessera
