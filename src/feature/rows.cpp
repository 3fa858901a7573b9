#include "feature/rows.h"

#include <string_view>
#include <unordered_map>

namespace tessera {

DistinctRows distinct_rows(const Rows& programs, std::span<const std::size_t> rows) {
  const std::string_view bytes(reinterpret_cast<const char*>(programs.values.data()),
                               programs.values.size() * sizeof(float));
  const std::size_t row_bytes = programs.width * sizeof(float);
  DistinctRows distinct;
  std::unordered_map<std::string_view, std::size_t> known;
  for (const std::size_t row : rows) {
    const auto [found, is_new] =
        known.emplace(bytes.substr(row * row_bytes, row_bytes), distinct.rows.size());
    if (is_new) distinct.rows.push_back(row);
    distinct.of.push_back(found->second);
  }
  return distinct;
}

}  // namespace tessera
