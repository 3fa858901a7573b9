#include "ops/tasks.h"

#include "base/check.h"
#include "base/text.h"
#include "ops/task_spec.h"

#include <algorithm>
#include <charconv>

namespace tessera {
namespace {

/// Sizes beyond this are mistakes; products of a few of them still fit.
constexpr std::int64_t max_size = std::int64_t{1} << 30;

/// The names of `items`, separated by commas.
template <typename Items>
std::string listed(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) {
    if constexpr (std::is_same_v<std::decay_t<decltype(item)>, std::string_view>)
      names.emplace_back(item);
    else
      names.emplace_back(item.name);
  }
  return join(names, ", ");
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(separator); end != std::string_view::npos;
       end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

std::optional<std::int64_t> parse_size(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (value < -max_size || value > max_size) return std::nullopt;
  return value;
}

Result<void> check_value(const TaskFamily& family, const TaskKey& key, std::string_view value) {
  const std::string given =
      std::string(family.name) + ": " + std::string(key.name) + "=" + std::string(value);
  if (key.choices.empty() && !parse_size(value)) return Error{given + " is no integer up to 2^30"};
  for (const std::string_view word : key.joins ? split(value, '+') : std::vector{value})
    if (!key.choices.empty() && std::ranges::find(key.choices, word) == key.choices.end())
      return Error{given + "; known: " + listed(key.choices)};
  return {};
}

Result<TaskSpec> read_values(const TaskFamily& family, std::string_view text) {
  std::map<std::string_view, std::string> values;
  const std::string subject = std::string(family.name) + ": ";
  for (const std::string_view pair : split(text, ',')) {
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view name = pair.substr(0, equals);
    const auto key = std::ranges::find(family.keys, name, &TaskKey::name);
    if (key == family.keys.end())
      return Error{subject + "no key " + std::string(name) + "; known: " + listed(family.keys)};
    const std::string_view value = equals < pair.size() ? pair.substr(equals + 1) : "";
    if (const Result<void> checked = check_value(family, *key, value); !checked)
      return checked.error();
    if (!values.emplace(key->name, value).second)
      return Error{subject + "key " + std::string(name) + " is given twice"};
  }
  for (const TaskKey& key : family.keys) {
    if (values.contains(key.name)) continue;
    if (key.fallback.empty())
      return Error{subject + "key " + std::string(key.name) + " is missing"};
    values.emplace(key.name, key.fallback);
  }
  return TaskSpec(family.name, std::move(values));
}

}  // namespace

const std::string& TaskSpec::word(std::string_view key) const {
  const auto found = values_.find(key);
  check(found != values_.end(), "a key of the family");
  return found->second;
}

std::vector<std::string_view> TaskSpec::words(std::string_view key) const {
  return split(word(key), '+');
}

std::int64_t TaskSpec::operator[](std::string_view key) const {
  const std::optional<std::int64_t> value = parse_size(word(key));
  check(value.has_value(), "a key of integers");
  return *value;
}

Result<Computation> parse_task_spec(std::string_view spec) {
  const std::size_t colon = std::min(spec.find(':'), spec.size());
  const std::string_view name = spec.substr(0, colon);
  const std::vector<TaskFamily>& families = task_families();
  const auto family = std::ranges::find(families, name, &TaskFamily::name);
  if (family == families.end())
    return Error{"task " + std::string(name) + ": no such family; known: " + listed(families)};
  const Result<TaskSpec> values =
      read_values(*family, colon < spec.size() ? spec.substr(colon + 1) : std::string_view{});
  if (!values) return values.error();
  ComputationBuilder builder;
  builder.output(family->build(builder, *values));
  return builder.finish(name);
}

std::string task_spec_help() {
  std::string text;
  for (const TaskFamily& family : task_families()) {
    std::vector<std::string> keys;
    for (const TaskKey& key : family.keys)
      keys.push_back(std::string(key.name) + "=" + std::string(key.fallback));
    text += std::string(family.name) + ":" + join(keys, ",") + "\n";
  }
  return text;
}

}  // namespace tessera
