#pragma once

#include "schedule/space.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// Answers the questions of the rules from a chain of choices. Past the end of the chain it keeps
/// the first question it could not answer and goes on with first options, so that rules read as
/// straight code.
class Chooser {
 public:
  explicit Chooser(const Choices& choices) : choices_(choices) {}

  /// The chosen one of `options` (name and value). A question with one option is not asked.
  template <typename T>
  T pick(const std::string& name, const std::vector<std::pair<std::string, T>>& options) {
    if (options.size() == 1) return options.front().second;
    if (at_ < choices_.size()) {
      const std::int64_t choice = choices_[at_++];
      check(choice >= 0 && static_cast<std::size_t>(choice) < options.size(), "a listed option");
      return options[static_cast<std::size_t>(choice)].second;
    }
    if (!pending_) {
      pending_ = Decision{name, {}};
      for (const auto& option : options) pending_->options.push_back(option.first);
    }
    return options.front().second;
  }

  const std::optional<Decision>& pending() const { return pending_; }

 private:
  const Choices& choices_;
  std::size_t at_ = 0;
  std::optional<Decision> pending_;
};

}  // namespace tessera
