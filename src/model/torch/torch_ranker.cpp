#include "model/torch/torch_ranker.h"

#include "base/check.h"
#include "base/parallel_for.h"
#include "base/rng.h"
#include "model/lambda_rank.h"
#include "model/torch/adam.h"
#include "model/torch/batches.h"
#include "model/torch/ranking_network.h"
#include "model/torch/tensor_layout.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
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
  TorchRanker(const RankerShape& shape, Tensors weights, int threads)
      : shape_(shape),
        network_(make_network(shape)),
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

  std::vector<float> score(const Rows& programs) const override {
    std::vector<std::size_t> begins(programs.size() + 1);  // each is a list of its own
    std::iota(begins.begin(), begins.end(), 0);
    const std::vector<Batch> parts = batches(programs, begins);
    std::vector<float> scores(programs.size());
    parallel_for(parts.size(), learners_.size(), [&](std::size_t n) {
      const at::NoGradGuard without_gradients;
      const at::Tensor got = network_->scores(learners_.front().weights,
                                              packed(programs, parts[n].first, parts[n].end));
      const float* const learned = got.data_ptr<float>();
      for (std::size_t k = parts[n].first; k < parts[n].end; ++k)
        scores[k] = first_score(shape_, programs, k) + learned[k - parts[n].first];
    });
    return scores;
  }

  double learn(const Rows& programs, std::span<const float> labels,
               std::span<const std::size_t> lists, double learning_rate) override {
    check(labels.size() == programs.size(), "a label for each program");
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
        losses[n] = add_gradient(learner, programs, labels,
                                 lists.subspan(parts[n].first, parts[n].end - parts[n].first + 1));
    });

    std::vector<float>& gradient = learners_.front().gradient;
    for (std::size_t n = 1; n < threads; ++n)
      std::transform(gradient.begin(), gradient.end(), learners_[n].gradient.begin(),
                     gradient.begin(), std::plus());
    const auto count = static_cast<double>(lists.size() - 1);
    for (float& slope : gradient) slope = static_cast<float>(slope / count);
    clip(gradient, longest_gradient);
    adam_step(adam_, weights_, gradient, decay_, learning_rate);
    return std::accumulate(losses.begin(), losses.end(), 0.0) / count;
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
    const std::size_t first_row = programs.starts[first];
    std::vector<std::int64_t> starts;
    for (std::size_t n = first; n <= end; ++n)
      starts.push_back(static_cast<std::int64_t>(programs.starts[n] - first_row));
    for (std::size_t n = first; n < end; ++n) check(programs.length(n) > 0, "programs with rows");
    const auto count = static_cast<std::int64_t>(starts.size());
    const auto width = static_cast<std::int64_t>(programs.width);
    // reads only; LibTorch has no tensor of constants
    const at::Tensor rows =
        tensor_at(const_cast<float*>(programs.values.data() + first_row * programs.width),
                  {starts.back(), width});
    return {.rows = shape_.scales.empty()
                        ? rows
                        : rows / tensor_at(const_cast<float*>(shape_.scales.data()), {width}),
            .starts = at::from_blob(starts.data(), {count}, at::kLong).clone()};
  }

  /// The loss of some lists.
  double add_gradient(const Learner& learner, const Rows& programs, std::span<const float> labels,
                      std::span<const std::size_t> lists) const {
    const at::Tensor scores =
        network_->scores(learner.weights, packed(programs, lists.front(), lists.back()));
    const float* const learned = scores.data_ptr<float>();
    std::vector<float> values, gradient;
    for (std::size_t k = lists.front(); k < lists.back(); ++k)
      values.push_back(first_score(shape_, programs, k) + learned[k - lists.front()]);
    double loss = 0;
    for (std::size_t n = 0; n + 1 < lists.size(); ++n) {
      const std::size_t size = lists[n + 1] - lists[n];
      const RankingLoss list =
          lambda_rank(std::span<const float>(values).subspan(lists[n] - lists.front(), size),
                      labels.subspan(lists[n], size));
      loss += list.loss;
      gradient.insert(gradient.end(), list.gradient.begin(), list.gradient.end());
    }
    torch::autograd::backward(
        {scores}, {tensor_at(gradient.data(), {static_cast<std::int64_t>(gradient.size())})});
    return loss;
  }

  RankerShape shape_;
  std::unique_ptr<RankingNetwork> network_;
  TensorLayout layout_;
  TensorLayout state_layout_;
  std::vector<float> weights_;
  std::vector<float> decay_;
  AdamState adam_;
  std::vector<Learner> learners_;  // one for each thread
};

}  // namespace

std::unique_ptr<Ranker> make_torch_ranker(const RankerShape& shape, std::uint64_t seed,
                                          int threads) {
  at::set_num_threads(1);
  openblas_set_num_threads(1);
  Rng rng(seed);
  return std::make_unique<TorchRanker>(shape, make_network(shape)->initial_weights(rng), threads);
}

}  // namespace tessera
