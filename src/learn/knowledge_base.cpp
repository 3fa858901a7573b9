#include "learn/knowledge_base.h"

#include "base/check.h"
#include "base/draw_to_front.h"
#include "base/stopwatch.h"
#include "learn/distil.h"
#include "learn/training.h"
#include "model/mamba.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

namespace tessera {
namespace {

const std::string importance_prefix = "importance.", hardware_name = "hardware";
const std::string names_fact = "platforms";  // one on each line
constexpr std::size_t list_size = 32;        // programs that are ranked together
constexpr std::size_t lists_per_step = 4;  // of what a column says, what was measured, each former
constexpr std::size_t fewest_lists = 64;   // by which importance is judged
constexpr float kept_of_mean = 0.98F;      // of the weights, with each step
constexpr float most_important = 100;      // beside the mean: no weight is nailed down

/// How far a column is followed: all the way where it has learned to agree with measurements, not
/// at all where it knows no more than a lot would.
double gate(double agreement) {
  constexpr double enough = 0.25;
  return std::clamp(agreement / enough, 0.0, 1.0);
}

std::size_t any_of(const auto& items, Rng& rng) {
  return static_cast<std::size_t>(rng.below(std::ssize(items)));
}

std::vector<std::size_t> numbers_to(std::size_t end) {
  std::vector<std::size_t> numbers(end);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

/// Some programs of a list, half of them of the eighth that has the highest scores: it is there
/// that the order matters.
std::vector<std::size_t> some_of(std::span<const float> scores, Rng& rng) {
  std::vector<std::size_t> numbers = numbers_to(scores.size());
  const std::size_t count = std::min(list_size, numbers.size());
  const std::size_t high = numbers.size() / 8, of_high = std::min(count / 2, high);
  std::ranges::nth_element(numbers, numbers.begin() + static_cast<std::ptrdiff_t>(high),
                           std::greater(), [&](std::size_t n) { return scores[n]; });
  const std::span all(numbers);
  draw_to_front(all.first(high), of_high, rng);
  draw_to_front(all.subspan(of_high), count - of_high, rng);
  numbers.resize(count);
  return numbers;
}

void append(const Rows& from, std::size_t program, Rows& to) {
  const std::span<const float> values = from.of(program);
  to.values.insert(to.values.end(), values.begin(), values.end());
  to.starts.push_back(to.values.size() / to.width);
  if (!from.estimates.empty()) to.estimates.push_back(from.estimates[program]);
}

/// Lists that one step learns from, and what is to be learned of each.
struct Lessons {
  Rows rows;
  std::vector<std::size_t> lists = {0};
  std::vector<std::function<ListLoss(const Judgement&)>> losses;
};

class Compression {
 public:
  /// `known` are the lists of what was measured.
  Compression(const KnowledgeBase& base, const Platform& platform, const Measured& measured,
              const std::vector<EncodedList>& known, const Ranker& column,
              const DistilOptions& options)
      : base_(base), platform_(platform), known_(known), column_(column), options_(options) {
    for (std::size_t n = 0; n < platform.pool.size(); ++n) {
      const EncodedList& list = platform.pool[n];
      Ranker::Opinion opinion = column.judge(list.rows);
      teacher_.push_back(std::move(opinion.scores));
      if (options.feature_weight > 0) features_.push_back(std::move(opinion.features));
      std::vector<float> scores;
      for (std::size_t k = 0; k < list.rows.size(); ++k)
        if (measured[n][k]) scores.push_back(teacher_.back()[k]);
      const std::vector<float> labels = measured_part(list, measured[n]).labels;
      trust_.push_back(options.has_gate ? gate(agreement(scores, labels)) : 1);
    }
    for (const EncodedList& list : known) labels_.push_back(sharpened(list.labels));
    for (const KnownPlatform& one : base.known) {
      const std::vector<EncodedList>* const own =
          platform.recall ? platform.recall(one.name) : nullptr;
      const std::vector<EncodedList>* const pool = own != nullptr ? own : &platform.pool;
      former_.push_back(
          {one.hardware, pool, own != nullptr, std::vector<std::vector<float>>(pool->size())});
    }
  }

  Result<Tensors> run() {
    Result<std::unique_ptr<Ranker>> student =
        make_ranker(base_.shape, options_.seed, options_.threads);
    if (!student) return student.error();
    const Tensors start = without_adapters();
    if (const auto set = (*student)->set_weights(start); !set) return set.error();
    if (options_.importance_weight > 0 && !base_.importance.empty()) {
      Tensors strength = base_.importance;
      for (NamedTensor& tensor : strength)
        for (float& value : tensor.values) value *= options_.importance_weight;
      if (const auto held = (*student)->hold(base_.weights, strength); !held) return held.error();
    }
    const ScoreRows score = scores_of(base_, static_cast<std::size_t>(options_.threads));
    Rng rng(options_.seed);
    Tensors mean = start;
    const Stopwatch stopwatch;
    double done = 0;
    for (std::int64_t step = 0; done < 1; ++step) {
      if (options_.is_stopped && options_.is_stopped()) return Error{"stopped"};
      const Lessons lessons = draw(score, rng);
      (*student)->learn(
          lessons.rows, lessons.lists,
          [&](std::size_t list, const Judgement& judgement) {
            return lessons.losses[list](judgement);
          },
          falling_rate(options_.distilling_rate, done));
      blend(mean, (*student)->weights(), kept_of_mean);
      done =
          std::max(static_cast<double>(step + 1) / static_cast<double>(options_.distilling_steps),
                   stopwatch.seconds() / options_.longest_seconds);
      if (options_.progress) options_.progress("distilling", done);
    }
    return mean;
  }

 private:
  /// Programs by which a platform that the base knows is remembered.
  struct Former {
    const std::vector<float>& hardware;
    const std::vector<EncodedList>* pool;
    bool is_of_platform;                     // the programs are as that platform has them
    std::vector<std::vector<float>> scores;  // of each list that was drawn, the base's
  };

  /// Some programs of a list as if they were of a former platform.
  Rows as_former(const Former& former, const Rows& list,
                 const std::vector<std::size_t>& numbers) const {
    Rows rows{.width = list.width};
    for (const std::size_t k : numbers) {
      append(list, k, rows);
      const std::size_t at = rows.starts[rows.size() - 1] + platform_.hardware_row;
      std::ranges::copy(former.hardware,
                        rows.values.begin() + static_cast<std::ptrdiff_t>(at * rows.width));
    }
    if (!former.is_of_platform) std::ranges::fill(rows.estimates, 0.0F);  // they are of this one
    return rows;
  }

  /// The student begins as the column does: what it has to be reminded of, the former platforms,
  /// takes fewer steps than what a base would have to learn.
  Tensors without_adapters() const {
    Tensors weights = column_.weights();
    weights.erase(weights.begin() + std::ssize(base_.weights), weights.end());
    return weights;
  }

  Lessons draw(const ScoreRows& score, Rng& rng) {
    Lessons lessons{.rows = {.width = base_.shape.width}, .losses = {}};
    for (std::size_t n = 0; n < lists_per_step; ++n) add_new(lessons, rng);
    for (std::size_t n = 0; n < lists_per_step && options_.label_weight > 0; ++n)
      add_measured(lessons, rng);
    if (options_.memory_weight <= 0) return lessons;
    for (Former& former : former_)
      for (std::size_t n = 0; n < lists_per_step; ++n) add_former(former, lessons, score, rng);
    return lessons;
  }

  /// What the column says.
  void add_new(Lessons& lessons, Rng& rng) const {
    const std::size_t number = any_of(platform_.pool, rng);
    const EncodedList& list = platform_.pool[number];
    std::vector<float> teacher, features;
    const std::size_t width = features_.empty() ? 0 : features_[number].size() / list.rows.size();
    for (const std::size_t k : some_of(teacher_[number], rng)) {
      append(list.rows, k, lessons.rows);
      teacher.push_back(teacher_[number][k]);
      for (std::size_t column = 0; column < width; ++column)
        features.push_back(features_[number][k * width + column]);
    }
    lessons.lists.push_back(lessons.rows.size());
    lessons.losses.push_back([=, this](const Judgement& judgement) {
      ListLoss loss{.loss = 0, .gradient = std::vector<float>(teacher.size())};
      const auto trust = static_cast<float>(trust_[number]);
      loss = plus(std::move(loss), imitation_loss(judgement.scores, teacher), trust);
      if (width > 0)
        loss = plus(std::move(loss), feature_loss(judgement.features, features, width),
                    trust * options_.feature_weight);
      return loss;
    });
  }

  /// What the measurements say.
  void add_measured(Lessons& lessons, Rng& rng) const {
    const std::size_t number = any_of(known_, rng);
    const EncodedList& list = known_[number];
    std::vector<std::size_t> drawn = numbers_to(list.rows.size());
    const std::size_t count = std::min(list_size, drawn.size());
    draw_to_front(drawn, count, rng);
    drawn.resize(count);
    std::vector<float> labels;
    for (const std::size_t k : drawn) {
      append(list.rows, k, lessons.rows);
      labels.push_back(labels_[number][k]);
    }
    lessons.lists.push_back(lessons.rows.size());
    lessons.losses.push_back([labels, weight = options_.label_weight](const Judgement& judgement) {
      ListLoss none{.loss = 0, .gradient = std::vector<float>(labels.size())};
      return plus(std::move(none), lambda_rank(judgement.scores, labels), weight);
    });
  }

  /// What the base said of programs of a platform that it knows.
  void add_former(Former& former, Lessons& lessons, const ScoreRows& score, Rng& rng) const {
    const std::size_t number = any_of(*former.pool, rng);
    const EncodedList& list = (*former.pool)[number];
    std::vector<float>& scores = former.scores[number];
    if (scores.empty()) scores = score(as_former(former, list.rows, numbers_to(list.rows.size())));
    const std::vector<std::size_t> drawn = some_of(scores, rng);
    std::vector<float> teacher;
    for (const std::size_t k : drawn) teacher.push_back(scores[k]);
    lessons.rows.append(as_former(former, list.rows, drawn));
    lessons.lists.push_back(lessons.rows.size());
    const float weight = options_.memory_weight;
    lessons.losses.push_back([teacher, weight](const Judgement& judgement) {
      ListLoss none{.loss = 0, .gradient = std::vector<float>(teacher.size())};
      return plus(std::move(none), imitation_loss(judgement.scores, teacher), weight);
    });
  }

  const KnowledgeBase& base_;
  const Platform& platform_;
  const std::vector<EncodedList>& known_;
  const Ranker& column_;
  const DistilOptions& options_;
  std::vector<std::vector<float>> teacher_;   // scores of each list
  std::vector<std::vector<float>> features_;  // likewise; none if they have no weight
  std::vector<std::vector<float>> labels_;    // of the lists that were measured, sharpened
  std::vector<double> trust_;                 // in the column, of each list
  std::vector<Former> former_;
};

/// Squared gradients of the ranking loss, with mean 1.
Result<Tensors> importance_of(const KnowledgeBase& base, ListPointers lists,
                              const DistilOptions& options) {
  Result<std::unique_ptr<Ranker>> ranker = make_ranker(base.shape, options.seed, options.threads);
  if (!ranker) return ranker.error();
  if (const auto set = (*ranker)->set_weights(base.weights); !set) return set.error();
  Rng rng(options.seed);
  Lessons lessons{.rows = {.width = base.shape.width}, .losses = {}};
  std::vector<float> labels;
  for (std::size_t n = 0; n < std::max(fewest_lists, lists.size()); ++n) {
    const EncodedList& list = *lists[n % lists.size()];
    const std::vector<float> sharp = sharpened(list.labels);
    for (const std::size_t k : some_of(sharp, rng)) {
      append(list.rows, k, lessons.rows);
      labels.push_back(sharp[k]);
    }
    lessons.lists.push_back(lessons.rows.size());
  }
  Tensors squares =
      (*ranker)->importance(lessons.rows, lessons.lists, ranking_loss(labels, lessons.lists));
  return normalised(std::move(squares));
}

}  // namespace

Tensors normalised(Tensors importance) {
  double sum = 0, count = 0;
  for (const NamedTensor& tensor : importance)
    for (const float value : tensor.values) {
      sum += static_cast<double>(value);
      ++count;
    }
  const auto scale = static_cast<float>(sum > 0 ? count / sum : 0);
  for (NamedTensor& tensor : importance)
    for (float& value : tensor.values) value = std::min(scale * value, most_important);
  return importance;
}

EncodedList measured_part(const EncodedList& list, const std::vector<bool>& is_measured) {
  EncodedList part{.list = list.list, .rows = {.width = list.rows.width}, .labels = {}};
  for (std::size_t n = 0; n < is_measured.size(); ++n) {
    if (!is_measured[n]) continue;
    append(list.rows, n, part.rows);
    part.labels.push_back(list.labels[n]);
  }
  if (part.labels.empty()) return part;
  const float best = std::ranges::max(part.labels);
  for (float& label : part.labels) label /= best;
  return part;
}

std::vector<EncodedList> measured_parts(const std::vector<EncodedList>& lists,
                                        const Measured& measured) {
  std::vector<EncodedList> known;
  for (std::size_t n = 0; n < lists.size(); ++n)
    if (EncodedList part = measured_part(lists[n], measured[n]); part.labels.size() > 1)
      known.push_back(std::move(part));
  return known;
}

void add_kept(Tensors& importance, const Tensors& former, float kept) {
  for (std::size_t n = 0; n < former.size(); ++n)
    for (std::size_t k = 0; k < former[n].values.size(); ++k)
      importance[n].values[k] += kept * former[n].values[k];
}

Result<KnowledgeBase> protected_for(KnowledgeBase base, ListPointers lists,
                                    const KnownPlatform& platform, const DistilOptions& options) {
  Result<Tensors> importance = importance_of(base, lists, options);
  if (!importance) return importance.error();
  add_kept(*importance, base.importance, options.kept_importance);
  base.importance = *std::move(importance);
  if (std::ranges::find(base.known, platform.hardware, &KnownPlatform::hardware) ==
      base.known.end())
    base.known.push_back(platform);
  return base;
}

Result<KnowledgeBase> learn_platform(const KnowledgeBase& base, const Platform& platform,
                                     const Measured& measured, const DistilOptions& options) {
  const std::vector<EncodedList> known = measured_parts(platform.pool, measured);
  if (known.empty()) return Error{"platform " + platform.name + ": nothing was measured"};
  const KnownPlatform learned{platform.name, hardware_of(known.front(), platform.hardware_row)};
  KnowledgeBase next = base;
  std::erase_if(next.known,
                [&](const KnownPlatform& one) { return one.hardware == learned.hardware; });
  const bool is_first = base.weights.empty();
  Result<std::unique_ptr<Ranker>> column =
      is_first ? make_ranker(base.shape, options.seed, options.threads)
               : make_column(base.shape, base.weights, options.seed, options.threads);
  if (!column) return column.error();
  const auto taught =
      teach_steps(**column, known,
                  {.learning_rate = options.learning_rate,
                   .seed = options.seed,
                   .longest_seconds = options.longest_seconds,
                   .is_stopped = options.is_stopped},
                  std::max(options.learning_steps, options.least_epochs * steps_of(known, {})),
                  [&](double done) {
                    if (options.progress) options.progress("learning", done);
                  });
  if (!taught) return taught.error();

  Result<Tensors> weights =
      is_first ? (*column)->weights()
               : Compression(next, platform, measured, known, **column, options).run();
  if (!weights) return weights.error();
  next.weights = *std::move(weights);
  std::vector<const EncodedList*> lists;
  for (const EncodedList& list : known) lists.push_back(&list);
  return protected_for(std::move(next), lists, learned, options);
}

TrainedRanker to_trained(const KnowledgeBase& base, std::map<std::string, std::string> facts) {
  TrainedRanker trained{.shape = base.shape,
                        .weights = base.weights,
                        .facts = std::move(facts),
                        .memory = base.importance};
  for (NamedTensor& tensor : trained.memory) tensor.name = importance_prefix + tensor.name;
  const auto width = static_cast<std::int64_t>(base.shape.width);
  NamedTensor hardware{hardware_name, {std::ssize(base.known), width}, {}};
  std::string names;
  for (const KnownPlatform& one : base.known) {
    hardware.values.insert(hardware.values.end(), one.hardware.begin(), one.hardware.end());
    names += (names.empty() ? "" : "\n") + one.name;
  }
  if (base.known.empty()) return trained;
  trained.memory.push_back(std::move(hardware));
  trained.facts[names_fact] = names;
  return trained;
}

Result<KnowledgeBase> to_knowledge_base(TrainedRanker trained) {
  KnowledgeBase base{.shape = std::move(trained.shape), .weights = std::move(trained.weights)};
  if (base.shape.kind != "mamba") return Error{"a " + base.shape.kind + ", expected a mamba"};
  const auto width = static_cast<std::int64_t>(base.shape.width);
  for (NamedTensor& tensor : trained.memory)
    if (tensor.name.starts_with(importance_prefix)) {
      tensor.name.erase(0, importance_prefix.size());
      base.importance.push_back(std::move(tensor));
    } else if (tensor.name == hardware_name && tensor.shape.size() == 2 &&
               tensor.shape[1] == width) {
      for (auto row = tensor.values.begin(); row != tensor.values.end(); row += width)
        base.known.push_back({.name = {}, .hardware = {row, row + width}});
    } else {
      return Error{"memory \"" + tensor.name + "\": not one of a knowledge base"};
    }
  std::istringstream names(trained.facts[names_fact]);
  std::size_t named = 0;
  for (std::string name; std::getline(names, name); ++named)
    if (named < base.known.size()) base.known[named].name = std::move(name);
  if (named != base.known.size())
    return Error{"memory of " + std::to_string(base.known.size()) + " platforms with " +
                 std::to_string(named) + " names"};
  return base;
}

Result<KnowledgeBase> read_knowledge_base(const std::string& path) {
  Result<TrainedRanker> trained = read_trained_ranker(path);
  if (!trained) return trained.error();
  Result<KnowledgeBase> base = to_knowledge_base(*std::move(trained));
  if (!base) return Error{path + ": " + base.error().message};
  return base;
}

ScoreRows scores_of(const KnowledgeBase& base, std::size_t threads) {
  Result<Mamba> made = Mamba::make({.shape = base.shape, .weights = base.weights});
  check(made.has_value(), "weights of the base's shape");
  const auto mamba = std::make_shared<const Mamba>(*std::move(made));
  return [mamba, threads](const Rows& rows) { return mamba->score(rows, threads); };
}

}  // namespace tessera
