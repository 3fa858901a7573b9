#pragma once

#include "tensor/element_type.h"
#include "tensor/tensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

/// An input or output of a network as its caller sees it: row-major, packed.
struct Port {
  std::string name;
  ElementType element = ElementType::Float;
  Shape shape;
  friend bool operator==(const Port&, const Port&) = default;
};

/// Where a kernel finds one of its buffers.
///   Arena    `offset` bytes into the memory of the session
///   Weights  `offset` bytes into the constants of the package
///   Input    the caller's input number `port`, in the dtype of its element type
///   Output   the caller's output number `port`, likewise
struct BufferPlace {
  enum class Where : std::uint8_t { Arena, Weights, Input, Output };
  Where where = Where::Arena;
  std::int64_t port = 0;
  std::int64_t offset = 0;
  friend bool operator==(const BufferPlace&, const BufferPlace&) = default;
};

/// A kernel in the package's code.
struct KernelCode {
  std::string symbol;
  std::string schedule = {};  // the text of what made it, for profiles
  friend bool operator==(const KernelCode&, const KernelCode&) = default;
};

/// One kernel called with its buffers.
struct KernelCall {
  std::int64_t kernel = 0;  // index into `ExecutionPlan::kernels`
  std::vector<BufferPlace> buffers;
  std::int64_t workspace = 0;  // where in the arena the kernel may write while it runs
  std::string title;           // of what it computes, for profiles
  double flops = 0;
  double traffic_bytes = 0;  // of all it reads and writes, each byte once
  friend bool operator==(const KernelCall&, const KernelCall&) = default;
};

/// What a package does when it runs: calls in order, nothing decided and nothing allocated at run
/// time. The arena holds zero when a session starts.
struct ExecutionPlan {
  std::string name;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<KernelCode> kernels;
  std::vector<KernelCall> calls;
  std::int64_t arena_bytes = 0;
  std::int64_t weights_bytes = 0;
  friend bool operator==(const ExecutionPlan&, const ExecutionPlan&) = default;
};

/// One line per port and call.
std::string to_text(const ExecutionPlan& plan);

}  // namespace tessera
