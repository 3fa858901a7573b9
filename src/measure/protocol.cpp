#include "measure/protocol.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <sstream>

namespace tessera {
namespace {

constexpr std::array kind_names{"compiling", "checking", "running", "measured"};

/// Words of a message one after the other; all of it is bad once one is.
class Words {
 public:
  explicit Words(std::string_view text) : stream_{std::string(text)} {}

  template <typename T>
  T number() {
    const std::string word = text();
    T value{};
    const auto end = std::from_chars(word.data(), word.data() + word.size(), value);
    if (end.ec != std::errc() || end.ptr != word.data() + word.size()) is_good_ = false;
    return value;
  }
  std::string text() {
    std::string word;
    if (!(stream_ >> word)) is_good_ = false;
    return word;
  }
  std::optional<double> maybe_number() {
    const std::string word = text();
    if (word == "-") return std::nullopt;
    double value = 0;
    const auto end = std::from_chars(word.data(), word.data() + word.size(), value);
    if (end.ec != std::errc()) is_good_ = false;
    return value;
  }
  bool is_good() const { return is_good_; }

 private:
  std::istringstream stream_;
  bool is_good_ = true;
};

std::string maybe(const std::optional<double>& value) { return value ? number_text(*value) : "-"; }

}  // namespace

std::vector<std::string> to_messages(const MeasureRequest& request) {
  std::vector<std::string> messages{"measure " + std::to_string(request.task) + " " +
                                    number_text(request.best_seconds) + " " +
                                    std::to_string(request.schedules.size())};
  // No message is empty; a schedule without steps would be.
  for (const std::string& schedule : request.schedules) messages.push_back("\n" + schedule);
  return messages;
}

Result<RequestHead> parse_request_head(std::string_view message) {
  Words words(message);
  const std::string verb = words.text();
  RequestHead head;
  head.task = words.number<std::size_t>();
  head.best_seconds = words.number<double>();
  head.candidates = words.number<std::size_t>();
  if (!words.is_good() || verb != "measure") return Error{"a message that is not a request"};
  return head;
}

std::string to_message(const WorkerEvent& event) {
  std::string text = kind_names.at(static_cast<std::size_t>(event.kind));
  text += " " + std::to_string(event.candidate);
  if (event.kind != WorkerEvent::Kind::Measured) return text;
  const Measurement& m = event.measurement;
  text += " " + std::string(to_text(m.outcome)) + " " + std::string(to_text(m.clock)) + " " +
          number_text(m.compile_seconds) + " " + maybe(m.conditions.load) + " " +
          maybe(m.conditions.clock_ghz) + " " + maybe(m.conditions.celsius) + " " +
          std::to_string(m.seconds.size());
  for (const double seconds : m.seconds) text += " " + number_text(seconds);
  return text + "\n" + m.reason;
}

Result<WorkerEvent> parse_event(std::string_view message) {
  const Error bad{"a message that is not a worker's"};
  const std::size_t line_end = std::min(message.find('\n'), message.size());
  Words words(message.substr(0, line_end));
  WorkerEvent event;
  const std::string kind = words.text();
  std::size_t n = 0;
  while (n < kind_names.size() && kind != kind_names[n]) ++n;
  if (n == kind_names.size()) return bad;
  event.kind = static_cast<WorkerEvent::Kind>(n);
  event.candidate = words.number<std::size_t>();
  if (!words.is_good()) return bad;
  if (event.kind != WorkerEvent::Kind::Measured) return event;
  Measurement& m = event.measurement;
  const std::optional<Outcome> outcome = parse_outcome(words.text());
  const std::optional<Clock> clock = parse_clock(words.text());
  if (!outcome || !clock) return bad;
  m.outcome = *outcome;
  m.clock = *clock;
  m.compile_seconds = words.number<double>();
  m.conditions.load = words.maybe_number();
  m.conditions.clock_ghz = words.maybe_number();
  m.conditions.celsius = words.maybe_number();
  for (auto left = words.number<std::size_t>(); left > 0 && words.is_good(); --left)
    m.seconds.push_back(words.number<double>());
  if (!words.is_good() || (m.is_ok() && m.seconds.empty())) return bad;
  if (line_end < message.size()) m.reason = message.substr(line_end + 1);
  return event;
}

}  // namespace tessera
