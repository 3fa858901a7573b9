#include "cli/peak.h"

#include "base/check.h"
#include "ir/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

// Sums that do not depend on each other: enough to hide the latency of two multiply-adds a cycle,
// few enough for 16 registers.
constexpr std::int64_t sums = 12;
constexpr std::int64_t peak_rounds = 25'000;
constexpr std::int64_t parts_per_thread = 8;  // so that a thread that comes late takes fewer

constexpr std::string_view peak_text = R"(program peak scheduled
input start f32[{sums}, {lanes}] layout [0 1]
input factor f32[1] layout [0]
input term f32[1] layout [0]
output end f32[{parts}, {sums}, {lanes}] layout [0 1 2]
body
for part in {parts} parallel {{
  alloc sum f32[{sums}, {lanes}] register layout [0 1] {{
    for start.i in {sums} unroll {{
      for start.j in {lanes} vector {lanes} {{
        sum[start.i, start.j] = start[start.i, start.j]
      }}
    }}
    for round in {rounds} {{
      for i in {sums} unroll {{
        for j in {lanes} vector {lanes} {{
          sum[i, j] = sum[i, j] * factor[0] + term[0]
        }}
      }}
    }}
    for end.i in {sums} unroll {{
      for end.j in {lanes} vector {lanes} {{
        end[part, end.i, end.j] = sum[end.i, end.j]
      }}
    }}
  }}
}}
)";

constexpr std::string_view stream_text = R"(program stream scheduled
input data f32[{parts}, {rounds}, {sums}, {lanes}] layout [0 1 2 3]
output end f32[{parts}, {sums}, {lanes}] layout [0 1 2]
body
for part in {parts} parallel {{
  alloc sum f32[{sums}, {lanes}] register layout [0 1] {{
    for start.i in {sums} unroll {{
      for start.j in {lanes} vector {lanes} {{
        sum[start.i, start.j] = 0.0
      }}
    }}
    for round in {rounds} {{
      for i in {sums} unroll {{
        for j in {lanes} vector {lanes} {{
          sum[i, j] = sum[i, j] + data[part, round, i, j]
        }}
      }}
    }}
    for end.i in {sums} unroll {{
      for end.j in {lanes} vector {lanes} {{
        end[part, end.i, end.j] = sum[end.i, end.j]
      }}
    }}
  }}
}}
)";

Program filled_in(std::string_view text, std::int64_t parts, std::int64_t rounds,
                  std::int64_t lanes) {
  Result<Program> program = parse_program(
      fmt::format(fmt::runtime(text), fmt::arg("sums", sums), fmt::arg("lanes", lanes),
                  fmt::arg("parts", parts), fmt::arg("rounds", rounds)));
  check(program.has_value(), program ? "" : program.error().message);
  return *std::move(program);
}

}  // namespace

Peak make_peak(const Target& target, std::int64_t threads) {
  const std::int64_t parts = parts_per_thread * threads, lanes = target.f32_lanes();
  return {filled_in(peak_text, parts, peak_rounds, lanes),
          2.0 * static_cast<double>(parts * peak_rounds * sums * lanes)};
}

Stream make_stream(const Target& target, std::int64_t threads, std::int64_t size_bytes) {
  const std::int64_t parts = parts_per_thread * threads, lanes = target.f32_lanes();
  const std::int64_t round_bytes = parts * sums * lanes * std::int64_t{sizeof(float)};
  const std::int64_t rounds = std::max<std::int64_t>(1, size_bytes / round_bytes);
  return {filled_in(stream_text, parts, rounds, lanes), static_cast<double>(rounds * round_bytes)};
}

Instance make_instance(const Program& program, const Target& target, const Backend& backend) {
  std::vector<HostBuffer> operands;
  Rng rng(1);
  for (const Param& param : program.params)
    if (param.role != Role::Output)
      fill_random(operands.emplace_back(DType::F32, element_count(param.placed.tensor.shape)), rng);
  Result<Instance> instance = Instance::make(program, target, backend, operands);
  check(instance.has_value(), instance ? "" : instance.error().message);
  return *std::move(instance);
}

}  // namespace tessera
