#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace tessera::conformance {

/// Tests that are not expected to pass, each with its reason: lines `PATTERN: REASON`, in which `*`
/// stands for anything. `#` begins a comment.
class SkipList {
 public:
  Result<void> add(std::string_view text);

  /// The reason to skip the test; null when it is not listed.
  const std::string* find(const std::string& test) const;

 private:
  struct Entry {
    std::string pattern;
    std::string reason;
  };
  std::vector<Entry> entries_;
};

}  // namespace tessera::conformance
