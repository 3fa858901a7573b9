#include "peak/region.h"

#include <algorithm>
#include <span>
#include <vector>

namespace tessera::bench {

std::string Region::answer(const Choices& choices) const {
  const std::vector<NamedChoice> names = space_.completed(choices, {}).names;
  const auto found = std::ranges::find(names, restriction_.decision, &NamedChoice::question);
  return found == names.end() ? restriction_.unasked : found->option;
}

bool Region::contains(const Choices& choices) const { return restriction_.admits(answer(choices)); }

std::optional<Choices> Region::draw(Rng& rng) const {
  Choices choices;
  while (const auto decision = space_.next(choices)) {
    std::vector<std::int64_t> allowed;
    for (std::size_t n = 0; n < decision->options.size(); ++n)
      if (decision->name != restriction_.decision || restriction_.admits(decision->options[n]))
        allowed.push_back(static_cast<std::int64_t>(n));
    if (allowed.empty()) return std::nullopt;
    choices.push_back(rng.pick(std::span<const std::int64_t>(allowed)));
  }
  return contains(choices) ? std::optional(choices) : std::nullopt;
}

std::optional<Choices> Region::best_by_prior() const {
  if (Choices anywhere = tessera::best_by_prior(space_).choices; contains(anywhere))
    return anywhere;
  std::optional<Space::Chain> best;
  const std::optional<Decision> first = space_.next({});
  if (!first || first->name != restriction_.decision) return std::nullopt;
  for (std::size_t n = 0; n < first->options.size(); ++n) {
    if (!restriction_.admits(first->options[n])) continue;
    Space::Chain chain = tessera::best_by_prior(space_, {static_cast<std::int64_t>(n)});
    if (!best || chain.draft.estimate.cycles < best->draft.estimate.cycles) best = std::move(chain);
  }
  return best ? std::optional(best->choices) : std::nullopt;
}

Choices transferred(const Space& from, const Choices& choices, const Space& to) {
  return adopt(to, from.completed(choices, {}).names, {}).choices;
}

}  // namespace tessera::bench
