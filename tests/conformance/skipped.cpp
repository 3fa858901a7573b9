#include "conformance/skipped.h"

#include "base/text.h"

#include <fnmatch.h>

namespace tessera::conformance {

Result<void> SkipList::add(std::string_view text) {
  for (const std::string& line : split_lines(text)) {
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) return Error{"\"" + line + "\": expected PATTERN: REASON"};
    entries_.push_back({line.substr(0, colon), line.substr(colon + 2)});
  }
  return {};
}

const std::string* SkipList::find(const std::string& test) const {
  for (const Entry& entry : entries_)
    if (fnmatch(entry.pattern.c_str(), test.c_str(), 0) == 0) return &entry.reason;
  return nullptr;
}

}  // namespace tessera::conformance
