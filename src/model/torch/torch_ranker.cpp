#include "model/torch/torch_ranker.h"

#include "base/check.h"
#include "base/parallel_for.h"
#include "base/rng.h"
#include "model/prefix_tree.h"
#include "model/torch/adam.h"
#include "model/torch/batches.h"
#include "model/torch/ranking_network.h"
#include "model/torch/tensor_layout.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cblas.h>
#include <numeric>
#include <utility>

namespace tessera {
namespace {

constexpr double longest_gradient = 0.5;
constexpr float weight_decay = 0.1f;

std::unique_ptr<RankingNetwork> make_network(const RankerShape& shape) {
  if (shape.kind == "tenset-mlp") return tenset_mlp(shape);
  if (shape.kind == "tlp") return tlp(shape);
  check(shape.kind == "mamba", "a kind of network that exists");
  return mamba(shape);
}

/// The same memory.
at::Tensor tensor_at(float* numbers, const std::vector<std::int64_t>& shape) {
  return at::from_blob(numbers, shape, at::kFloat);
}

at::Tensor indices(const std::vector<std::int64_t>& numbers) {
  return at::tensor(numbers, at::kLong);
}

/// Programs, given as the numbers of their rows, each a branch of its own.
Packed apart(const Rows& numbers) {
  std::vector<std::int64_t> order(numbers.size());
  std::iota(order.begin(), order.end(), 0);
  return {.rows = {},
          .of_steps = indices({numbers.values.begin(), numbers.values.end()}),
          .starts = indices({numbers.starts.begin(), numbers.starts.end()}),
          .depths = at::zeros({std::ssize(order)}, at::kLong),
          .order = indices(order)};
}

/// The same with common beginnings once.
Packed merged(const Rows& numbers) {
  const std::vector<std::size_t> order = walking_order(numbers);
  const PrefixTree tree = prefix_tree(numbers, order);
  std::vector<std::int64_t> of_steps, starts = {0}, depths;
  for (const PrefixTree::Node& node : tree.nodes)
    of_steps.push_back(static_cast<std::int64_t>(numbers.values[node.row]));
  for (std::size_t n = 0; n < order.size(); ++n) {
    const auto end = static_cast<std::int64_t>(tree.ends[n]) + 1;  // as that before, if it is alike
    depths.push_back(static_cast<std::int64_t>(numbers.length(order[n])) - (end - starts.back()));
    starts.push_back(end);
  }
  return {.rows = {},
          .of_steps = indices(of_steps),
          .starts = indices(starts),
          .depths = indices(depths),
          .order = indices({order.begin(), order.end()})};
}

/// A thread's view of the weights, with a gradient of its own.
struct Learner {
  std::vector<float> gradient;
  Weights weights;
};

Learner make_learner(const TensorLayout& layout, std::vector<float>& weights) {
  Learner learner{.gradient = std::vector<float>(layout.size()), .weights = {}};
  for (const TensorLayout::Slice& slice : layout.slices()) {
    at::Tensor weight = tensor_at(weights.data() + slice.first, slice.shape);
    weight.set_requires_grad(true);
    weight.mutable_grad() = tensor_at(learner.gradient.data() + slice.first, slice.shape);
    learner.weights.emplace(slice.name, std::move(weight));
  }
  return learner;
}

/// Those of Adam beside the weights.
TensorLayout state_layout(const Tensors& weights) {
  Tensors state = {{"steps", {}, {}}};
  for (const char* what : {"mean.", "square."})
    for (const NamedTensor& weight : weights)
      state.push_back({what + weight.name, weight.shape, {}});
  return TensorLayout(state);
}

class TorchRanker final : public Ranker {
 public:
  TorchRanker(const RankerShape& shape, std::unique_ptr<RankingNetwork> network, Tensors weights,
              int threads)
      : shape_(shape),
        network_(std::move(network)),
        layout_(weights),
        state_layout_(state_layout(weights)),
        weights_(*layout_.numbers(weights)),
        adam_{.mean = std::vector<float>(layout_.size()),
              .square = std::vector<float>(layout_.size())} {
    for (const TensorLayout::Slice& slice : layout_.slices())
      decay_.insert(decay_.end(), slice.size, decays(slice.name) ? weight_decay : 0.0f);
    for (int n = 0; n < threads; ++n) learners_.push_back(make_learner(layout_, weights_));
  }

