#include "base/text.h"
#include "schedule/step.h"
#include "schedule/tree.h"

namespace tessera {

Result<Program> apply(const ChooseLayout& step, const Program& program) {
  const std::string subject = "layout " + step.tensor + ": ";
  const Placed* placed = find_placed(program, step.tensor);
  if (placed == nullptr) return Error{subject + "no such tensor"};
  if (const auto fits = verify(step.layout, placed->tensor.shape); !fits)
    return Error{subject + fits.error().message};
  if (!step.layout.halo.empty() && placed->memory != Memory::Global)
    return Error{subject + "only a global tensor can have a halo"};
  return with_placed(program, step.tensor, [&](Placed p) {
    p.layout = step.layout;
    return p;
  });
}

}  // namespace tessera
