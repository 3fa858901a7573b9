#include "cli/peak.h"

#include "base/check.h"
#include "ir/text.h"

#include <fmt/format.h>

namespace tessera {
namespace {

// Sums that do not depend on each other: enough to hide the latency of two multiply-adds a cycle,
// few enough for 16 registers.
constexpr std::int64_t sums = 12;
constexpr std::int64_t rounds = 25'000;
constexpr std::int64_t parts_per_thread = 8;  // so that a thread that comes late takes fewer

constexpr std::string_view text = R"(program peak scheduled
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

}  // namespace

Peak make_peak(const Target& target, std::int64_t threads) {
  const std::int64_t parts = parts_per_thread * threads, lanes = target.f32_lanes();
  Result<Program> program =
      parse_program(fmt::format(text, fmt::arg("sums", sums), fmt::arg("lanes", lanes),
                                fmt::arg("parts", parts), fmt::arg("rounds", rounds)));
  check(program.has_value(), program ? "" : program.error().message);
  return {*std::move(program), 2.0 * static_cast<double>(parts * rounds * sums * lanes)};
}

}  // namespace tessera
