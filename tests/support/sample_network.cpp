#include "support/sample_network.h"

#include "backend/backend.h"
#include "base/check.h"
#include "lower/lower.h"
#include "package/link.h"
#include "schedule/space.h"
#include "support/interpreted.h"
#include "support/small_tasks.h"

namespace tessera {
namespace {

template <typename T>
T value_of(Result<T> result) {
  check(result.has_value(), result ? "" : result.error().message);
  return *std::move(result);
}

Program lowered_layer(const Computation& computation, const std::string& name,
                      const Target& target) {
  const Schedule schedule = default_schedule({computation, target});
  Program program =
      value_of(lower(value_of(tessera::apply(schedule, to_program(computation))), target)).main;
  program.name = name;
  return program;
}

std::int64_t rounded_up(std::int64_t size) { return (size + 63) / 64 * 64; }

}  // namespace

SampleNetwork::SampleNetwork(const Target& made_for, const Sizes& sizes) : target(made_for) {
  plan.name = "sample";
  plan.inputs = {{"x", sizes.element, {sizes.rows, sizes.widths.front()}}};
  plan.outputs = {{"y", sizes.element, {sizes.rows, sizes.widths.back()}}};
  const std::size_t layers = sizes.widths.size() - 1;
  Rng rng(3);
  BufferPlace from{.where = BufferPlace::Where::Input};
  for (std::size_t n = 0; n < layers; ++n) {
    const Computation layer = matmul_relu(sizes.rows, sizes.widths[n + 1], sizes.widths[n]);
    const std::string name = "layer" + std::to_string(n);
    const Program program = lowered_layer(layer, name, target);
    ObjectCode object = value_of(llvm_backend()->object(program, target));
    objects.push_back(std::move(object.bytes));
    const auto& [tensor, memory, layout] = program.params.at(1).placed;
    fill_random(weights.emplace_back(DType::F32, element_count(tensor.shape)), rng);
    packed.push_back(pack(weights.back(), tensor.shape, layout));
    weight_offsets.push_back(plan.weights_bytes);
    const BufferPlace constant{.where = BufferPlace::Where::Weights, .offset = plan.weights_bytes};
    plan.weights_bytes += rounded_up(packed.back().size_bytes());
    BufferPlace to_next{.where = BufferPlace::Where::Arena, .offset = plan.arena_bytes};
    if (n + 1 == layers)
      to_next = {.where = BufferPlace::Where::Output};
    else
      plan.arena_bytes += rounded_up(sizes.rows * sizes.widths[n + 1] * 4);
    plan.kernels.push_back({name});
    plan.calls.push_back(
        {.kernel = static_cast<std::int64_t>(n),
         .buffers = {from, constant, to_next},
         .workspace = plan.arena_bytes,
         .title = "matmul_relu " + std::to_string(n),
         .flops = 2.0 * static_cast<double>(sizes.rows * sizes.widths[n] * sizes.widths[n + 1])});
    plan.arena_bytes += rounded_up(object.workspace_bytes);
    from = to_next;
  }
  code = value_of(link_objects(objects, target));
}

std::vector<WeightsPiece> SampleNetwork::pieces() const {
  std::vector<WeightsPiece> pieces;
  for (std::size_t n = 0; n < packed.size(); ++n)
    pieces.push_back({weight_offsets[n], std::as_bytes(packed[n].as<float>())});
  return pieces;
}

Result<void> SampleNetwork::write(const std::string& path) const {
  return write_package(path, plan, target, code, pieces());
}

HostBuffer SampleNetwork::interpreted(const HostBuffer& x) const {
  const std::int64_t rows = plan.inputs[0].shape[0];
  HostBuffer at = x.copy();
  for (const HostBuffer& weight : weights) {
    const std::int64_t inner = at.element_count() / rows;
    const Program program = to_program(matmul_relu(rows, weight.element_count() / inner, inner));
    Contents contents;
    contents.emplace("A", std::move(at));
    contents.emplace("B", weight.copy());
    at = std::move(value_of(tessera::interpreted(program, contents)).at("D"));
  }
  return at;
}

}  // namespace tessera
