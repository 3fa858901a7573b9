#pragma once

#include "backend/backend.h"
#include "base/result.h"

#include <memory>
#include <string>

namespace tessera::codegen {

/// Links object files into this process.
class Jit {
 public:
  Jit();
  ~Jit();

  /// The kernel `name` of `object`. It keeps the Jit alive.
  static Result<std::unique_ptr<Kernel>> link(const std::shared_ptr<Jit>& jit, std::string object,
                                              const std::string& name,
                                              std::int64_t workspace_bytes);

  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace tessera::codegen
