#pragma once

#include "learn/dataset.h"
#include "model/trained_ranker.h"

#include <functional>
#include <span>
#include <vector>

namespace tessera {

/// A list as a Ranker reads it.
struct EncodedList {
  const ScheduleList* list = nullptr;
  Rows rows;
  std::vector<float> labels;
};

/// Some lists of a data set, in its order. Refuses schedules that no longer apply.
Result<std::vector<EncodedList>> encode(std::span<const ScheduleList* const> lists,
                                        Encoding encoding, std::size_t threads);

Result<Rows> encode(const ScheduleList& list, Encoding encoding, std::size_t threads = 1);

/// The largest magnitude of each column, 1 where all are 0: what divides it.
std::vector<float> scales_of(const std::vector<EncodedList>& lists);

}  // namespace tessera
