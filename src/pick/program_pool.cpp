#include "pick/program_pool.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace tessera {
namespace {

constexpr std::size_t first_programs = 4;

/// A list that has fewer than its share.
struct Claim {
  double lacking = 0;
  double lot = 0;
  std::size_t list = 0;
  friend auto operator<=>(const Claim&, const Claim&) = default;
};

}  // namespace

std::size_t PoolList::measured() const {
  return static_cast<std::size_t>(std::ranges::count(is_measured, true));
}

std::vector<std::size_t> PoolList::open() const {
  std::vector<std::size_t> numbers;
  for (std::size_t n = 0; n < is_measured.size(); ++n)
    if (!is_measured[n]) numbers.push_back(n);
  return numbers;
}

std::size_t ProgramPool::size() const {
  std::size_t sum = 0;
  for (const PoolList& list : lists) sum += list.size();
  return sum;
}

std::size_t ProgramPool::measured() const {
  std::size_t sum = 0;
  for (const PoolList& list : lists) sum += list.measured();
  return sum;
}

std::vector<std::size_t> shares_of(const ProgramPool& pool, std::size_t count, Rng& rng) {
  double weights = 0;
  for (const PoolList& list : pool.lists) weights += std::sqrt(static_cast<double>(list.size()));
  const double measurements = static_cast<double>(pool.measured() + count);
  std::vector<std::size_t> shares(pool.lists.size());
  std::priority_queue<Claim> claims;
  const auto claim = [&](std::size_t n) {
    const PoolList& list = pool.lists[n];
    const std::size_t has = list.measured() + shares[n];
    if (has == list.size()) return;
    const double share = measurements * std::sqrt(static_cast<double>(list.size())) / weights;
    claims.push({share - static_cast<double>(has), rng.unit(), n});
  };
  for (std::size_t n = 0; n < pool.lists.size(); ++n) claim(n);
  for (std::size_t left = count; left > 0 && !claims.empty();) {
    const std::size_t n = claims.top().list;
    claims.pop();
    const PoolList& list = pool.lists[n];
    const std::size_t has = list.measured() + shares[n];
    const std::size_t wanted = has < first_programs ? first_programs - has : 1;
    const std::size_t given = std::min({wanted, left, list.size() - has});
    shares[n] += given;
    left -= given;
    claim(n);
  }
  return shares;
}

}  // namespace tessera
