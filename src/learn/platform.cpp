#include "learn/platform.h"

#include "base/draw_to_front.h"
#include "base/file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

namespace tessera {
namespace {

constexpr std::string_view time_prefix = "time_ms:";
constexpr std::size_t device_signs = 8;
constexpr std::size_t judged_lists = 100;
constexpr std::size_t judged_size = 120;
constexpr std::size_t fewest_common = 100;

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

/// A table as it stands in the file.
struct DeviceTable {
  std::vector<std::string> parameters, devices;
  std::vector<std::vector<double>> configurations;          // values of parameters
  std::vector<std::vector<std::optional<double>>> seconds;  // of each configuration, by device
};

Result<DeviceTable> parse_table(std::string_view text) {
  DeviceTable table;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::vector<std::string_view> fields = fields_of(line);
    const std::string where = "line " + std::to_string(++number) + ": ";
    if (number == 1) {
      for (const std::string_view name : fields)
        if (name.starts_with(time_prefix))
          table.devices.emplace_back(name.substr(time_prefix.size()));
        else if (table.devices.empty())
          table.parameters.emplace_back(name);
        else
          return Error{where + "column \"" + std::string(name) + "\" behind those of times"};
      continue;
    }
    if (line.empty()) continue;
    if (fields.size() != table.parameters.size() + table.devices.size())
      return Error{where + std::to_string(fields.size()) + " fields, expected " +
                   std::to_string(table.parameters.size() + table.devices.size())};
    std::vector<double>& values = table.configurations.emplace_back();
    std::vector<std::optional<double>>& seconds = table.seconds.emplace_back();
    for (std::size_t n = 0; n < fields.size(); ++n) {
      const bool is_time = n >= table.parameters.size();
      const std::optional<double> value = number_of(fields[n]);
      if (is_time && fields[n].empty()) {
        seconds.emplace_back();
      } else if (!value || (is_time && *value <= 0)) {
        return Error{where + "\"" + std::string(fields[n]) + "\", expected a " +
                     (is_time ? "time in milliseconds" : "number")};
      } else if (is_time) {
        seconds.emplace_back(*value / 1e3);
      } else {
        values.push_back(*value);
      }
    }
  }
  return table;
}

/// A row for the device, then one for each parameter: which it is, its value and its logarithm.
void append_program(const DeviceTable& table, std::size_t configuration, const std::string& device,
                    Rows& rows) {
  const std::size_t kinds = 1 + table.parameters.size();
  const auto row = [&](std::size_t kind) {
    const std::size_t at = rows.values.size();
    rows.values.resize(at + rows.width);
    rows.values[at + kind] = 1;
    return rows.values.data() + at + kinds;
  };
  float* const signs = row(0) + 2;
  Rng rng(fingerprint(device).low);
  for (std::size_t n = 0; n < device_signs; ++n) signs[n] = rng.chance(0.5) ? 1.0F : -1.0F;
  for (std::size_t n = 0; n < table.parameters.size(); ++n) {
    const double value = table.configurations[configuration][n];
    float* const facts = row(1 + n);
    facts[0] = static_cast<float>(value);
    facts[1] = static_cast<float>(std::log2(1 + std::abs(value)));
  }
  rows.starts.push_back(rows.values.size() / rows.width);
}

/// Configurations with their times on one device.
struct TimedList {
  Rows rows;
  std::vector<double> seconds;
};

TimedList timed_list(const DeviceTable& table, std::size_t device,
                     const std::vector<std::size_t>& configurations) {
  TimedList list{.rows = {.width = 1 + table.parameters.size() + 2 + device_signs}, .seconds = {}};
  for (const std::size_t n : configurations)
    if (const std::optional<double>& seconds = table.seconds[n][device]) {
      append_program(table, n, table.devices[device], list.rows);
      list.seconds.push_back(*seconds);
    }
  return list;
}

std::vector<float> labels_of(const std::vector<double>& seconds) {
  const double best = std::ranges::min(seconds);
  std::vector<float> labels;
  for (const double one : seconds) labels.push_back(static_cast<float>(best / one));
  return labels;
}

/// Each list counts alike.
Ranking judge_lists(const std::vector<TimedList>& lists, const ScoreRows& score) {
  Ranking ranking;
  const auto share = 1 / static_cast<double>(lists.size());
  Ranking::TopK& top1 = ranking.top1;
  for (const TimedList& list : lists) {
    const std::vector<float> given = score(list.rows);
    const std::vector<double> scores(given.begin(), given.end());
    const double best = std::ranges::min(list.seconds);
    top1.mean += share * best / best_of_top(scores, list.seconds, 1);
    ranking.top5.mean += share * best / best_of_top(scores, list.seconds, 5);
    ranking.pairs += share * pair_accuracy(scores, list.seconds);
  }
  top1.pooled = ranking.top1_of_tasks = top1.mean;
  ranking.top5.pooled = ranking.top5.mean;
  return ranking;
}

Platform device_of(const DeviceTable& table, std::size_t device,
                   const std::vector<std::size_t>& pool,
                   const std::vector<std::vector<std::size_t>>& judged) {
  const TimedList all = timed_list(table, device, pool);
  Platform platform{.name = table.devices[device], .pool = {}, .judge = {}};
  platform.pool.push_back({.list = nullptr, .rows = all.rows, .labels = labels_of(all.seconds)});
  auto lists = std::make_shared<std::vector<TimedList>>();
  for (const std::vector<std::size_t>& configurations : judged)
    if (TimedList list = timed_list(table, device, configurations); list.seconds.size() > 1)
      lists->push_back(std::move(list));
  platform.judge = [lists](const ScoreRows& score) { return judge_lists(*lists, score); };
  return platform;
}

}  // namespace

