#include "learn/encoded.h"

#include "base/parallel_for.h"
#include "feature/statement_features.h"
#include "feature/tokens.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tessera {

Result<Rows> encode(const ScheduleList& list, Encoding encoding) {
  Rows rows{.width = width_of(encoding)};
  if (encoding == Encoding::Tokens) {
    const TokenEncoder encoder(list.task);
    for (const Schedule& schedule : list.schedules) encoder.append(schedule, rows);
    return rows;
  }
  const Program plain = to_program(list.task.computation);
  for (const Schedule& schedule : list.schedules) {
    const Result<Program> program = tessera::apply(schedule, plain);
    if (!program) return Error{"task " + list.name + ": " + program.error().message};
    append_statements(list.task, *program, rows);
  }
  return rows;
}

Result<std::vector<EncodedList>> encode(std::span<const ScheduleList* const> lists,
                                        Encoding encoding, std::size_t threads) {
  std::vector<std::optional<Result<Rows>>> rows(lists.size());
  parallel_for(lists.size(), threads,
               [&](std::size_t n) { rows[n] = encode(*lists[n], encoding); });
  std::vector<EncodedList> encoded;
  for (std::size_t n = 0; n < lists.size(); ++n) {
    if (!*rows[n]) return rows[n]->error();
    encoded.push_back({lists[n], **std::move(rows[n]), lists[n]->labels()});
  }
  return encoded;
}

std::vector<float> scales_of(const std::vector<EncodedList>& lists) {
  std::vector<float> largest(lists.front().rows.width, 0);
  for (const EncodedList& list : lists)
    for (std::size_t n = 0; n < list.rows.values.size(); ++n) {
      float& column = largest[n % largest.size()];
      column = std::max(column, std::abs(list.rows.values[n]));
    }
  for (float& column : largest)
    if (column == 0) column = 1;
  return largest;
}

}  // namespace tessera
