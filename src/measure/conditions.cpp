#include "measure/conditions.h"

#include "base/file.h"
#include "base/text.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

namespace tessera {
namespace {

std::optional<double> first_number(const std::string& path) {
  const Result<std::string> text = read_file(path);
  if (!text) return std::nullopt;
  const Result<Scanner::Number> number = Scanner(*text).expect_number();
  return number ? std::optional(number->value) : std::nullopt;
}

std::optional<double> clock_ghz() {
  const auto khz = first_number("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq");
  return khz ? std::optional(*khz / 1e6) : std::nullopt;
}

std::optional<double> hottest_celsius() {
  std::optional<double> hottest;
  std::error_code unreadable;
  for (const auto& zone : std::filesystem::directory_iterator("/sys/class/thermal", unreadable)) {
    const auto thousandths = first_number((zone.path() / "temp").string());
    if (thousandths) hottest = std::max(hottest.value_or(-273), *thousandths / 1e3);
  }
  return hottest;
}

}  // namespace

Conditions conditions_now() {
  return {.load = first_number("/proc/loadavg"),
          .clock_ghz = clock_ghz(),
          .celsius = hottest_celsius()};
}

}  // namespace tessera
