#include "schedule/space.h"

#include "base/check.h"
#include "ir/rewrite.h"
#include "schedule/chooser.h"
#include "schedule/plan.h"
#include "schedule/rules/rules.h"

#include <algorithm>
#include <sstream>

namespace tessera {

Space::Space(Task task)
    : task_(std::move(task)), plans_(std::make_shared<const std::vector<Plan>>(plans_of(task_))) {}

namespace {

Draft run_rules(const Task& task, const std::vector<Plan>& plans, Chooser& chooser) {
  std::vector<std::pair<std::string, const Plan*>> algorithms;
  for (const Plan& plan : plans) algorithms.emplace_back(plan.name, &plan);
  const Plan& plan = *chooser.pick<const Plan*>("algorithm", algorithms);
  Draft draft{.schedule = plan.steps, .estimate = {}};
  RuleContext context{plan.program, task.target,    task.layouts,
                      chooser,      draft.schedule, draft.estimate};
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
  return {chooser.taken(), chooser.option_counts(), chooser.names(), std::move(draft)};
}

std::string to_text(std::span<const NamedChoice> choices) {
  std::string text;
  for (const NamedChoice& choice : choices)
    text += (text.empty() ? "" : " ") + choice.question + "=" + choice.option;
  return text;
}

Result<std::vector<NamedChoice>> parse_choices(std::string_view text) {
  std::vector<NamedChoice> choices;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) return Error{"choice " + word + ": expected QUESTION=OPTION"};
    choices.push_back({word.substr(0, equals), word.substr(equals + 1)});
  }
  return choices;
}

namespace {

/// The answers of `kept` where they are legal, and else what `fresh` says.
template <typename Fresh>
Answer keeping(const Choices& kept, const Fresh& fresh) {
  return [&kept, fresh](std::size_t at, const Question& question) {
    return at < kept.size() && kept[at] < question.options ? kept[at] : fresh(question.options);
  };
}

std::int64_t first(std::int64_t) { return 0; }

Choices head_of(const Choices& choices, std::size_t count) {
  return {choices.begin(), choices.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

Space::Chain draw(const Space& space, Rng& rng, const Choices& head) {
  return space.completed(
      head, [&](std::size_t, const Question& question) { return rng.below(question.options); });
}

Space::Chain mutate(const Space& space, const Space::Chain& chain, Rng& rng) {
  const Choices& choices = chain.choices;
  if (choices.empty()) return chain;
  const auto at = static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(choices.size())));
  const std::int64_t options = chain.option_counts[at];
  Choices head = head_of(choices, at);
  head.push_back((choices[at] + 1 + rng.below(options - 1)) % options);
  return space.completed(head,
                         keeping(choices, [&](std::int64_t count) { return rng.below(count); }));
}

Space::Chain cross(const Space& space, const Space::Chain& first, const Space::Chain& second,
                   Rng& rng) {
  const auto at = rng.below(static_cast<std::int64_t>(first.choices.size()) + 1);
  return space.completed(
      head_of(first.choices, static_cast<std::size_t>(at)),
      keeping(second.choices, [&](std::int64_t count) { return rng.below(count); }));
}

Space::Chain adopt(const Space& space, std::span<const NamedChoice> names,
                   const Space::Chain& otherwise) {
  const auto option_in = [](std::span<const NamedChoice> list, const Question& question) {
    const auto named = std::ranges::find(list, question.name, &NamedChoice::question);
    if (named != list.end())
      for (std::int64_t n = 0; n < question.options; ++n)
        if (question.option(n) == named->option) return n;
    return std::int64_t{-1};
  };
  return space.completed({}, [&](std::size_t, const Question& question) {
    const std::int64_t wanted = option_in(names, question);
    return wanted >= 0 ? wanted : std::max<std::int64_t>(0, option_in(otherwise.names, question));
  });
}

std::vector<Space::Chain> neighbours(const Space& space, const Space::Chain& chain,
                                     std::size_t first_changed) {
  std::vector<Space::Chain> all;
  for (std::size_t at = first_changed; at < chain.choices.size(); ++at)
    for (std::int64_t option = 0; option < chain.option_counts[at]; ++option) {
      if (option == chain.choices[at]) continue;
      Choices head = head_of(chain.choices, at);
      head.push_back(option);
      all.push_back(space.completed(head, keeping(chain.choices, first)));
    }
  return all;
}

Space::Chain best_by_prior(const Space& space, const Choices& head) {
  Rng rng(1);
  Space::Chain best =
      space.completed(head, [](std::size_t, const Question&) { return std::int64_t{0}; });
  const auto consider = [&](Space::Chain other) {
    if (other.draft.estimate.cycles >= best.draft.estimate.cycles) return false;
    best = std::move(other);
    return true;
  };
  for (int n = 0; n < 64; ++n) consider(draw(space, rng, head));
  for (bool improved = true; improved;) {
    improved = false;
    for (Space::Chain& other : neighbours(space, best, head.size()))
      improved = consider(std::move(other)) || improved;
  }
  return best;
}

Schedule default_schedule(const Task& task) { return best_by_prior(Space(task)).draft.schedule; }

const Draft& PriorDrafts::of(const Task& task) {
  const auto [found, is_new] = known_.try_emplace(fingerprint(task));
  if (is_new) found->second = best_by_prior(Space(task)).draft;
  return found->second;
}

}  // namespace tessera
