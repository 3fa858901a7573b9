#include "peak/region.h"

#include <algorithm>
#include <map>
#include <span>
#include <vector>

namespace tessera::bench {
namespace {

/// The options that `choices` take, by the names of the decisions.
std::map<std::string, std::string> answers(const Space& space, const Choices& choices) {
  std::map<std::string, std::string> all;
  Choices head;
  for (const std::int64_t choice : choices) {
    const Decision decision = *space.next(head);
    all.emplace(decision.name, decision.options[static_cast<std::size_t>(choice)]);
    head.push_back(choice);
  }
  return all;
}

}  // namespace

std::string Region::answer(const Choices& choices) const {
  const auto all = answers(space_, choices);
  const auto found = all.find(restriction_.decision);
  return found == all.end() ? restriction_.unasked : found->second;
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
  if (Choices anywhere = tessera::best_by_prior(space_); contains(anywhere)) return anywhere;
  std::optional<Choices> best;
  const std::optional<Decision> first = space_.next({});
  if (!first || first->name != restriction_.decision) return best;
  for (std::size_t n = 0; n < first->options.size(); ++n) {
    if (!restriction_.admits(first->options[n])) continue;
    const Choices choices = tessera::best_by_prior(space_, {static_cast<std::int64_t>(n)});
    if (!best || space_.draft(choices).cycles < space_.draft(*best).cycles) best = choices;
  }
  return best;
}

Choices transferred(const Space& from, const Choices& choices, const Space& to) {
  const auto wanted = answers(from, choices);
  Choices out;
  while (const auto decision = to.next(out)) {
    const auto answer = wanted.find(decision->name);
    const auto option = answer == wanted.end()
                            ? decision->options.begin()
                            : std::ranges::find(decision->options, answer->second);
    out.push_back(option == decision->options.end() ? 0 : option - decision->options.begin());
  }
  return out;
}

}  // namespace tessera::bench
