#include "learn/training.h"

#include "base/rng.h"
#include "base/stopwatch.h"
#include "learn/metrics.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <numeric>

namespace tessera {
namespace {

/// Programs of one list that are ranked together.
struct Part {
  std::size_t list = 0;
  std::vector<std::size_t> programs;
};

void shuffle(auto& items, Rng& rng) {
  for (std::size_t n = items.size(); n > 1; --n)
    std::swap(items[n - 1],
              items[static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(n)))]);
}

/// All programs of all lists, cut into parts of about equal size, in an order of its own for each
/// epoch.
std::vector<Part> parts_for(const std::vector<EncodedList>& lists, std::size_t list_size,
                            std::uint64_t seed, std::int64_t epoch) {
  Rng rng(seed * 1'000'003 + static_cast<std::uint64_t>(epoch));
  std::vector<Part> parts;
  for (std::size_t n = 0; n < lists.size(); ++n) {
    std::vector<std::size_t> order(lists[n].rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(order, rng);
    const std::size_t count = (order.size() + list_size - 1) / list_size;
    for (std::size_t part = 0; part < count; ++part) {
      const auto begin = order.begin() + static_cast<std::ptrdiff_t>(part * order.size() / count);
      const auto end =
          order.begin() + static_cast<std::ptrdiff_t>((part + 1) * order.size() / count);
      if (end - begin > 1) parts.push_back({n, {begin, end}});
    }
  }
  shuffle(parts, rng);
  return parts;
}

/// What one step learns from.
struct Lessons {
  Rows rows;
  std::vector<float> labels;
  std::vector<std::size_t> lists = {0};
};

/// `labels` has those of all lists, sharpened.
Lessons lessons_of(const std::vector<EncodedList>& lists,
                   const std::vector<std::vector<float>>& labels, std::span<const Part> parts) {
  Lessons lessons{.rows = {.width = lists.front().rows.width}, .labels = {}};
  for (const Part& part : parts) {
    const EncodedList& list = lists[part.list];
    for (const std::size_t program : part.programs) {
      const std::span<const float> values = list.rows.of(program);
      lessons.rows.values.insert(lessons.rows.values.end(), values.begin(), values.end());
      lessons.rows.starts.push_back(lessons.rows.values.size() / lessons.rows.width);
      lessons.labels.push_back(labels[part.list][program]);
      if (!list.rows.estimates.empty())
        lessons.rows.estimates.push_back(list.rows.estimates[program]);
      if (!list.rows.heads.empty()) lessons.rows.heads.push_back(list.rows.heads[program]);
    }
    lessons.lists.push_back(lessons.rows.size());
  }
  return lessons;
}

/// What share of learning is.
double done_of(const TrainingOptions& options, const TrainingProgress& state) {
  return std::max(static_cast<double>(state.epoch) / static_cast<double>(options.epochs),
                  state.seconds / options.longest_seconds);
}

/// Of the mean of weights over the steps, which ranks tasks that are not known better than the
/// weights of any one step: how much of it stays with each.
constexpr float kept_of_mean = 0.99f;

/// Where learning stands: the ranker as it is, the mean of its weights, the best of those, and the
/// counts.
class Checkpoint {
 public:
  Checkpoint(std::string path, std::string key) : path_(std::move(path)), key_(std::move(key)) {}

  Result<void> write(const Ranker& ranker, const Tensors& mean, const Tensors& best,
                     const TrainingProgress& state) const {
    if (path_.empty()) return {};
    Safetensors file{.tensors = {}, .metadata = {{"key", key_}}};
    const auto add = [&](const char* prefix, const Tensors& tensors) {
      for (NamedTensor tensor : tensors) {
        tensor.name = prefix + tensor.name;
        file.tensors.push_back(std::move(tensor));
      }
    };
    add("now.", ranker.weights());
    add("mean.", mean);
    add("best.", best);
    add("optimiser.", ranker.optimiser_state());
    const auto number = [&](const char* name, double value) {
      file.tensors.push_back({std::string("count.") + name, {1}, {static_cast<float>(value)}});
    };
    number("epoch", static_cast<double>(state.epoch));
    number("best_epoch", static_cast<double>(state.best_epoch));
    number("best_quality", state.best_quality);
    return write_safetensors(path_, file);
  }

  /// Nothing when there is none, or one of something else.
  Result<void> read(Ranker& ranker, Tensors& mean, Tensors& best, TrainingProgress& state) const {
    if (path_.empty() || !std::filesystem::exists(path_)) return {};
    const Result<Safetensors> file = read_safetensors(path_);
    if (!file) return file.error();
    const auto key = file->metadata.find("key");
    if (key == file->metadata.end() || key->second != key_) return {};
    const auto part = [&](const std::string& prefix) {
      Tensors tensors;
      for (const NamedTensor& tensor : file->tensors)
        if (tensor.name.starts_with(prefix))
          tensors.push_back({tensor.name.substr(prefix.size()), tensor.shape, tensor.values});
      return tensors;
    };
    if (const auto done = ranker.set_weights(part("now.")); !done) return refused(done.error());
    if (const auto done = ranker.set_optimiser_state(part("optimiser.")); !done)
      return refused(done.error());
    mean = part("mean.");
    best = part("best.");
    for (const NamedTensor& count : part("count.")) {
      if (count.values.size() != 1) return refused({"not a checkpoint"});
      const double value = count.values.front();
      if (count.name == "epoch") state.epoch = static_cast<std::int64_t>(value);
      if (count.name == "best_epoch") state.best_epoch = static_cast<std::int64_t>(value);
      if (count.name == "best_quality") state.best_quality = value;
    }
    return {};
  }

  void remove() const {
    std::error_code gone;  // what cannot be removed is overwritten next time
    std::filesystem::remove(path_, gone);
  }

 private:
  Error refused(const Error& error) const { return {path_ + ": " + error.message}; }

  std::string path_;
  std::string key_;
};

}  // namespace

