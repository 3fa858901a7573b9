#pragma once

#include "target/target.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// Something that is not needed to build or run, and what it is good for.
struct Extra {
  std::string name;
  std::string package;  // Debian's
  std::string use;
  bool is_present = false;
  friend bool operator==(const Extra&, const Extra&) = default;
};

/// What can be found out about this machine without measuring.
struct Machine {
  std::string cpu;  // the vendor's name for it
  Target host;
  std::int64_t usable_cores = 1;
  std::int64_t present_cores = 1;
  std::optional<double> load;           // mean of runnable threads over the last minute
  std::optional<std::string> governor;  // of the clock; virtual machines do not tell
  std::optional<std::int64_t> memory_bytes;
  std::optional<std::int64_t> available_bytes;
  std::vector<Extra> extras;
};

Machine inspect_machine();

}  // namespace tessera
