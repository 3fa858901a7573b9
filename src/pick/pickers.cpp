#include "base/draw_to_front.h"
#include "pick/open_programs.h"
#include "pick/picker.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <span>
#include <string>

namespace tessera {
namespace {

using Numbers = std::vector<std::size_t>;

struct Request {
  std::size_t count = 0;
  double progress = 0;
};
using PickFromList = std::function<Numbers(const PoolList& list, const Request& request, Rng& rng)>;

/// Each task by itself, with its share.
class EachTask : public Picker {
 public:
  explicit EachTask(PickFromList pick) : pick_(std::move(pick)) {}

  Picks pick(const ProgramPool& pool, std::size_t count, double progress, Rng& rng) const override {
    const std::vector<std::size_t> shares = shares_of(pool, count, rng);
    Picks picks(pool.lists.size());
    for (std::size_t n = 0; n < picks.size(); ++n)
      if (shares[n] > 0) picks[n] = pick_(pool.lists[n], {shares[n], progress}, rng);
    return picks;
  }

 private:
  PickFromList pick_;
};

class AnyOfPool : public Picker {
 public:
  Picks pick(const ProgramPool& pool, std::size_t count, double /*progress*/,
             Rng& rng) const override {
    std::vector<std::pair<std::size_t, std::size_t>> open;  // list and number
    for (std::size_t n = 0; n < pool.lists.size(); ++n)
      for (const std::size_t number : pool.lists[n].open()) open.emplace_back(n, number);
    Picks picks(pool.lists.size());
    const std::size_t taken = std::min(count, open.size());
    draw_to_front(open, taken, rng);
    for (const auto& [list, number] : std::span(open).first(taken)) picks[list].push_back(number);
    return picks;
  }
};

Numbers rdu(const RduParts& parts, const PoolList& list, const Request& request) {
  const OpenPrograms open(list);
  const auto progress = static_cast<float>(request.progress);
  const float typical_weight = std::max(1 - 2 * progress, 0.0F), uncertain_weight = 0.5F + progress;
  std::vector<float> quality(open.size(), 1);
  const auto weigh = [&](const std::vector<float>& percentile, float weight) {
    for (std::size_t n = 0; n < quality.size(); ++n) quality[n] *= std::exp(weight * percentile[n]);
  };
  if (parts.is_representative) weigh(open.typicality(), typical_weight);
  if (parts.is_uncertain) weigh(open.disagreement(), uncertain_weight);
  if (parts.is_biased) {
    const std::vector<float> bias = open.bias();
    std::ranges::transform(quality, bias, quality.begin(), std::multiplies());
  }
  return parts.is_diverse ? open.spread(quality, request.count)
                          : open.largest(quality, request.count);
}

Numbers any_of_task(const PoolList& list, const Request& request, Rng& rng) {
  const OpenPrograms open(list);
  std::vector<float> lots;
  for (std::size_t n = 0; n < open.size(); ++n) lots.push_back(static_cast<float>(rng.unit()));
  return open.largest(lots, request.count);
}

Numbers k_center(const PoolList& list, const Request& request, Rng& rng) {
  const OpenPrograms open(list);
  if (list.measured() > 0) return open.spread(std::vector<float>(open.size(), 1), request.count);
  // the first is drawn, not the first of the list
  std::vector<float> values(open.size(), 1);
  values[static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(open.size())))] = 1.001F;
  return open.spread(values, request.count);
}

Numbers balto(const PoolList& list, const Request& request, Rng& /*rng*/) {
  const OpenPrograms open(list);
  return open.spread(open.bias(), request.count);
}

Numbers uncertain(const PoolList& list, const Request& request, Rng& rng) {
  if (list.votes.empty()) return any_of_task(list, request, rng);
  const OpenPrograms open(list);
  return open.largest(open.disagreement(), request.count);
}

Numbers greedy(const PoolList& list, const Request& request, Rng& /*rng*/) {
  const OpenPrograms open(list);
  std::vector<float> scores;
  for (std::size_t n = 0; n < open.size(); ++n) scores.push_back(list.scores[open.number(n)]);
  return open.largest(scores, request.count);
}

