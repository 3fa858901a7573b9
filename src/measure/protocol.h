#pragma once

#include "base/result.h"
#include "record/measurement.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Candidates of one task, as a Worker is asked to measure them.
struct MeasureRequest {
  std::size_t task = 0;
  double best_seconds = 0;  // infinity when nothing is known
  std::vector<std::string> schedules;
};

/// What a Worker says while it works on a request.
struct WorkerEvent {
  enum class Kind : std::uint8_t {
    Compiling,  // candidate `candidate`, or several from there on
    Checking,   // makes the result to compare with
    Running,    // candidate `candidate`
    Measured,   // candidate `candidate`
  };
  Kind kind = Kind::Compiling;
  std::size_t candidate = 0;
  Measurement measurement = {};
};

/// As messages: a request is several, the number of candidates in the first.
std::vector<std::string> to_messages(const MeasureRequest& request);
/// What the first message of a request says; its schedules follow.
struct RequestHead {
  std::size_t task = 0;
  double best_seconds = 0;
  std::size_t candidates = 0;
};
Result<RequestHead> parse_request_head(std::string_view message);

std::string to_message(const WorkerEvent& event);
/// Refuses what a damaged process may send.
Result<WorkerEvent> parse_event(std::string_view message);

}  // namespace tessera
