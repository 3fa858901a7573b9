#pragma once

#include "backend/backend.h"
#include "base/result.h"
#include "lower/lower.h"
#include "measure/packed_operands.h"
#include "tensor/host_buffer.h"

#include <chrono>
#include <memory>
#include <span>
#include <vector>

namespace tessera {

/// A compiled program with its buffers: operands packed into the layouts that the program chose,
/// constants that it derives computed, outputs ready. Runs over and over.
class Instance {
 public:
  /// `operands`, row-major, one per input and constant of the program, in order. Refuses buffers
  /// that the system has no memory for.
  static Result<Instance> make(const Program& scheduled, const Target& target,
                               const Backend& backend, std::span<const HostBuffer> operands);
  /// Likewise, with operands that other instances share.
  static Result<Instance> make(const Program& scheduled, const Target& target,
                               const Backend& backend, PackedOperands& operands);

  void run(ThreadPool& pool) const { kernel_->run(pointers_, pool); }

  /// Takes constants out of the caches, where the machine lets a program do that and they fit in
  /// one.
  void evict_constants() const;

  /// The outputs of the last run, row-major, in order.
  std::vector<HostBuffer> outputs() const;
  /// Time that making the main kernel's code took, lowering excluded.
  std::chrono::nanoseconds compile_time() const { return compile_time_; }

 private:
  Instance() = default;

  std::vector<Param> params_;
  std::vector<std::shared_ptr<const HostBuffer>> buffers_;  // one per parameter
  std::vector<void*> pointers_;
  std::unique_ptr<Kernel> kernel_;
  std::chrono::nanoseconds compile_time_{};
};

/// Reproducible contents for every operand of a computation; refused when the system has no memory
/// for them.
Result<std::vector<HostBuffer>> random_operands(const Computation& computation, Rng& rng);

}  // namespace tessera
