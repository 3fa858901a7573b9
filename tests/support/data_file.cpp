#include "support/data_file.h"

namespace tessera {

std::string data_path(const std::string& name) { return TESSERA_DATA_FOLDER "/" + name; }

}  // namespace tessera
