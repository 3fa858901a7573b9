#pragma once

#include <nlohmann/json.hpp>

#include <cmath>
#include <vector>

namespace tessera {

/// Values of several seeds.
struct SeedValues {
  std::vector<double> values;

  double mean() const {
    double sum = 0;
    for (const double value : values) sum += value;
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
  }
  double deviation() const {
    double sum = 0;
    for (const double value : values) sum += (value - mean()) * (value - mean());
    return values.size() < 2 ? 0 : std::sqrt(sum / static_cast<double>(values.size() - 1));
  }
};

inline nlohmann::ordered_json json_of(const SeedValues& over_seeds) {
  return {{"mean", over_seeds.mean()},
          {"deviation", over_seeds.deviation()},
          {"seeds", over_seeds.values}};
}

}  // namespace tessera
