#include "search/seeds.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>
#include <tuple>

namespace tessera {
namespace {

/// Sum of the ratios of sizes, as logarithms; only between tasks of one family.
double distance(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  double sum = 0;
  for (std::size_t n = 0; n < std::min(a.size(), b.size()); ++n)
    sum += std::abs(std::log2(static_cast<double>(a[n] + 1) / static_cast<double>(b[n] + 1)));
  return sum;
}

}  // namespace

TaskEntry entry_of(const Task& task) {
  TaskEntry entry{.fingerprint = to_text(fingerprint(task)), .text = to_text(task), .family = {}};
  std::string shape;
  for (std::size_t at = 0; at < entry.text.size();) {
    const char* begin = entry.text.data() + at;
    if (std::isdigit(static_cast<unsigned char>(*begin)) == 0) {
      shape += *begin;
      ++at;
      continue;
    }
    std::int64_t value = 0;
    const char* end = entry.text.data() + entry.text.size();
    const auto number = std::from_chars(begin, end, value);
    entry.sizes.push_back(number.ec == std::errc() ? value : 0);
    at += static_cast<std::size_t>(number.ptr - begin);
    shape += '#';
  }
  entry.family = to_text(fingerprint(shape));
  return entry;
}

Result<std::int64_t> recall(TaskSearch& search, const RecordStore& store) {
  std::int64_t outdated = 0;
  const RecordStore::Filter filter{.task = to_text(fingerprint(search.task())),
                                   .target = to_text(search.task().target)};
  const auto done = store.visit(filter, [&](const Record& record) {
    if (record.origin.starts_with(plan_origin)) return true;  // measured in a network, not alone
    const auto names = parse_choices(record.choices);
    if (!names) return ++outdated, true;
    Space::Chain chain = adopt(search.space(), *names, search.untuned());
    if (to_text(chain.draft.schedule) != record.schedule) return ++outdated, true;
    search.add({std::move(chain), record.origin}, record.measurement);
    return true;
  });
  if (!done) return done.error();
  return outdated;
}

Result<std::vector<Candidate>> seeds_for(const TaskSearch& search, const RecordStore& store,
                                         std::size_t count) {
  const TaskEntry self = entry_of(search.task());
  const std::string target = to_text(search.task().target);
  const Result<std::vector<TaskEntry>> family = store.tasks(self.family);
  if (!family) return family.error();
  // Same text, same preset, near sizes come first; the fingerprint decides ties.
  std::vector<std::tuple<double, bool, std::string, Record>> related;
  for (const TaskEntry& entry : *family) {
    if (entry.fingerprint == self.fingerprint) continue;
    const Result<std::vector<Record>> best = store.best({.task = entry.fingerprint});
    if (!best) return best.error();
    for (const Record& record : *best)
      related.emplace_back(distance(self.sizes, entry.sizes),
                           preset_of(record.target) != preset_of(target), entry.fingerprint,
                           record);
  }
  std::ranges::stable_sort(related, {}, [](const auto& one) {
    return std::tuple(std::get<0>(one), std::get<1>(one), std::get<2>(one));
  });
  std::vector<Candidate> seeds;
  std::set<Choices> seen;
  for (const auto& [far, is_foreign, fingerprint, record] : related) {
    const auto names = parse_choices(record.choices);
    if (!names || seeds.size() == count) continue;
    Space::Chain chain = adopt(search.space(), *names, search.untuned());
    if (search.has_measured(chain.choices) || !seen.insert(chain.choices).second) continue;
    seeds.push_back({std::move(chain), "store"});
  }
  return seeds;
}

}  // namespace tessera