std::vector<float> hardware_of(const EncodedList& list, std::size_t hardware_row) {
  const std::span<const float> row =
      list.rows.of(0).subspan(hardware_row * list.rows.width, list.rows.width);
  return {row.begin(), row.end()};
}

Result<JudgeScores> judge_by_tokens(const Dataset& data, const std::string& target,
                                    std::size_t threads) {
  std::vector<const ScheduleList*> lists;
  for (const ScheduleList& list : data.lists)
    if (list.purpose == Purpose::HeldOut && to_text(list.task.target) == target)
      lists.push_back(&list);
  Result<std::vector<EncodedList>> encoded = encode(lists, Encoding::Tokens, threads);
  if (!encoded) return encoded.error();
  const auto kept = std::make_shared<const std::vector<EncodedList>>(*std::move(encoded));
  return JudgeScores([&data, target, kept](const ScoreRows& score) {
    return judge(data, target, [&](const ScheduleList& list) {
      const auto found = std::ranges::find(*kept, &list, &EncodedList::list);
      const std::vector<float> scores = score(found->rows);
      return std::vector<double>(scores.begin(), scores.end());
    });
  });
}

Result<std::vector<Platform>> platforms_of(const Dataset& data, std::size_t threads) {
  std::map<std::string, std::vector<const ScheduleList*>> pools;  // by target
  for (const ScheduleList& list : data.lists)
    if (list.purpose != Purpose::HeldOut) pools[to_text(list.task.target)].push_back(&list);
  std::vector<Platform> platforms;
  for (const auto& [target, lists] : pools) {
    Result<std::vector<EncodedList>> pool = encode(lists, Encoding::Tokens, threads);
    if (!pool) return pool.error();
    Result<JudgeScores> judge = judge_by_tokens(data, target, threads);
    if (!judge) return judge.error();
    platforms.push_back({.name = target,
                         .pool = *std::move(pool),
                         .hardware_row = target_row,
                         .judge = *std::move(judge)});
  }
  const auto pools_of = std::make_shared<std::map<std::string, std::vector<EncodedList>>>();
  for (const Platform& platform : platforms) pools_of->emplace(platform.name, platform.pool);
  for (Platform& platform : platforms)
    platform.recall = [pools_of](const std::string& name) {
      const auto found = pools_of->find(name);
      return found == pools_of->end() ? nullptr : &found->second;
    };
  return platforms;
}

Result<std::vector<Platform>> read_platform_table(const std::string& path, std::uint64_t seed) {
  const Result<std::string> text = read_file(path);
  if (!text) return text.error();
  const Result<DeviceTable> table = parse_table(*text);
  if (!table) return Error{path + ": " + table.error().message};
  if (table->parameters.empty()) return Error{path + ": no columns of parameters"};
  if (table->devices.size() < 2)
    return Error{path + ": " + std::to_string(table->devices.size()) +
                 " columns time_ms:DEVICE, expected two at least"};
  std::size_t common = 0;
  for (const auto& seconds : table->seconds)
    common += std::ranges::all_of(seconds, [](const auto& one) { return one.has_value(); }) ? 1 : 0;
  if (common < fewest_common)
    return Error{path + ": " + std::to_string(common) +
                 " configurations that run on all devices, expected " +
                 std::to_string(fewest_common) + " at least"};
  Rng rng(seed);
  std::vector<std::size_t> pool, others;
  for (std::size_t n = 0; n < table->configurations.size(); ++n)
    (rng.below(3) > 0 ? pool : others).push_back(n);
  std::vector<std::vector<std::size_t>> judged(judged_lists);
  for (std::vector<std::size_t>& list : judged) {
    const std::size_t count = std::min(judged_size, others.size());
    draw_to_front(others, count, rng);
    list.assign(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(count));
  }
  std::vector<Platform> platforms;
  for (std::size_t device = 0; device < table->devices.size(); ++device)
    platforms.push_back(device_of(*table, device, pool, judged));
  return platforms;
}

}  // namespace tessera
