#include "support/interpreted.h"

#include "base/rng.h"
#include "ir/interpret.h"

#include <vector>

namespace tessera {
namespace {

std::optional<std::string> difference(const Result<Contents>& got, const Result<Contents>& want,
                                      const Tolerance& tolerance) {
  if (!want) return "expected a program that runs: " + want.error().message;
  if (!got) return got.error().message;
  for (const auto& [name, contents] : *want) {
    const auto found = got->find(name);
    if (found == got->end()) return "no output " + name;
    if (const Comparison result = compare(found->second, contents, tolerance); !result.equal)
      return "output " + name + " " + result.message;
  }
  return std::nullopt;
}

}  // namespace

Contents random_contents(const Program& program, std::uint64_t seed) {
  Contents contents;
  Rng rng(seed);
  for (const auto& [role, placed] : program.params) {
    if (role == Role::Output) continue;
    HostBuffer buffer(placed.tensor.dtype, element_count(placed.tensor.shape));
    fill_random(buffer, rng);
    contents.emplace(placed.tensor.name, std::move(buffer));
  }
  return contents;
}

Result<Contents> interpreted(const Program& program, const Contents& contents) {
  std::vector<HostBuffer> buffers;
  for (const auto& [role, placed] : program.params) {
    const auto& [tensor, memory, layout] = placed;
    const auto given = contents.find(tensor.name);
    if (role != Role::Output && given == contents.end())
      return Error{"no contents of " + tensor.name};
    buffers.push_back(role == Role::Output
                          ? HostBuffer(tensor.dtype, physical_size(layout, tensor.shape))
                          : pack(given->second, tensor.shape, layout));
  }
  std::vector<HostBuffer*> pointers;
  for (HostBuffer& buffer : buffers) pointers.push_back(&buffer);
  if (Result<void> run = interpret(program, pointers); !run) return run.error();
  Contents outputs;
  for (std::size_t n = 0; n < buffers.size(); ++n) {
    const auto& [tensor, memory, layout] = program.params[n].placed;
    if (program.params[n].role == Role::Output)
      outputs.emplace(tensor.name, unpack(buffers[n], tensor.shape, layout));
  }
  return outputs;
}

Result<Contents> interpreted(const Lowered& lowered, const Contents& contents) {
  if (!lowered.prepare) return interpreted(lowered.main, contents);
  Result<Contents> all = interpreted(*lowered.prepare, contents);
  if (!all) return all;
  for (const auto& [name, buffer] : contents) all->emplace(name, buffer.copy());
  return interpreted(lowered.main, *all);
}

std::optional<std::string> difference(const Program& got, const Program& want, std::uint64_t seed,
                                      const Tolerance& tolerance) {
  const Contents contents = random_contents(want, seed);
  return difference(interpreted(got, contents), interpreted(want, contents), tolerance);
}

std::optional<std::string> difference(const Lowered& got, const Program& want, std::uint64_t seed,
                                      const Tolerance& tolerance) {
  const Contents contents = random_contents(want, seed);
  return difference(interpreted(got, contents), interpreted(want, contents), tolerance);
}

}  // namespace tessera