  const RankerShape& shape() const override { return shape_; }
  std::int64_t parameter_count() const override {
    return static_cast<std::int64_t>(layout_.size());
  }

  Opinion judge(const Rows& programs) const override {
    std::vector<std::size_t> begins(programs.size() + 1);  // each is a list of its own
    std::iota(begins.begin(), begins.end(), 0);
    const std::vector<Batch> parts = batches(programs, begins);
    std::vector<Opinion> opinions(parts.size());
    parallel_for(parts.size(), learners_.size(), [&](std::size_t n) {
      const at::NoGradGuard without_gradients;
      const Batch& batch = parts[n];
      const RankingNetwork::Output output =
          network_->judge(learners_.front().weights, packed(programs, batch.first, batch.end));
      const float* const learned = output.scores.data_ptr<float>();
      for (std::size_t k = batch.first; k < batch.end; ++k)
        opinions[n].scores.push_back(first_score(shape_, programs, k) + learned[k - batch.first]);
      if (!output.features.defined()) return;
      const at::Tensor seen = output.features.contiguous();
      opinions[n].features.assign(seen.data_ptr<float>(), seen.data_ptr<float>() + seen.numel());
    });
    Opinion all;
    for (const Opinion& part : opinions) {
      all.scores.insert(all.scores.end(), part.scores.begin(), part.scores.end());
      all.features.insert(all.features.end(), part.features.begin(), part.features.end());
    }
    return all;
  }

  double learn(const Rows& programs, std::span<const std::size_t> lists, const LossOfList& loss,
               double learning_rate) override {
    check(lists.size() > 1 && lists.front() == 0 && lists.back() == programs.size(),
          "lists of all programs");
    const std::vector<Batch> parts = batches(programs, lists);
    std::vector<double> losses(parts.size());
    const std::size_t threads = learners_.size();
    // thread n has the parts n, n + threads, ..: sums do not depend on who is faster
    parallel_for(threads, threads, [&](std::size_t thread) {
      Learner& learner = learners_[thread];
      std::fill(learner.gradient.begin(), learner.gradient.end(), 0.0f);
      for (std::size_t n = thread; n < parts.size(); n += threads)
        losses[n] = add_gradient(learner, programs, lists, parts[n], loss);
    });

    std::vector<float>& gradient = learners_.front().gradient;
    for (std::size_t n = 1; n < threads; ++n)
      std::transform(gradient.begin(), gradient.end(), learners_[n].gradient.begin(),
                     gradient.begin(), std::plus());
    const auto count = static_cast<double>(lists.size() - 1);
    for (float& slope : gradient) slope = static_cast<float>(slope / count);
    clip(gradient, longest_gradient);
    for (std::size_t n = 0; n < held_.size(); ++n)
      gradient[n] += held_[n].strength * (weights_[n] - held_[n].centre);
    adam_step(adam_, weights_, gradient, decay_, learning_rate);
    return std::accumulate(losses.begin(), losses.end(), 0.0) / count;
  }

  Tensors importance(const Rows& programs, std::span<const std::size_t> lists,
                     const LossOfList& loss) override {
    const std::size_t threads = learners_.size(), count = lists.size() - 1;
    std::vector<std::vector<float>> squares(threads, std::vector<float>(layout_.size()));
    parallel_for(threads, threads, [&](std::size_t thread) {
      Learner& learner = learners_[thread];
      for (std::size_t n = thread; n < count; n += threads) {
        std::fill(learner.gradient.begin(), learner.gradient.end(), 0.0f);
        add_gradient(learner, programs, lists, {n, n + 1}, loss);
        for (std::size_t k = 0; k < layout_.size(); ++k)
          squares[thread][k] += learner.gradient[k] * learner.gradient[k];
      }
    });
    for (std::size_t n = 1; n < threads; ++n)
      std::transform(squares[0].begin(), squares[0].end(), squares[n].begin(), squares[0].begin(),
                     std::plus());
    for (float& square : squares[0]) square /= static_cast<float>(count);
    return layout_.tensors(squares[0]);
  }