std::vector<float> sharpened(std::span<const float> labels) {
  constexpr float sharpest = 6, least_of_tenth = 0.3F;
  std::vector<float> sharp(labels.begin(), labels.end());
  if (sharp.empty()) return sharp;
  const auto tenth = sharp.begin() + std::ssize(sharp) / 10;
  std::ranges::nth_element(sharp, tenth, std::greater());
  const float power =
      *tenth < 1 ? std::min(sharpest, std::log(least_of_tenth) / std::log(*tenth)) : sharpest;
  std::ranges::transform(labels, sharp.begin(),
                         [&](float label) { return std::pow(label, power); });
  return sharp;
}

double falling_rate(double first, double done) {
  return first * (0.55 + 0.45 * std::cos(std::numbers::pi * done));
}

std::int64_t steps_of(const std::vector<EncodedList>& training, const TrainingOptions& options) {
  std::size_t parts = 0;
  for (const EncodedList& list : training)
    parts += (list.rows.size() + options.list_size - 1) / options.list_size;
  const std::size_t steps = (parts + options.lists_per_step - 1) / options.lists_per_step;
  return static_cast<std::int64_t>(std::max<std::size_t>(steps, 1));
}

void blend(Tensors& mean, const Tensors& weights, float kept) {
  for (std::size_t n = 0; n < mean.size(); ++n)
    for (std::size_t i = 0; i < mean[n].values.size(); ++i) {
      float& value = mean[n].values[i];
      value = kept * value + (1 - kept) * weights[n].values[i];
    }
}

double quality_of(const Ranker& ranker, const std::vector<EncodedList>& lists) {
  double sum = 0;
  for (const EncodedList& one : lists) {
    const std::vector<float> scores = ranker.score(one.rows);
    const std::vector<double> wide(scores.begin(), scores.end());
    const std::vector<double>& seconds = one.list->seconds;
    const double best = one.list->best_seconds();
    sum += 0.5 * best / best_of_top(wide, seconds, 1) + 0.5 * best / best_of_top(wide, seconds, 5);
  }
  return lists.empty() ? 0 : sum / static_cast<double>(lists.size());
}

Result<TrainingProgress> teach(Ranker& ranker, const std::vector<EncodedList>& training,
                               const std::vector<EncodedList>& validation,
                               const TrainingOptions& options, const std::string& checkpoint,
                               const std::string& key,
                               const std::function<void(const TrainingProgress&)>& progress) {
  TrainingProgress state;
  Tensors mean = ranker.weights(), best = mean;
  const Checkpoint kept(checkpoint, key);
  std::vector<std::vector<float>> labels;
  for (const EncodedList& list : training) labels.push_back(sharpened(list.labels));
  if (const auto done = kept.read(ranker, mean, best, state); !done) return done.error();
  while (state.epoch < options.epochs && state.epoch - state.best_epoch < options.patience &&
         state.seconds < options.longest_seconds) {
    if (options.is_stopped && options.is_stopped()) return state;
    const Stopwatch stopwatch;
    const std::vector<Part> parts =
        parts_for(training, options.list_size, options.seed, state.epoch);
    const double rate = falling_rate(options.learning_rate, done_of(options, state));
    double loss = 0;
    for (std::size_t n = 0; n < parts.size(); n += options.lists_per_step) {
      const std::size_t count = std::min(options.lists_per_step, parts.size() - n);
      const Lessons lessons = lessons_of(training, labels, std::span(parts).subspan(n, count));
      loss += static_cast<double>(count) * ranker.learn(lessons.rows, lessons.lists,
                                                        ranking_loss(lessons.labels, lessons.lists),
                                                        rate);
      blend(mean, ranker.weights(), kept_of_mean);
      state.programs += static_cast<std::int64_t>(lessons.labels.size());
    }
    state.seconds += stopwatch.seconds();
    ++state.epoch;
    state.loss = loss / static_cast<double>(parts.size());
    const Tensors now = ranker.weights();
    if (const auto done = ranker.set_weights(mean); !done) return done.error();
    state.quality = quality_of(ranker, validation);
    if (const auto done = ranker.set_weights(now); !done) return done.error();
    if (state.quality > state.best_quality || validation.empty()) {
      state.best_quality = state.quality;
      state.best_epoch = state.epoch;
      best = mean;
    }
    if (const auto done = kept.write(ranker, mean, best, state); !done) return done.error();
    if (progress) progress(state);
  }
  if (const auto done = ranker.set_weights(best); !done) return done.error();
  kept.remove();
  return state;
}

Result<void> teach_steps(Ranker& ranker, const std::vector<EncodedList>& training,
                         TrainingOptions options, std::int64_t steps,
                         const std::function<void(double done)>& progress) {
  options.epochs = options.patience = (steps - 1) / steps_of(training, options) + 1;
  const Result<TrainingProgress> done =
      teach(ranker, training, {}, options, "", "", [&](const TrainingProgress& state) {
        if (progress) progress(done_of(options, state));
      });
  if (!done) return done.error();
  if (options.is_stopped && options.is_stopped()) return Error{"stopped"};
  return {};
}

}  // namespace tessera
