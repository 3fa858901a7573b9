#pragma once

#include "base/result.h"
#include "runtime/execution_plan.h"
#include "runtime/kernel_abi.h"
#include "runtime/manifest.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tessera {

/// A kernel of a package, ready to be called.
struct LoadedKernel {
  TesseraKernel entry = nullptr;
  std::int64_t workspace_bytes = 0;
};

/// A compiled network: one file with code, constants and the plan of how to run them. Constants are
/// mapped from the file, so that all sessions and processes that use it share them; it may be
/// replaced by renaming another file over it, but not be written to, while it is open.
///
/// A package is a program. What was damaged is refused; what was made with bad intent is not
/// recognised: open packages of people you trust.
class Package {
 public:
  /// Refuses with `PATH: reason` what is no package, is of another format, truncated or damaged,
  /// made for a machine unlike this one, or inconsistent in itself.
  static Result<std::shared_ptr<const Package>> open(const std::string& path);

  ~Package();
  Package(const Package&) = delete;
  Package& operator=(const Package&) = delete;

  const ExecutionPlan& plan() const;
  const Manifest& manifest() const;
  /// Aligned to 64 bytes, `plan().weights_bytes` of them.
  std::span<const std::byte> weights() const;
  /// One per entry of `plan().kernels`.
  std::span<const LoadedKernel> kernels() const;

 private:
  struct State;
  explicit Package(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// What a package says of itself. Nothing is loaded, so that packages for other machines can be
/// looked at. Refuses as `Package::open` does, the machine aside.
Result<Manifest> read_manifest(const std::string& path);

}  // namespace tessera
