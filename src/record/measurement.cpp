#include "record/measurement.h"

namespace tessera {
namespace {

constexpr std::array<std::string_view, all_outcomes.size()> outcome_names{
    "ok", "refused", "crashed", "timed_out", "out_of_memory", "wrong_result"};
constexpr std::array<std::string_view, 2> clock_names{"cpu", "wall"};

}  // namespace

std::string_view to_text(Outcome outcome) {
  return outcome_names.at(static_cast<std::size_t>(outcome));
}

std::optional<Outcome> parse_outcome(std::string_view text) {
  for (const Outcome outcome : all_outcomes)
    if (to_text(outcome) == text) return outcome;
  return std::nullopt;
}

std::string_view to_text(Clock clock) { return clock_names.at(static_cast<std::size_t>(clock)); }

std::optional<Clock> parse_clock(std::string_view text) {
  for (const Clock clock : {Clock::Cpu, Clock::Wall})
    if (to_text(clock) == text) return clock;
  return std::nullopt;
}

}  // namespace tessera
