#pragma once

#include "base/result.h"
#include "feature/rows.h"
#include "model/booster.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Ansor's cost model (Zheng et al., OSDI 2020): boosted trees on statements, whose outputs are
/// summed over a program and added to its estimated speed; squared error of that and the program's
/// speed beside the best.
class StatementTrees {
 public:
  /// `labels` are in (0, 1], one for each program.
  static StatementTrees grow(const Rows& programs, std::span<const float> labels,
                             std::uint64_t seed, int threads);

  std::vector<float> score(const Rows& programs) const;
  std::size_t bytes() const { return trees_.to_bytes().size(); }

  /// The file appears whole or not at all. Refuse with `PATH: reason`; reading refuses files of
  /// other things, and of other versions of statements.
  Result<void> write(const std::string& path, const std::map<std::string, std::string>& facts);
  static Result<StatementTrees> read(const std::string& path);

 private:
  explicit StatementTrees(Booster trees) : trees_(std::move(trees)) {}
  Booster trees_;
};

}  // namespace tessera
