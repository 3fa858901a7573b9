#include "model/statement_trees.h"

#include "base/check.h"
#include "base/file.h"
#include "model/trained_ranker.h"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

constexpr int tree_count = 300;
constexpr const char* version_fact = "tessera statements";

/// The outputs of each program's rows, summed, and the speed that was estimated.
std::vector<float> sums_of(const Rows& programs, std::span<const float> outputs) {
  std::vector<float> sums(programs.size());
  std::ranges::transform(programs.estimates, sums.begin(), [](float x) { return std::exp(x); });
  for (std::size_t n = 0; n < programs.size(); ++n)
    for (std::size_t row = programs.starts[n]; row < programs.starts[n + 1]; ++row)
      sums[n] += outputs[row];
  return sums;
}

}  // namespace

StatementTrees StatementTrees::grow(const Rows& programs, std::span<const float> labels,
                                    std::uint64_t seed, int threads) {
  check(labels.size() == programs.size(), "a label for each program");
  const BoosterRows rows(programs.values, programs.starts.back());
  const auto slopes = [&](std::span<const float> outputs, std::span<float> first,
                          std::span<float> second) {
    const std::vector<float> sums = sums_of(programs, outputs);
    for (std::size_t n = 0; n < programs.size(); ++n)
      for (std::size_t row = programs.starts[n]; row < programs.starts[n + 1]; ++row) {
        first[row] = 2 * (sums[n] - labels[n]);
        second[row] = 2;
      }
  };
  return StatementTrees(Booster(rows,
                                {{"tree_method", "hist"},
                                 {"base_score", "0"},
                                 {"max_depth", "6"},
                                 {"eta", "0.2"},
                                 {"gamma", "0.003"},
                                 {"min_child_weight", "2"},
                                 {"seed", std::to_string(seed % 1'000'000)},
                                 {"verbosity", "0"},
                                 {"nthread", std::to_string(threads)}},
                                tree_count, slopes));
}

std::vector<float> StatementTrees::score(const Rows& programs) const {
  if (programs.size() == 0) return {};
  return sums_of(programs, trees_.predict(BoosterRows(programs.values, programs.starts.back())));
}

Result<void> StatementTrees::write(const std::string& path,
                                   const std::map<std::string, std::string>& facts) {
  for (const auto& [name, value] : facts) trees_.set_fact(name, value);
  trees_.set_fact(version_fact, std::to_string(version_of(Encoding::Statements)));
  return write_file(path, trees_.to_bytes());
}

Result<StatementTrees> StatementTrees::read(const std::string& path) {
  const Result<std::string> bytes = read_file(path);
  if (!bytes) return bytes.error();
  Result<Booster> trees = Booster::parse(*bytes);
  if (!trees) return Error{path + ": " + trees.error().message};
  const std::string expected = std::to_string(version_of(Encoding::Statements));
  if (const std::string version = trees->fact(version_fact); version != expected)
    return Error{path + ": reads version " + (version.empty() ? "none" : version) +
                 " of statements, this program has " + expected};
  return StatementTrees(*std::move(trees));
}

}  // namespace tessera
