#pragma once

#include "schedule/space.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// Answers the questions of the rules from a chain of choices. Past the end of the chain `beyond`
/// answers; without one it keeps the first question it could not answer and goes on with first
/// options. So rules read as straight code.
class Chooser {
 public:
  explicit Chooser(const Choices& choices, Answer beyond = {})
      : choices_(choices), beyond_(std::move(beyond)) {}

  /// The chosen one of `options` (name and value). A question with one option is not asked.
  template <typename T>
  T pick(const std::string& name, const std::vector<std::pair<std::string, T>>& options) {
    if (options.size() == 1) return options.front().second;
    if (taken_.size() < choices_.size() || beyond_) {
      const auto count = static_cast<std::int64_t>(options.size());
      const auto name_of = [&](std::int64_t n) -> std::string_view {
        return options[static_cast<std::size_t>(n)].first;
      };
      const std::int64_t choice = taken_.size() < choices_.size()
                                      ? choices_[taken_.size()]
                                      : beyond_(taken_.size(), {name, count, name_of});
      check(choice >= 0 && choice < count, "a listed option");
      const auto& [option, value] = options[static_cast<std::size_t>(choice)];
      taken_.push_back(choice);
      option_counts_.push_back(count);
      names_.push_back({name, option});
      return value;
    }
    if (!pending_) {
      pending_ = Decision{name, {}};
      for (const auto& option : options) pending_->options.push_back(option.first);
    }
    return options.front().second;
  }

  const std::optional<Decision>& pending() const { return pending_; }
  const Choices& taken() const { return taken_; }
  /// How many options each of the taken choices had.
  const std::vector<std::int64_t>& option_counts() const { return option_counts_; }
  const std::vector<NamedChoice>& names() const { return names_; }

 private:
  const Choices& choices_;
  Answer beyond_;
  Choices taken_;
  std::vector<std::int64_t> option_counts_;
  std::vector<NamedChoice> names_;
  std::optional<Decision> pending_;
};

}  // namespace tessera
