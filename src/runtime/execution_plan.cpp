#include "runtime/execution_plan.h"

#include "base/text.h"

namespace tessera {
namespace {

std::string text_of(const std::string& kind, const std::vector<Port>& ports) {
  std::string text;
  for (const Port& port : ports)
    text += kind + " " + port.name + " " + std::string(to_text(port.element)) +
            to_text(port.shape) + "\n";
  return text;
}

std::string text_of(const BufferPlace& place, const ExecutionPlan& plan) {
  const auto in_port = [&](const std::vector<Port>& ports) {
    const std::string& name = ports[static_cast<std::size_t>(place.port)].name;
    return place.offset == 0 ? name : name + "+" + std::to_string(place.offset);
  };
  switch (place.where) {
    case BufferPlace::Where::Arena:
      return "arena+" + std::to_string(place.offset);
    case BufferPlace::Where::Weights:
      return "weights+" + std::to_string(place.offset);
    case BufferPlace::Where::Input:
      return in_port(plan.inputs);
    case BufferPlace::Where::Output:
      return in_port(plan.outputs);
  }
  return "";
}

std::string text_of(const KernelCall& call, const ExecutionPlan& plan) {
  std::string buffers;
  for (const BufferPlace& place : call.buffers)
    buffers += (buffers.empty() ? "" : ", ") + text_of(place, plan);
  return plan.kernels[static_cast<std::size_t>(call.kernel)].symbol + "(" + buffers + ")  # " +
         call.title + "\n";
}

}  // namespace

std::string to_text(const ExecutionPlan& plan) {
  std::string text = "plan " + plan.name + "\n" + text_of("input", plan.inputs) +
                     text_of("output", plan.outputs) + "arena " + std::to_string(plan.arena_bytes) +
                     " bytes\nweights " + std::to_string(plan.weights_bytes) + " bytes\n";
  for (const KernelCall& call : plan.calls) text += text_of(call, plan);
  return text;
}

}  // namespace tessera
