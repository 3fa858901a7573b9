#include "feature/choice_features.h"

#include <cctype>
#include <charconv>
#include <cmath>

namespace tessera {
namespace {

/// The numbers in an option, in order.
std::vector<float> numbers_in(const std::string& option) {
  std::vector<float> numbers;
  for (std::size_t at = 0; at < option.size();) {
    if (std::isdigit(static_cast<unsigned char>(option[at])) == 0) {
      ++at;
      continue;
    }
    std::int64_t value = 0;
    const auto end = std::from_chars(option.data() + at, option.data() + option.size(), value);
    numbers.push_back(static_cast<float>(value));
    at = static_cast<std::size_t>(end.ptr - option.data());
  }
  return numbers;
}

}  // namespace

std::map<std::string, float> choice_features(const Task& task, const Space::Chain& chain) {
  std::map<std::string, float> features;
  const auto log2_of = [](double value) { return static_cast<float>(std::log2(1 + value)); };
  features["log2 cycles"] = log2_of(chain.draft.estimate.cycles);
  features["log2 flops"] = log2_of(flops(task.computation));
  features["log2 bytes"] = log2_of(traffic_bytes(task.computation));
  std::map<std::string, int> asked;  // the same question of several nests
  for (const NamedChoice& choice : chain.names) {
    std::string name = choice.question.substr(choice.question.rfind('.') + 1);
    if (const int times = asked[name]++; times > 0) name += "'" + std::to_string(times);
    const std::vector<float> numbers = numbers_in(choice.option);
    for (std::size_t n = 0; n < numbers.size(); ++n)
      features[name + "." + std::to_string(n)] = numbers[n];
    if (numbers.empty()) features[name + ":" + choice.option] = 1;
  }
  return features;
}

}  // namespace tessera
