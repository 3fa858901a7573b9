#pragma once

#include "base/result.h"
#include "ir/program.h"
#include "runtime/thread_pool.h"
#include "target/target.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// A compiled Program. `run` may be called from several threads at once. Its code leaves memory
/// with it.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// One buffer per parameter of the program, in the parameter's physical layout, aligned to 64
  /// bytes.
  virtual void run(std::span<void* const> buffers, ThreadPool& pool) const = 0;
};

enum class CodeText : std::uint8_t { Llvm, Assembly };

/// Machine code that is not loaded yet.
struct ObjectCode {
  std::string bytes;  // a relocatable file
  std::int64_t workspace_bytes = 0;
};

/// Makes Kernels of lowered Programs. Knows no Schedule.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  /// Whether kernels for `target` can run on this machine now.
  virtual bool runs_here(const Target& target) const = 0;
  virtual Result<std::unique_ptr<Kernel>> compile(const Program& lowered,
                                                  const Target& target) const = 0;
  /// Defines `TesseraKernel <program name>` and, for its callers,
  /// `const int64_t <program name>_workspace_bytes`.
  virtual Result<ObjectCode> object(const Program& lowered, const Target& target) const = 0;
  virtual Result<std::string> code(const Program& lowered, const Target& target,
                                   CodeText text) const = 0;
};

/// Every backend of this build: `interpret`, then `llvm`.
std::vector<std::unique_ptr<Backend>> backends();
std::unique_ptr<Backend> interpret_backend();
std::unique_ptr<Backend> llvm_backend();

}  // namespace tessera
