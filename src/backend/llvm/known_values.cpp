#include "backend/llvm/known_values.h"

#include <algorithm>

namespace tessera::codegen {

llvm::Value* KnownValues::find(const Slot& slot, const Index& offset, std::int64_t lanes,
                               llvm::Value* guard) const {
  const auto groups = slots_.find(&slot);
  if (groups == slots_.end()) return nullptr;
  const auto group = groups->second.find(offset.terms);
  if (group == groups->second.end()) return nullptr;
  const auto found = group->second.find({offset.constant, lanes, guard});
  return found == group->second.end() ? nullptr : found->second;
}

void KnownValues::add(const Slot& slot, const Index& offset, std::int64_t lanes, llvm::Value* guard,
                      llvm::Value* value) {
  slots_[&slot][offset.terms][{offset.constant, lanes, guard}] = value;
  most_lanes_ = std::max(most_lanes_, lanes);
}

void KnownValues::overwrite(const Slot& slot, const Index& offset, std::int64_t lanes) {
  const auto found = slots_.find(&slot);
  if (found == slots_.end()) return;
  auto& groups = found->second;
  std::erase_if(groups, [&](const auto& item) { return item.first != offset.terms; });
  if (groups.empty()) return;
  Group& group = groups.begin()->second;
  const std::int64_t begin = offset.constant, end = begin + std::max<std::int64_t>(lanes, 1);
  auto entry = group.lower_bound({begin - most_lanes_ + 1, 0, nullptr});
  while (entry != group.end() && std::get<0>(entry->first) < end) {
    const auto [at, width, guard] = entry->first;
    entry = at + std::max<std::int64_t>(width, 1) > begin ? group.erase(entry) : std::next(entry);
  }
}

}  // namespace tessera::codegen
