#include "learn/encoded.h"

#include "base/parallel_for.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tessera {

Result<Rows> encode(const ScheduleList& list, Encoding encoding, std::size_t threads) {
  std::vector<EstimatedSchedule> schedules;
  for (std::size_t n = 0; n < list.schedules.size(); ++n)
    schedules.push_back({&list.schedules[n], list.estimates[n]});
  Result<Rows> rows = ScheduleEncoder(list.task, encoding).encode(schedules, threads);
  if (!rows) return Error{"task " + list.name + ": " + rows.error().message};
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