Numbers typiclust(const PoolList& list, const Request& request, Rng& rng) {
  const OpenPrograms open(list);
  const std::vector<float> typical = open.typicality();
  const Numbers clusters =
      clusters_of(list.places, std::min(list.measured() + request.count, list.size()), rng);
  std::map<std::size_t, std::size_t> sizes, taken;  // of clusters
  for (std::size_t n = 0; n < list.size(); ++n) {
    ++sizes[clusters[n]];
    taken[clusters[n]] += list.is_measured[n] ? 1 : 0;
  }
  Numbers picks;
  std::vector<bool> is_taken(open.size());
  while (picks.size() < std::min(request.count, open.size())) {
    // of the clusters with fewest taken the largest, of that the most typical
    const auto better = [&](std::size_t a, std::size_t b) {
      const std::size_t of_a = clusters[open.number(a)], of_b = clusters[open.number(b)];
      if (taken[of_a] != taken[of_b]) return taken[of_a] < taken[of_b];
      if (sizes[of_a] != sizes[of_b]) return sizes[of_a] > sizes[of_b];
      if (of_a != of_b) return of_a < of_b;
      return typical[a] > typical[b];
    };
    std::size_t best = open.size();
    for (std::size_t n = 0; n < open.size(); ++n)
      if (!is_taken[n] && (best == open.size() || better(n, best))) best = n;
    is_taken[best] = true;
    ++taken[clusters[open.number(best)]];
    picks.push_back(open.number(best));
  }
  return picks;
}

/// The gradient by the last layer is the program's place times what is not known of its score.
Numbers badge(const PoolList& list, const Request& request, Rng& rng) {
  const OpenPrograms open(list);
  const std::vector<float> unknown = open.disagreement();
  Points gradients{.width = list.places.width, .values = {}};
  for (std::size_t n = 0; n < open.size(); ++n)
    for (const float value : list.places.of(open.number(n)))
      gradients.values.push_back(list.votes.empty() ? value : unknown[n] * value);
  Nearest nearest(gradients);
  Numbers picks;
  std::vector<float> weights(open.size(), 1);
  std::vector<bool> is_taken(open.size());
  while (picks.size() < std::min(request.count, open.size())) {
    std::size_t drawn = draw_by_weight(weights, rng);
    if (is_taken[drawn])  // all that are left lie where others were taken
      drawn = static_cast<std::size_t>(std::ranges::find(is_taken, false) - is_taken.begin());
    is_taken[drawn] = true;
    nearest.take(drawn);
    picks.push_back(open.number(drawn));
    for (std::size_t n = 0; n < open.size(); ++n)
      weights[n] = is_taken[n] ? 0 : nearest.distance(n);
  }
  return picks;
}

Numbers lcmd(const PoolList& list, const Request& request, Rng& rng) {
  const OpenPrograms open(list);
  Nearest nearest(list.places);
  std::vector<bool> is_taken = list.is_measured;
  for (std::size_t n = 0; n < list.size(); ++n)
    if (list.is_measured[n]) nearest.take(n);
  Numbers picks;
  const auto take = [&](std::size_t number) {
    is_taken[number] = true;
    nearest.take(number);
    picks.push_back(number);
  };
  if (nearest.taken() == 0)
    take(open.number(static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(open.size())))));
  while (picks.size() < std::min(request.count, open.size())) {
    std::vector<float> sums(nearest.taken());  // of each cluster
    for (std::size_t n = 0; n < list.size(); ++n) sums[nearest.centre(n)] += nearest.distance(n);
    std::size_t farthest = list.size();
    const auto reach = [&](std::size_t n) {
      return std::pair(sums[nearest.centre(n)], nearest.distance(n));
    };
    for (std::size_t n = 0; n < list.size(); ++n)
      if (!is_taken[n] && (farthest == list.size() || reach(n) > reach(farthest))) farthest = n;
    take(farthest);
  }
  return picks;
}

constexpr std::array<std::string_view, 10> names = {
    "rdu",       "random", "stratified", "k-center", "uncertain",
    "typiclust", "badge",  "lcmd",       "balto",    "greedy"};

}  // namespace

std::unique_ptr<Picker> rdu_picker(RduParts parts) {
  return std::make_unique<EachTask>([parts](const PoolList& list, const Request& request,
                                            Rng& /*rng*/) { return rdu(parts, list, request); });
}

std::span<const std::string_view> picker_names() { return names; }

Result<std::unique_ptr<Picker>> make_picker(std::string_view name) {
  if (name == "rdu") return rdu_picker();
  if (name == "random") return std::unique_ptr<Picker>(std::make_unique<AnyOfPool>());
  const std::pair<std::string_view, PickFromList> by_task[] = {{"stratified", any_of_task},
                                                               {"k-center", k_center},
                                                               {"uncertain", uncertain},
                                                               {"typiclust", typiclust},
                                                               {"badge", badge},
                                                               {"lcmd", lcmd},
                                                               {"balto", balto},
                                                               {"greedy", greedy}};
  for (const auto& [known, pick] : by_task)
    if (name == known) return std::unique_ptr<Picker>(std::make_unique<EachTask>(pick));
  std::string expected;
  for (const std::string_view known : names)
    expected += (expected.empty() ? "" : ", ") + std::string(known);
  return Error{"picker \"" + std::string(name) + "\": expected one of " + expected};
}

}  // namespace tessera
