#pragma once

#include "cli/machine.h"

#include <string>
#include <vector>

namespace tessera {

/// One line of the doctor's report, and what to do about it; the advice is empty when all is well.
struct Finding {
  std::string name;
  std::string value;
  std::string advice;
  friend bool operator==(const Finding&, const Finding&) = default;
};

/// What a machine means for building, tuning and measuring, in a fixed order.
std::vector<Finding> examine(const Machine& machine);

}  // namespace tessera
