#pragma once

#include "ir/program.h"
#include "tensor/host_buffer.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace tessera {

/// Operands of a computation in all the layouts that its programs want, each made once; programs
/// only read them. May be used from several threads.
class PackedOperands {
 public:
  /// Row-major, one per operand, in order; they must outlive this.
  explicit PackedOperands(std::span<const HostBuffer> operands) : operands_(operands) {}

  std::size_t count() const { return operands_.size(); }
  std::int64_t size_bytes();  // of what is kept
  std::shared_ptr<const HostBuffer> packed(std::size_t operand, const Placed& placed);

  using Buffers = std::vector<std::shared_ptr<const HostBuffer>>;
  /// What `make` gives, which depends on the operands and on the text of a program.
  std::shared_ptr<const Buffers> derived(const std::string& program,
                                         const std::function<Buffers()>& make);

 private:
  template <typename T>
  using Cache = std::map<std::string, std::shared_ptr<const T>>;
  void grow(std::int64_t bytes);

  std::span<const HostBuffer> operands_;
  std::mutex mutex_;
  std::int64_t size_bytes_ = 0;  // of what is kept
  Cache<HostBuffer> packed_;
  Cache<Buffers> derived_;
};

}  // namespace tessera
