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

namespace {

/// Continues `choices` to the end, taking the answers of `kept` where they are legal and else what
/// `fresh` says.
template <typename Fresh>
Choices completed(const Space& space, Choices choices, const Choices& kept, const Fresh& fresh) {
  while (const auto decision = space.next(choices)) {
    const auto options = static_cast<std::int64_t>(decision->options.size());
    const std::size_t at = choices.size();
    choices.push_back(at < kept.size() && kept[at] < options ? kept[at] : fresh(options));
  }
  return choices;
}

std::int64_t first(std::int64_t) { return 0; }

}  // namespace

Choices draw(const Space& space, Rng& rng, const Choices& head) {
  return completed(space, head, {}, [&](std::int64_t options) { return rng.below(options); });
}

Choices mutate(const Space& space, const Choices& choices, Rng& rng) {
  if (choices.empty()) return choices;
  const auto at = static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(choices.size())));
  Choices head(choices.begin(), choices.begin() + static_cast<std::ptrdiff_t>(at));
  const auto options = static_cast<std::int64_t>(space.next(head)->options.size());
  head.push_back((choices[at] + 1 + rng.below(options - 1)) % options);
  return completed(space, head, choices, [&](std::int64_t count) { return rng.below(count); });
}

std::vector<Choices> neighbours(const Space& space, const Choices& choices,
                                std::size_t first_changed) {
  std::vector<Choices> all;
  for (std::size_t at = first_changed; at < choices.size(); ++at) {
    const Choices head(choices.begin(), choices.begin() + static_cast<std::ptrdiff_t>(at));
    const auto options = static_cast<std::int64_t>(space.next(head)->options.size());
    for (std::int64_t option = 0; option < options; ++option) {
      if (option == choices[at]) continue;
      Choices changed = head;
      changed.push_back(option);
      all.push_back(completed(space, changed, choices, first));
    }
  }
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

Choices best_by_prior(const Space& space, const Choices& head) {
  Rng rng(1);
  std::optional<Choices> best;
  double best_cycles = 0;
  const auto consider = [&](const Choices& choices) {
    const double cycles = space.draft(choices).cycles;
    if (best && cycles >= best_cycles) return false;
    best = choices;
    best_cycles = cycles;
    return true;
  };
  consider(completed(space, head, {}, first));
  for (int n = 0; n < 64; ++n) consider(draw(space, rng, head));
  for (bool improved = true; improved;) {
    improved = false;
    for (const Choices& other : neighbours(space, *best, head.size()))
      improved = consider(other) || improved;
  }
  return *best;
}

Schedule default_schedule(const Task& task) {
  const Space space(task);
  return space.draft(best_by_prior(space)).schedule;
}

}  // namespace tessera