  Result<void> hold(const Tensors& centre, const Tensors& strength) override {
    const Result<std::vector<float>> centres = layout_.numbers(centre);
    if (!centres) return Error{"centre of a " + shape_.kind + ": " + centres.error().message};
    const Result<std::vector<float>> strengths = layout_.numbers(strength);
    if (!strengths) return Error{"strength of a " + shape_.kind + ": " + strengths.error().message};
    held_.clear();
    for (std::size_t n = 0; n < centres->size(); ++n)
      held_.push_back({(*centres)[n], (*strengths)[n]});
    return {};
  }

  Tensors weights() const override { return layout_.tensors(weights_); }

  Tensors optimiser_state() const override {
    std::vector<float> numbers = {static_cast<float>(adam_.steps)};
    numbers.insert(numbers.end(), adam_.mean.begin(), adam_.mean.end());
    numbers.insert(numbers.end(), adam_.square.begin(), adam_.square.end());
    return state_layout_.tensors(numbers);
  }

  Result<void> set_weights(const Tensors& weights) override {
    const Result<std::vector<float>> numbers = layout_.numbers(weights);
    if (!numbers) return Error{"weights of a " + shape_.kind + ": " + numbers.error().message};
    std::copy(numbers->begin(), numbers->end(), weights_.begin());  // where the learners look
    return {};
  }

  Result<void> set_optimiser_state(const Tensors& state) override {
    const Result<std::vector<float>> numbers = state_layout_.numbers(state);
    if (!numbers)
      return Error{"optimiser state of a " + shape_.kind + ": " + numbers.error().message};
    const std::span<const float> all(*numbers);
    const auto mean = all.subspan(1, layout_.size());
    const auto square = all.subspan(1 + layout_.size());
    adam_ = {.steps = static_cast<std::int64_t>(all.front()),
             .mean = {mean.begin(), mean.end()},
             .square = {square.begin(), square.end()}};
    return {};
  }

 private:
  /// Some of the programs, with columns divided by their scales.
  Packed packed(const Rows& programs, std::size_t first, std::size_t end) const {
    check(programs.width == shape_.width, "rows of the ranker's width");
    for (std::size_t n = first; n < end; ++n) check(programs.length(n) > 0, "programs with rows");
    const std::size_t first_row = programs.starts[first];
    std::vector<std::size_t> steps(programs.starts[end] - first_row);
    std::iota(steps.begin(), steps.end(), first_row);
    const DistinctRows distinct = distinct_rows(programs, steps);
    at::Tensor rows = at::empty(
        {std::ssize(distinct.rows), static_cast<std::int64_t>(programs.width)}, at::kFloat);
    float* to = rows.data_ptr<float>();
    for (const std::size_t row : distinct.rows)
      for (std::size_t k = 0; k < programs.width; ++k)
        *to++ = programs.values[row * programs.width + k] /
                (shape_.scales.empty() ? 1 : shape_.scales[k]);
    Rows numbers{.width = 1};  // each row as the number of one that it is like
    numbers.values.assign(distinct.of.begin(), distinct.of.end());
    for (std::size_t n = first; n < end; ++n)
      numbers.starts.push_back(programs.starts[n + 1] - first_row);
    std::vector<std::int64_t> heads(end - first);
    if (!programs.heads.empty())
      std::copy_n(programs.heads.begin() + static_cast<std::ptrdiff_t>(first), heads.size(),
                  heads.begin());
    Packed packed = network_->is_causal() ? merged(numbers) : apart(numbers);
    packed.rows = rows;
    packed.heads = indices(heads);
    return packed;
  }

