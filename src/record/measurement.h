#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// How measuring a candidate ended.
enum class Outcome : std::uint8_t { Ok, Refused, Crashed, TimedOut, OutOfMemory, WrongResult };

inline constexpr std::array all_outcomes{Outcome::Ok,          Outcome::Refused,
                                         Outcome::Crashed,     Outcome::TimedOut,
                                         Outcome::OutOfMemory, Outcome::WrongResult};

/// `ok`, `refused`, `crashed`, `timed_out`, `out_of_memory`, `wrong_result`.
std::string_view to_text(Outcome outcome);
std::optional<Outcome> parse_outcome(std::string_view text);

/// What timings count: the time that the busiest thread ran, or the time that passed.
enum class Clock : std::uint8_t { Cpu, Wall };

/// `cpu`, `wall`.
std::string_view to_text(Clock clock);
std::optional<Clock> parse_clock(std::string_view text);

/// What the machine was doing meanwhile, as far as it tells.
struct Conditions {
  std::optional<double> load;  // mean of runnable threads over the last minute
  std::optional<double> clock_ghz;
  std::optional<double> celsius;  // of the hottest part
  friend bool operator==(const Conditions&, const Conditions&) = default;
};

/// What running one candidate gave.
struct Measurement {
  Outcome outcome = Outcome::Ok;
  std::string reason = {};           // of any outcome but ok
  std::vector<double> seconds = {};  // each timing; none unless ok
  Clock clock = Clock::Wall;
  double compile_seconds = 0;
  Conditions conditions = {};

  bool is_ok() const { return outcome == Outcome::Ok; }
  /// The shortest timing; only of one that is ok.
  double best() const { return *std::min_element(seconds.begin(), seconds.end()); }
  friend bool operator==(const Measurement&, const Measurement&) = default;
};

}  // namespace tessera
