#include "runtime/manifest.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace tessera {
namespace {

constexpr std::int64_t largest_memory = std::int64_t{1} << 48;
constexpr std::int64_t alignment = 64;  // of buffers, as kernels expect it

Error refused(const std::string& subject, std::int64_t value, const std::string& expected) {
  return {"plan: " + subject + " " + std::to_string(value) + ", expected " + expected};
}

std::int64_t kernel_bytes(const Port& port) {
  return element_count(port.shape) * size_bytes(dtype_of(port.element));
}

/// That of a port, which may be without elements.
Result<void> verify_port_shape(Shape shape) {
  std::ranges::replace(shape, 0, 1);
  return verify(shape);
}

Result<void> verify_ports(const std::vector<Port>& ports, const std::string& kind) {
  std::int64_t sum_bytes = 0;
  for (const Port& port : ports) {
    if (const Result<void> shape = verify_port_shape(port.shape); !shape)
      return Error{"plan: " + kind + " '" + port.name + "': " + shape.error().message};
    sum_bytes += kernel_bytes(port);
    if (sum_bytes > largest_memory) return Error{"plan: " + kind + "s of more than 2^48 bytes"};
  }
  return {};
}

/// Size of the memory in which a buffer lies.
Result<std::int64_t> memory_bytes(const BufferPlace& place, const ExecutionPlan& plan) {
  if (place.where == BufferPlace::Where::Arena) return plan.arena_bytes;
  if (place.where == BufferPlace::Where::Weights) return plan.weights_bytes;
  const bool is_input = place.where == BufferPlace::Where::Input;
  const std::vector<Port>& ports = is_input ? plan.inputs : plan.outputs;
  const auto count = static_cast<std::int64_t>(ports.size());
  if (place.port < 0 || place.port >= count)
    return refused(is_input ? "input" : "output", place.port, "below " + std::to_string(count));
  return kernel_bytes(ports[static_cast<std::size_t>(place.port)]);
}

Result<void> verify_place(const BufferPlace& place, const ExecutionPlan& plan) {
  const Result<std::int64_t> room = memory_bytes(place, plan);
  if (!room) return room.error();
  if (place.offset < 0 || place.offset >= *room)
    return refused("buffer at", place.offset, "inside memory of " + std::to_string(*room));
  if (place.offset % alignment != 0) return refused("buffer at", place.offset, "a multiple of 64");
  return {};
}

Result<void> verify_call(const KernelCall& call, const ExecutionPlan& plan) {
  const auto kernels = static_cast<std::int64_t>(plan.kernels.size());
  if (call.kernel < 0 || call.kernel >= kernels)
    return refused("kernel", call.kernel, "below " + std::to_string(kernels));
  for (const auto& [name, amount] :
       {std::pair{"flops", call.flops}, {"traffic_bytes", call.traffic_bytes}})
    if (!std::isfinite(amount) || amount < 0)
      return Error{std::string("plan: ") + name + " " + std::to_string(amount) +
                   ", expected a finite number from 0"};
  if (call.workspace < 0 || call.workspace > plan.arena_bytes || call.workspace % 64 != 0)
    return refused("workspace", call.workspace, "a multiple of 64 in the arena");
  for (const BufferPlace& place : call.buffers)
    if (const Result<void> sound = verify_place(place, plan); !sound) return sound;
  return {};
}

Result<void> verify_outputs_are_named(const ExecutionPlan& plan) {
  std::set<std::int64_t> named;
  for (const KernelCall& call : plan.calls)
    for (const BufferPlace& place : call.buffers)
      if (place.where == BufferPlace::Where::Output) named.insert(place.port);
  for (std::size_t n = 0; n < plan.outputs.size(); ++n)
    if (element_count(plan.outputs[n].shape) > 0 && !named.contains(static_cast<std::int64_t>(n)))
      return Error{"plan: output '" + plan.outputs[n].name + "' is a buffer of no call"};
  return {};
}

}  // namespace

Result<void> verify(const ExecutionPlan& plan) {
  for (const auto& [name, size] :
       {std::pair{"arena_bytes", plan.arena_bytes}, {"weights_bytes", plan.weights_bytes}})
    if (size < 0 || size > largest_memory) return refused(name, size, "between 0 and 2^48");
  for (const KernelCode& kernel : plan.kernels)
    if (kernel.symbol.empty()) return Error{"plan: a kernel without a name"};
  if (Result<void> sound = verify_ports(plan.inputs, "input"); !sound) return sound;
  if (Result<void> sound = verify_ports(plan.outputs, "output"); !sound) return sound;
  for (const KernelCall& call : plan.calls)
    if (Result<void> sound = verify_call(call, plan); !sound)
      return Error{sound.error().message + " in call '" + call.title + "'"};
  return verify_outputs_are_named(plan);
}

}  // namespace tessera
