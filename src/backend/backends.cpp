#include "backend/backend.h"

namespace tessera {

std::vector<std::unique_ptr<Backend>> backends() {
  std::vector<std::unique_ptr<Backend>> all;
  all.push_back(interpret_backend());
  all.push_back(llvm_backend());
  return all;
}

}  // namespace tessera