  /// The loss of the lists of a batch.
  double add_gradient(const Learner& learner, const Rows& programs,
                      std::span<const std::size_t> lists, const Batch& batch,
                      const LossOfList& loss) const {
    const std::size_t first = lists[batch.first], end = lists[batch.end];
    const RankingNetwork::Output output =
        network_->judge(learner.weights, packed(programs, first, end));
    const float* const learned = output.scores.data_ptr<float>();
    std::vector<float> scores;
    for (std::size_t k = first; k < end; ++k)
      scores.push_back(first_score(shape_, programs, k) + learned[k - first]);
    std::span<const float> features;
    std::size_t width = 0;
    if (output.features.defined()) {
      width = static_cast<std::size_t>(output.features.size(1));
      features = {output.features.data_ptr<float>(), width * scores.size()};
    }

    double sum = 0;
    std::vector<float> gradient(scores.size()), feature_gradient;
    for (std::size_t n = batch.first; n < batch.end; ++n) {
      const std::size_t at = lists[n] - first, size = lists[n + 1] - lists[n];
      const ListLoss list = loss(n, {.scores = std::span<const float>(scores).subspan(at, size),
                                     .features = features.subspan(at * width, size * width)});
      sum += list.loss;
      std::copy(list.gradient.begin(), list.gradient.end(),
                gradient.begin() + static_cast<std::ptrdiff_t>(at));
      if (list.feature_gradient.empty()) continue;
      feature_gradient.resize(features.size());
      std::copy(list.feature_gradient.begin(), list.feature_gradient.end(),
                feature_gradient.begin() + static_cast<std::ptrdiff_t>(at * width));
    }
    const auto count = static_cast<std::int64_t>(scores.size());
    std::vector<at::Tensor> outputs = {output.scores};
    std::vector<at::Tensor> gradients = {tensor_at(gradient.data(), {count})};
    if (!feature_gradient.empty()) {
      outputs.push_back(output.features);
      gradients.push_back(
          tensor_at(feature_gradient.data(), {count, static_cast<std::int64_t>(width)}));
    }
    torch::autograd::backward(outputs, gradients);
    return sum;
  }

  /// Where a weight is pulled to, and how strongly.
  struct Held {
    float centre = 0;
    float strength = 0;
  };

  RankerShape shape_;
  std::unique_ptr<RankingNetwork> network_;
  TensorLayout layout_;
  TensorLayout state_layout_;
  std::vector<float> weights_;
  std::vector<float> decay_;
  std::vector<Held> held_;  // none, or one for each weight
  AdamState adam_;
  std::vector<Learner> learners_;  // one for each thread
};

std::unique_ptr<Ranker> ranker_of(const RankerShape& shape, std::unique_ptr<RankingNetwork> network,
                                  std::uint64_t seed, int threads) {
  at::set_num_threads(1);
  openblas_set_num_threads(1);
  Rng rng(seed);
  Tensors weights = network->initial_weights(rng);
  return std::make_unique<TorchRanker>(shape, std::move(network), std::move(weights), threads);
}

}  // namespace

std::unique_ptr<Ranker> make_torch_ranker(const RankerShape& shape, std::uint64_t seed,
                                          int threads) {
  return ranker_of(shape, make_network(shape), seed, threads);
}

Result<std::unique_ptr<Ranker>> make_torch_column(const RankerShape& shape, const Tensors& base,
                                                  std::uint64_t seed, int threads) {
  Rng rng(seed);
  const TensorLayout layout(make_network(shape)->initial_weights(rng));
  const Result<std::vector<float>> numbers = layout.numbers(base);
  if (!numbers) return Error{"base of a column: " + numbers.error().message};
  Weights weights;
  for (NamedTensor& tensor : layout.tensors(*numbers))
    weights.emplace(tensor.name, tensor_at(tensor.values.data(), tensor.shape).clone());
  return ranker_of(shape, column(shape, std::move(weights)), seed, threads);
}

}  // namespace tessera
