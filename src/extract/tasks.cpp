#include "extract/tasks.h"

#include <map>

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

std::vector<NetworkTask> tasks_of(const Network& network, const Target& target) {
  std::vector<NetworkTask> tasks;
  std::map<Fingerprint, std::size_t> known;
  for (std::size_t n = 0; n < network.calls.size(); ++n) {
    Task task = task_of(network, network.calls[n], target);
    const auto [found, is_new] = known.emplace(fingerprint(task), tasks.size());
    if (is_new) tasks.push_back({std::move(task), {}});
    tasks[found->second].calls.push_back(n);
  }
  return tasks;
}

}  // namespace tessera
