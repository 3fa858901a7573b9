#pragma once

#include "record/record.h"

#include <cstdint>
#include <string>

namespace tessera {

/// A task with a fingerprint of its own for each number.
TaskEntry sample_task(std::int64_t number);

/// A record of `sample_task(task)` that took `seconds`, all of whose fields say something.
Record sample_record(std::int64_t task, double seconds, const std::string& target = "x86-avx2");

/// One that crashed.
Record failed_record(std::int64_t task, const std::string& target = "x86-avx2");

}  // namespace tessera
