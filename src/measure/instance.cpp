#include "measure/instance.h"

#include "base/check.h"
#include "ir/text.h"

#include <map>
#include <new>
#include <optional>

namespace tessera {
namespace {

using Buffers = PackedOperands::Buffers;

/// Which operand a parameter is.
using OperandIndex = std::map<TensorId, std::size_t>;

/// Buffers of `params`: operands packed, outputs fresh. What programs write is theirs alone.
Buffers buffers_for(const std::vector<Param>& params, const OperandIndex& index,
                    PackedOperands& operands) {
  Buffers buffers;
  for (const Param& param : params) {
    const Placed& placed = param.placed;
    const auto found = index.find(placed.tensor.name);
    buffers.push_back(
        found != index.end()
            ? operands.packed(found->second, placed)
            : std::make_shared<const HostBuffer>(
                  placed.tensor.dtype, physical_size(placed.layout, placed.tensor.shape)));
  }
  return buffers;
}

std::vector<void*> pointers_to(const Buffers& buffers) {
  std::vector<void*> pointers;
  for (const auto& buffer : buffers) pointers.push_back(const_cast<void*>(buffer->data()));
  return pointers;
}

/// Runs the program that computes what depends on constants only.
Result<std::shared_ptr<const Buffers>> prepared(const Program& prepare, const Target& target,
                                                const Backend& backend, const OperandIndex& index,
                                                PackedOperands& operands) {
  std::optional<Error> refusal;
  auto buffers = operands.derived(to_text(prepare), [&] {
    const Result<std::unique_ptr<Kernel>> kernel = backend.compile(prepare, target);
    if (!kernel) {
      refusal = kernel.error();
      return Buffers();
    }
    Buffers made = buffers_for(prepare.params, index, operands);
    ThreadPool alone(1);
    (*kernel)->run(pointers_to(made), alone);
    return made;
  });
  if (refusal) return *refusal;
  return buffers;
}

}  // namespace

Result<Instance> Instance::make(const Program& scheduled, const Target& target,
                                const Backend& backend, std::span<const HostBuffer> operands) {
  PackedOperands packed(operands);
  return make(scheduled, target, backend, packed);
}

Result<Instance> Instance::make(const Program& scheduled, const Target& target,
                                const Backend& backend, PackedOperands& operands) try {
  Result<Lowered> lowered = lower(scheduled, target);
  if (!lowered) return lowered.error();
  OperandIndex index;
  for (const Param& param : scheduled.params)
    if (param.role != Role::Output) index.emplace(param.placed.tensor.name, index.size());
  check(index.size() <= operands.count(), "a buffer per operand");

  Instance out;
  out.params_ = lowered->main.params;
  std::map<TensorId, std::shared_ptr<const HostBuffer>> derived;
  if (lowered->prepare) {
    const auto buffers = prepared(*lowered->prepare, target, backend, index, operands);
    if (!buffers) return buffers.error();
    const std::vector<Param>& params = lowered->prepare->params;
    for (std::size_t n = 0; n < params.size(); ++n)
      if (params[n].role == Role::Output)
        derived.emplace(params[n].placed.tensor.name, (**buffers)[n]);
  }
  for (const Param& param : out.params_) {
    const auto found = derived.find(param.placed.tensor.name);
    out.buffers_.push_back(found != derived.end() ? found->second
                                                  : buffers_for({param}, index, operands).front());
  }
  const auto start = std::chrono::steady_clock::now();
  Result<std::unique_ptr<Kernel>> kernel = backend.compile(lowered->main, target);
  if (!kernel) return kernel.error();
  out.compile_time_ = std::chrono::steady_clock::now() - start;
  out.kernel_ = *std::move(kernel);
  out.pointers_ = pointers_to(out.buffers_);
  return out;
} catch (const std::bad_alloc&) {
  return Error{scheduled.name + ": its buffers take more memory than the system has"};
}

void Instance::evict_constants() const {
#if defined(__x86_64__)
  constexpr std::int64_t line_bytes = 64;
  constexpr std::int64_t cache_bytes = 32 << 20;  // more than that no cache has kept
  for (std::size_t n = 0; n < params_.size(); ++n) {
    if (params_[n].role != Role::Constant || buffers_[n]->size_bytes() > cache_bytes) continue;
    const auto* bytes = static_cast<const char*>(buffers_[n]->data());
    for (std::int64_t at = 0; at < buffers_[n]->size_bytes(); at += line_bytes)
      __builtin_ia32_clflush(bytes + at);
  }
  __builtin_ia32_mfence();
#endif
}

std::vector<HostBuffer> Instance::outputs() const {
  std::vector<HostBuffer> outputs;
  for (std::size_t n = 0; n < params_.size(); ++n)
    if (params_[n].role == Role::Output)
      outputs.push_back(
          unpack(*buffers_[n], params_[n].placed.tensor.shape, params_[n].placed.layout));
  return outputs;
}

Result<std::vector<HostBuffer>> random_operands(const Computation& computation, Rng& rng) try {
  std::vector<HostBuffer> operands;
  for (const Operand& operand : computation.operands) {
    operands.emplace_back(operand.tensor.dtype, element_count(operand.tensor.shape));
    fill_random(operands.back(), rng);
  }
  return operands;
} catch (const std::bad_alloc&) {
  return Error{computation.name + ": its operands take more memory than the system has"};
}

}  // namespace tessera
