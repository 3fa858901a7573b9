#include "extract/copy_outputs.h"

#include "base/check.h"
#include "ops/rearrange.h"

#include <set>

namespace tessera {

Call copy_call(const Network& network, const ValueId& from, const ValueId& to,
               const ValueType& type) {
  ComputationBuilder builder;
  const DType dtype = dtype_of(type.element);
  const bool is_constant = network.constants.contains(from);
  const TensorId x = is_constant ? builder.constant("x0", type.shape, dtype)
                                 : builder.input("x0", type.shape, dtype);
  builder.output(ops::copy(builder, x));
  const Result<Computation> computation = builder.finish("copy");
  check(computation.has_value(), "a copy of any value");
  return {.computation = *computation, .inputs = {from}, .outputs = {to}, .title = "copy"};
}

void copy_outputs(Network& network) {
  std::set<ValueId> made;
  for (const Call& call : network.calls) made.insert(call.outputs.begin(), call.outputs.end());
  std::set<ValueId> taken;
  for (NetworkOutput& output : network.outputs) {
    const ValueId& root = network.root_of(output.value);
    if (made.contains(root) && taken.insert(root).second) continue;
    const ValueId copy = output.value + "/copy";
    const ValueType type = network.types.at(output.value);
    if (element_count(type.shape) == 0) continue;
    network.calls.push_back(copy_call(network, output.value, copy, type));
    network.types[copy] = type;
    output.value = copy;
  }
}

}  // namespace tessera
