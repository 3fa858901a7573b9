#pragma once

#include "base/rng.h"
#include "schedule/schedule.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
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

/// Answers the question number `at` that has so many options.
using Answer = std::function<std::int64_t(std::size_t at, std::int64_t options)>;

/// What a complete chain of choices stands for.
struct Draft {
  Schedule schedule;
  double cycles = 0;  // of one core, as the analytic prior estimates them
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

  /// A chain with what it stands for and how many options each decision had.
  struct Chain {
    Choices choices;
    std::vector<std::int64_t> option_counts;
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
Choices draw(const Space& space, Rng& rng, const Choices& head = {});
/// Another answer to one decision; later answers are kept where they are still legal and drawn anew
/// where not.
Choices mutate(const Space& space, const Choices& choices, Rng& rng);
/// All chains that differ from `choices` in one answer at or after `first` (later ones kept where
/// legal, else the first option).
std::vector<Choices> neighbours(const Space& space, const Choices& choices, std::size_t first = 0);
/// `tile=6x2 order=cols_outer ..`.
std::string to_text(const Space& space, const Choices& choices);

/// The schedule to use without measuring: the best by the prior among those that begin with `head`,
/// found by descent from seeded draws. The same task gives the same schedule.
Choices best_by_prior(const Space& space, const Choices& head = {});
Schedule default_schedule(const Task& task);

/// The best drafts by the prior, found once for each task.
class PriorDrafts {
 public:
  const Draft& of(const Task& task);

 private:
  std::map<Fingerprint, Draft> known_;
};

}  // namespace tessera
