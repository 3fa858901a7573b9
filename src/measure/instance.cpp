#include "measure/instance.h"

#include "base/check.h"

#include <map>
#include <new>

namespace tessera {
namespace {

HostBuffer buffer_for(const Placed& placed) {
  return {placed.tensor.dtype, physical_size(placed.layout, placed.tensor.shape)};
}

/// Buffers of `params`: taken from `given` by name, which packs them, or fresh.
std::vector<HostBuffer> buffers_for(const std::vector<Param>& params,
                                    const std::map<TensorId, const HostBuffer*>& given) {
  std::vector<HostBuffer> buffers;
  for (const Param& param : params) {
    const auto found = given.find(param.placed.tensor.name);
    if (found == given.end())
      buffers.push_back(buffer_for(param.placed));
    else
      buffers.push_back(pack(*found->second, param.placed.tensor.shape, param.placed.layout));
  }
  return buffers;
}

std::vector<void*> pointers_to(std::vector<HostBuffer>& buffers) {
  std::vector<void*> pointers;
  for (HostBuffer& buffer : buffers) pointers.push_back(buffer.data());
  return pointers;
}

}  // namespace

Result<Instance> Instance::make(const Program& scheduled, const Target& target,
                                const Backend& backend, std::span<const HostBuffer> operands) try {
  Result<Lowered> lowered = lower(scheduled, target);
  if (!lowered) return lowered.error();
  std::map<TensorId, const HostBuffer*> given;
  for (const Param& param : scheduled.params)
    if (param.role != Role::Output) {
      check(given.size() < operands.size(), "a buffer per operand");
      given.emplace(param.placed.tensor.name, &operands[given.size()]);
    }

  Instance out;
  out.params_ = lowered->main.params;
  out.buffers_ = buffers_for(out.params_, given);
  if (lowered->prepare) {
    const Result<std::unique_ptr<Kernel>> prepare = backend.compile(*lowered->prepare, target);
    if (!prepare) return prepare.error();
    const std::vector<Param>& params = lowered->prepare->params;
    std::vector<HostBuffer> buffers = buffers_for(params, given);
    ThreadPool alone(1);
    (*prepare)->run(pointers_to(buffers), alone);
    for (std::size_t n = 0; n < params.size(); ++n)
      for (std::size_t m = 0; m < out.params_.size(); ++m)
        if (params[n].role == Role::Output &&
            params[n].placed.tensor == out.params_[m].placed.tensor)
          out.buffers_[m] = std::move(buffers[n]);
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

std::vector<HostBuffer> Instance::outputs() const {
  std::vector<HostBuffer> outputs;
  for (std::size_t n = 0; n < params_.size(); ++n)
    if (params_[n].role == Role::Output)
      outputs.push_back(
          unpack(buffers_[n], params_[n].placed.tensor.shape, params_[n].placed.layout));
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
