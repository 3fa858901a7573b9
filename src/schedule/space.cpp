#include "schedule/space.h"

#include "base/check.h"
#include "ir/rewrite.h"
#include "schedule/chooser.h"
#include "schedule/plan.h"
#include "schedule/rules/rules.h"

#include <algorithm>
#include <set>

namespace tessera {

Space::Space(Task task)
    : task_(std::move(task)), plans_(std::make_shared<const std::vector<Plan>>(plans_of(task_))) {}

namespace {

Draft run_rules(const Task& task, const std::vector<Plan>& plans, Chooser& chooser) {
  std::vector<std::pair<std::string, const Plan*>> algorithms;
  for (const Plan& plan : plans) algorithms.emplace_back(plan.name, &plan);
  const Plan& plan = *chooser.pick<const Plan*>("algorithm", algorithms);
  Draft draft{.schedule = plan.steps, .cycles = 0};
  RuleContext context{plan.program, task.target,    task.layouts,
                      chooser,      draft.schedule, draft.cycles};
  for (const Unit& unit : plan.units) apply_rule(context, unit);
  return draft;
}

}  // namespace

std::optional<Decision> Space::next(const Choices& choices) const {
  Chooser chooser(choices);
  run_rules(task_, *plans_, chooser);
  return chooser.pending();
}

Draft Space::draft(const Choices& choices) const {
  Chooser chooser(choices);
  Draft draft = run_rules(task_, *plans_, chooser);
  check(!chooser.pending().has_value(), "complete choices");
  return draft;
}

Space::Chain Space::completed(const Choices& head, const Answer& beyond) const {
  Chooser chooser(head, beyond);
  Draft draft = run_rules(task_, *plans_, chooser);
  return {chooser.taken(), chooser.option_counts(), std::move(draft)};
}

namespace {

/// The answers of `kept` where they are legal, and else what `fresh` says.
template <typename Fresh>
Answer keeping(const Choices& kept, const Fresh& fresh) {
  return [&kept, fresh](std::size_t at, std::int64_t options) {
    return at < kept.size() && kept[at] < options ? kept[at] : fresh(options);
  };
}

std::int64_t first(std::int64_t) { return 0; }

Space::Chain drawn(const Space& space, Rng& rng, const Choices& head) {
  return space.completed(head, [&](std::size_t, std::int64_t n) { return rng.below(n); });
}

std::vector<Space::Chain> neighbouring(const Space& space, const Space::Chain& chain,
                                       std::size_t first_changed) {
  std::vector<Space::Chain> all;
  for (std::size_t at = first_changed; at < chain.choices.size(); ++at)
    for (std::int64_t option = 0; option < chain.option_counts[at]; ++option) {
      if (option == chain.choices[at]) continue;
      Choices head(chain.choices.begin(), chain.choices.begin() + static_cast<std::ptrdiff_t>(at));
      head.push_back(option);
      all.push_back(space.completed(head, keeping(chain.choices, first)));
    }
  return all;
}

}  // namespace

Choices draw(const Space& space, Rng& rng, const Choices& head) {
  return drawn(space, rng, head).choices;
}

Choices mutate(const Space& space, const Choices& choices, Rng& rng) {
  if (choices.empty()) return choices;
  const auto at = static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(choices.size())));
  Choices head(choices.begin(), choices.begin() + static_cast<std::ptrdiff_t>(at));
  const auto options = static_cast<std::int64_t>(space.next(head)->options.size());
  head.push_back((choices[at] + 1 + rng.below(options - 1)) % options);
  const auto fresh = [&](std::int64_t count) { return rng.below(count); };
  return space.completed(head, keeping(choices, fresh)).choices;
}

std::vector<Choices> neighbours(const Space& space, const Choices& choices,
                                std::size_t first_changed) {
  std::vector<Choices> all;
  const Space::Chain chain = space.completed(choices, keeping(choices, first));
  for (Space::Chain& other : neighbouring(space, chain, first_changed))
    all.push_back(std::move(other.choices));
  return all;
}

std::string to_text(const Space& space, const Choices& choices) {
  std::string text;
  Choices head;
  for (const std::int64_t choice : choices) {
    const auto decision = space.next(head);
    if (!text.empty()) text += " ";
    text += decision->name + "=" + decision->options[static_cast<std::size_t>(choice)];
    head.push_back(choice);
  }
  return text;
}

namespace {

Space::Chain best_chain(const Space& space, const Choices& head) {
  Rng rng(1);
  Space::Chain best = space.completed(head, [](std::size_t, std::int64_t) { return 0; });
  const auto consider = [&](Space::Chain other) {
    if (other.draft.cycles >= best.draft.cycles) return false;
    best = std::move(other);
    return true;
  };
  for (int n = 0; n < 64; ++n) consider(drawn(space, rng, head));
  for (bool improved = true; improved;) {
    improved = false;
    for (Space::Chain& other : neighbouring(space, best, head.size()))
      improved = consider(std::move(other)) || improved;
  }
  return best;
}

}  // namespace

Choices best_by_prior(const Space& space, const Choices& head) {
  return best_chain(space, head).choices;
}

Schedule default_schedule(const Task& task) { return best_chain(Space(task), {}).draft.schedule; }

const Draft& PriorDrafts::of(const Task& task) {
  const auto [found, is_new] = known_.try_emplace(fingerprint(task));
  if (is_new) found->second = best_chain(Space(task), {}).draft;
  return found->second;
}

}  // namespace tessera
