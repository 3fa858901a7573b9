#include "learn/places.h"

namespace tessera {
namespace {

constexpr std::size_t projected_width = 64;

}  // namespace

Points projected_places(const Rows& rows) {
  Points places{.width = projected_width, .values = {}};
  std::vector<std::vector<float>> directions;  // of each step, a sign for each column and dimension
  for (std::size_t n = 0; n < rows.size(); ++n) {
    std::vector<float> place(projected_width);
    for (std::size_t step = 0; step < rows.length(n); ++step) {
      if (step == directions.size()) {
        Rng rng(step);
        std::vector<float>& signs = directions.emplace_back();
        for (std::size_t k = 0; k < rows.width * projected_width; ++k)
          signs.push_back(rng.chance(0.5) ? 1.0F : -1.0F);
      }
      for (std::size_t column = 0; column < rows.width; ++column) {
        const float value = rows.of(n)[step * rows.width + column];
        if (value == 0) continue;
        const float* signs = directions[step].data() + column * projected_width;
        for (std::size_t k = 0; k < projected_width; ++k) place[k] += value * signs[k];
      }
    }
    places.values.insert(places.values.end(), place.begin(), place.end());
  }
  return standardised(std::move(places));
}

}  // namespace tessera
