#pragma once

#include "learn/knowledge_base.h"
#include "pick/program_pool.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace tessera {

/// Programs as a model sees them, for a Picker to choose from.
struct SeenPrograms {
  ProgramPool pool;
  std::vector<Points> features;  // of each list, what the model's last layer sees
};

/// The programs of each task as a base sees them; nothing is measured yet. Refuses weights that are
/// not of the base's shape.
Result<SeenPrograms> seen_by(const KnowledgeBase& base, std::span<const Rows* const> lists,
                             std::size_t threads);

/// From now on programs have the votes of a committee on their features, which has learned from
/// what is measured; without two measured programs of any task nothing changes. `labels_of` gives
/// those of a list, of which only those of measured programs count.
void let_vote(SeenPrograms& seen,
              const std::function<std::vector<float>(std::size_t list)>& labels_of, Rng& rng);

/// Programs of a platform's pool that are worth measuring, such a share in all: `rdu` picks them in
/// five rounds, each with the votes of what was measured before.
Result<Measured> pick_by_base(const KnowledgeBase& base, const Platform& platform, double share,
                              const DistilOptions& options);

}  // namespace tessera
