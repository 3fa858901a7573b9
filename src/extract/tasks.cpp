#include "extract/tasks.h"

namespace tessera {

Task task_of(const Network& network, const Call& call, const Target& target) {
  Task task{call.computation, target, {}};
  for (std::size_t n = 0; n < call.inputs.size(); ++n)
    if (const Operand& operand = call.computation.operands[n]; operand.role == Role::Input)
      task.layouts[operand.tensor.name] = network.layout_of(call.inputs[n]);
  for (std::size_t n = 0; n < call.outputs.size(); ++n)
    task.layouts[call.computation.outputs[n]] = network.layout_of(call.outputs[n]);
  return task;
}

}  // namespace tessera
