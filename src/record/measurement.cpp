#include "record/measurement.h"

#include "base/check.h"

#include <utility>

namespace tessera {
namespace {

constexpr std::array<std::pair<Outcome, std::string_view>, 6> outcome_names = {
    {{Outcome::Ok, "ok"},
     {Outcome::Refused, "refused"},
     {Outcome::Crashed, "crashed"},
     {Outcome::TimedOut, "timed_out"},
     {Outcome::OutOfMemory, "out_of_memory"},
     {Outcome::WrongResult, "wrong_result"}}};

constexpr std::array<std::pair<Clock, std::string_view>, 2> clock_names = {
    {{Clock::Cpu, "cpu"}, {Clock::Wall, "wall"}}};

template <typename Names, typename Value>
std::string_view name_of(const Names& names, Value value) {
  for (const auto& [known, name] : names)
    if (known == value) return name;
  fail("every value has a name");
}

template <typename Names>
auto value_of(const Names& names, std::string_view text) {
  std::optional<typename Names::value_type::first_type> value;
  for (const auto& [known, name] : names)
    if (name == text) value = known;
  return value;
}

}  // namespace

std::string_view to_text(Outcome outcome) { return name_of(outcome_names, outcome); }
std::optional<Outcome> parse_outcome(std::string_view text) {
  return value_of(outcome_names, text);
}

std::string_view to_text(Clock clock) { return name_of(clock_names, clock); }
std::optional<Clock> parse_clock(std::string_view text) { return value_of(clock_names, text); }

}  // namespace tessera
