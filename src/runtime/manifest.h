#pragma once

#include "base/result.h"
#include "runtime/execution_plan.h"
#include "target/target.h"

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// What a package says of itself.
struct Manifest {
  std::string tool;                   // name and version of what made it
  std::string target;                 // text of the Target it was made for
  Arch arch = Arch::X86;              // of its code
  std::vector<std::string> features;  // that its code needs, LLVM's names, "+avx2"
  ExecutionPlan plan;
  friend bool operator==(const Manifest&, const Manifest&) = default;
};

/// Checks that every number of a plan lies in the range that the others give it: kernels and ports
/// exist, places are aligned to 64 bytes and begin inside the memory they name, every output is
/// named by a call.
Result<void> verify(const ExecutionPlan& plan);

/// As JSON. Refuses names that are not UTF-8.
Result<std::string> to_json(const Manifest& manifest);
/// The inverse. Refuses what is no manifest and plans that `verify` refuses.
Result<Manifest> parse_manifest(std::string_view json);

}  // namespace tessera
