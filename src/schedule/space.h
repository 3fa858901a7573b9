#pragma once

#include "base/rng.h"
#include "schedule/estimate.h"
#include "schedule/schedule.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

struct Plan;

/// A question with its legal answers, in a fixed order. Names are stable: records and models speak
/// of them.
struct Decision {
  std::string name;
  std::vector<std::string> options;
};

/// Answers in the order the questions came: an index into the options of each.
using Choices = std::vector<std::int64_t>;

/// A Decision that is about to be taken; names are given when asked for.
struct Question {
  std::string_view name;
  std::int64_t options = 0;
  std::function<std::string_view(std::int64_t)> option;
};

/// Answers the question number `at`.
using Answer = std::function<std::int64_t(std::size_t at, const Question& question)>;

/// The name of a question and of the option that was taken.
struct NamedChoice {
  std::string question;
  std::string option;
  friend bool operator==(const NamedChoice&, const NamedChoice&) = default;
};

/// `Y.tile=6x2 Y.order=cols_outer ..`.
std::string to_text(std::span<const NamedChoice> choices);
Result<std::vector<NamedChoice>> parse_choices(std::string_view text);

/// What a complete chain of choices stands for.
struct Draft {
  Schedule schedule;
  Estimate estimate;
};

/// The Schedules a Task admits, as a chain of decisions: given the choices so far it lists the
/// legal next ones. Whatever chain is followed to its end gives a schedule that applies, lowers and
/// fits the target.
class Space {
 public:
  explicit Space(Task task);

  /// The decision after `choices`, or nothing when they are complete.
  std::optional<Decision> next(const Choices& choices) const;
  /// The schedule of complete choices.
  Draft draft(const Choices& choices) const;

  /// A chain with what it stands for, its names, and how many options each decision had.
  struct Chain {
    Choices choices;
    std::vector<std::int64_t> option_counts;
    std::vector<NamedChoice> names;
    Draft draft;
  };
  /// The chain that begins with `head` and goes on as `beyond` answers.
  Chain completed(const Choices& head, const Answer& beyond) const;

  const Task& task() const { return task_; }

 private:
  Task task_;
  std::shared_ptr<const std::vector<Plan>> plans_;
};

/// A uniform choice at every decision after `head`.
Space::Chain draw(const Space& space, Rng& rng, const Choices& head = {});
/// Another answer to one decision; later answers are kept where they are still legal and drawn anew
/// where not.
Space::Chain mutate(const Space& space, const Space::Chain& chain, Rng& rng);
/// The answers of `first` up to a random decision and those of `second` from there on, where they
/// are legal; drawn where not.
Space::Chain cross(const Space& space, const Space::Chain& first, const Space::Chain& second,
                   Rng& rng);
/// Each question answered as `names` has it if the option is there, and else as `otherwise` does.
/// The names may be of another task.
Space::Chain adopt(const Space& space, std::span<const NamedChoice> names,
                   const Space::Chain& otherwise);
/// All chains that differ from `chain` in one answer at or after `first` (later ones kept where
/// legal, else the first option).
std::vector<Space::Chain> neighbours(const Space& space, const Space::Chain& chain,
                                     std::size_t first = 0);

/// What to use without measuring: the best by the prior among the chains that begin with `head`,
/// found by descent from seeded draws. The same task gives the same chain.
Space::Chain best_by_prior(const Space& space, const Choices& head = {});
Schedule default_schedule(const Task& task);

/// The best drafts by the prior, found once for each task.
class PriorDrafts {
 public:
  const Draft& of(const Task& task);

 private:
  std::map<Fingerprint, Draft> known_;
};

}  // namespace tessera
