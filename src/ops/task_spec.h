#pragma once

#include "base/result.h"
#include "ops/builder.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// One `key=value` that a family of tasks understands.
struct TaskKey {
  std::string_view name;
  std::string_view fallback;                   // used when not given; none: must be given
  std::vector<std::string_view> choices = {};  // words to choose from; none: an integer
  bool joins = false;                          // several choices may be joined by `+`
};

/// The values of all keys of one family.
class TaskSpec {
 public:
  TaskSpec(std::string_view family, std::map<std::string_view, std::string> values)
      : family_(family), values_(std::move(values)) {}

  std::string_view family() const { return family_; }
  const std::string& word(std::string_view key) const;
  /// The words that `+` joins.
  std::vector<std::string_view> words(std::string_view key) const;
  std::int64_t operator[](std::string_view key) const;

 private:
  std::string_view family_;
  std::map<std::string_view, std::string> values_;
};

/// Tasks of one kind: what it is called, what it understands, and how it appends its stages.
struct TaskFamily {
  std::string_view name;
  std::vector<TaskKey> keys;
  /// Gives the output.
  TensorId (*build)(ComputationBuilder& builder, const TaskSpec& spec);
};

/// Every family, in the order of help.
const std::vector<TaskFamily>& task_families();

}  // namespace tessera
