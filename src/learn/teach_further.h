#pragma once

#include "learn/knowledge_base.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// What a base that knows some targets is to learn of others.
struct FurtherLecture {
  std::vector<std::string> targets;  // names, in this order
  double share = 1;                  // of the programs of each, which `pick_by_base` picks
  DistilOptions distil = {};
};

/// Learns target after target of a data set (`learn_platform`). Refuses targets of which the data
/// have nothing, or with other tokens than the base's, and is refused when stopped. `progress` is
/// told which target it is at.
Result<KnowledgeBase> teach_further(
    KnowledgeBase base, const Dataset& data, const FurtherLecture& lecture,
    const std::function<void(std::string_view target, std::string_view doing, double done)>&
        progress);

}  // namespace tessera
