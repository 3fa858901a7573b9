#include "model/mamba.h"

#include "base/check.h"
#include "base/parallel_for.h"
#include "model/decay.h"
#include "model/mamba_step.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>

namespace tessera {
namespace {

constexpr std::size_t rows_together = 192;   // through the layers, so that they stay in caches
constexpr std::size_t parts_per_thread = 4;  // of all programs, each a tree
constexpr float norm_floor = 1e-5F;

/// The weights by name, with the shapes that they must have.
class WeightReader {
 public:
  explicit WeightReader(const Tensors& tensors) {
    for (const NamedTensor& tensor : tensors) by_name_.emplace(tensor.name, &tensor);
  }

  const NamedTensor& take(const std::string& name, std::vector<std::int64_t> shape) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end() || found->second->shape != shape) {
      if (!refusal) refusal = Error{"weights of a mamba: no " + name + " of the right shape"};
      zeros_.push_back({name, shape, {}});
      std::int64_t count = 1;
      for (const std::int64_t size : shape) count *= size;
      zeros_.back().values.resize(static_cast<std::size_t>(count));
      return zeros_.back();
    }
    return *found->second;
  }
  LinearLayer linear(const std::string& name, std::int64_t outputs, std::int64_t inputs,
                     bool has_bias) {
    const NamedTensor& weight = take(name + ".weight", {outputs, inputs});
    return {weight, has_bias ? &take(name + ".bias", {outputs}) : nullptr};
  }

  std::optional<Error> refusal;

 private:
  std::map<std::string, const NamedTensor*> by_name_;
  std::list<NamedTensor> zeros_;  // in the place of those that are refused
};

/// A rows x columns matrix the other way round.
std::vector<float> transposed(const std::vector<float>& values, std::size_t columns) {
  const std::size_t rows = values.size() / columns;
  std::vector<float> out(values.size());
  for (std::size_t n = 0; n < values.size(); ++n) out[n % columns * rows + n / columns] = values[n];
  return out;
}

}  // namespace

Result<Mamba> Mamba::make(const TrainedRanker& trained) {
  check(trained.shape.kind == "mamba", "a mamba");
  const RankerShape& shape = trained.shape;
  Mamba net;
  net.shape_ = shape;
  net.width_ = static_cast<std::size_t>(shape.model_width);
  net.channels_ = static_cast<std::size_t>(shape.expand * shape.model_width);
  net.states_ = static_cast<std::size_t>(shape.states);
  net.steps_ = static_cast<std::size_t>(shape.convolution);
  net.dt_width_ = (net.width_ + 15) / 16;
  net.inverse_scales_.assign(shape.width, 1);
  for (std::size_t n = 0; n < shape.scales.size(); ++n)
    net.inverse_scales_[n] = 1 / shape.scales[n];
  const std::int64_t d = shape.model_width, channels = shape.expand * d, narrow = 64;
  const auto dt = static_cast<std::int64_t>(net.dt_width_);
  WeightReader weights(trained.weights);
  const auto rows = static_cast<std::int64_t>(shape.width);
  net.encoder_ = {weights.linear("encoder.0", narrow, rows, true),
                  weights.linear("encoder.2", d, narrow, true)};
  for (std::int64_t n = 0; n < shape.blocks; ++n) {
    const std::string name = "blocks." + std::to_string(n) + ".";
    Block block;
    block.norm = weights.take(name + "norm.weight", {d}).values;
    block.in_proj = weights.linear(name + "in_proj", 2 * channels, d, false);
    block.x_proj = weights.linear(name + "x_proj", dt + 2 * shape.states, channels, false);
    block.dt_proj = weights.linear(name + "dt_proj", channels, dt, true);
    block.out_proj = weights.linear(name + "out_proj", d, channels, false);
    block.convolution = transposed(
        weights.take(name + "conv.weight", {channels, shape.convolution}).values, net.steps_);
    block.convolution_bias = weights.take(name + "conv.bias", {channels}).values;
    block.a =
        in_scan_blocks(weights.take(name + "A_log", {channels, shape.states}).values, net.states_);
    for (float& a : block.a) a = -std::exp(a) * log2_e;
    block.d = weights.take(name + "D", {channels}).values;
    net.blocks_.push_back(std::move(block));
  }
  net.head_ = {weights.linear("head.0", d, d, true), weights.linear("head.2", narrow, d, true)};
  net.last_weight_ = weights.take("head.4.weight", {1, narrow}).values;
  net.last_bias_ = weights.take("head.4.bias", {1}).values.front();
  if (weights.refusal) return *weights.refusal;
  return net;
}

std::vector<float> Mamba::score(const Rows& programs, std::size_t threads) const {
  return score_of(programs, features(programs, threads));
}

/// Steps are read out before the last layer: it is linear, so what it gives for their sum is the
/// sum of what it gives for each.
std::vector<float> Mamba::score_of(const Rows& programs, std::span<const float> features) const {
  std::vector<float> scores;
  for (std::size_t n = 0; n < programs.size(); ++n) {
    const std::span feature = features.subspan(n * feature_width(), feature_width());
    const float biases =
        shape_.read_out == "sum" ? static_cast<float>(programs.length(n)) : 1.0F;  // that are read
    scores.push_back(std::inner_product(feature.begin(), feature.end(), last_weight_.begin(),
                                        first_score(shape_, programs, n) + biases * last_bias_));
  }
  return scores;
}

std::vector<float> Mamba::features(const Rows& programs, std::size_t threads) const {
  check(programs.width == shape_.width, "rows of the ranker's width");
  std::vector<float> all(programs.size() * feature_width());
  const std::vector<std::size_t> order = walking_order(programs);
  const std::size_t parts = threads == 1 ? 1 : parts_per_thread * threads;
  parallel_for(parts, threads, [&](std::size_t n) {
    const std::size_t first = n * order.size() / parts, end = (n + 1) * order.size() / parts;
    if (first < end) add_features(programs, std::span(order).subspan(first, end - first), all);
  });
  return all;
}

/// A walk through a tree of rows. What goes from step to step is kept for each depth: a node finds
/// there what the one that it goes on from has left. What the first block gets from a row depends
/// on nothing else and is computed once for rows that are alike.
class Mamba::Walk {
 public:
  Walk(const Mamba& net, const Rows& programs, const PrefixTree& tree)
      : net_(net), tree_(tree), memories_(net.blocks_.size()) {
    std::size_t depths = 0;
    std::vector<std::size_t> rows;
    for (const PrefixTree::Node& node : tree.nodes) {
      depths = std::max(depths, node.depth + 1);
      rows.push_back(node.row);
    }
    distinct_ = distinct_rows(programs, rows);
    for (Memory& memory : memories_) {
      memory.inputs.resize(depths * net.channels_);
      memory.states.resize(depths * net.states_ * net.channels_);
    }
    for (std::size_t n = 0; n < distinct_.rows.size(); n += rows_together)
      read(programs, std::span(distinct_.rows).subspan(n, count_from(n, distinct_.rows.size())));
  }

  /// What the head gives for each node.
  std::vector<float> outputs() {
    std::vector<float> all;
    for (std::size_t n = 0; n < tree_.nodes.size(); n += rows_together)
      judge(n, count_from(n, tree_.nodes.size()), all);
    return all;
  }

 private:
  /// What a block remembers of each depth.
  struct Memory {
    std::vector<float> inputs;  // of the convolution
    std::vector<float> states;
  };

  static std::size_t count_from(std::size_t n, std::size_t end) {
    return std::min(rows_together, end - n);
  }
  static std::vector<float>& sized(std::vector<float>& values, std::size_t size) {
    if (values.size() < size) values.resize(size);
    return values;
  }
  std::size_t stride() const { return net_.encoder_[1].stride(); }
  std::size_t xz_stride() const { return net_.blocks_.front().in_proj.stride(); }

  static const float* through(const LinearLayer& layer, const float* x, std::size_t x_stride,
                              std::size_t rows, std::vector<float>& y, bool is_relu) {
    layer.apply(x, x_stride, rows, sized(y, rows * layer.stride()).data(), is_relu);
    return y.data();
  }

  /// Adds to what is known of distinct rows.
  void read(const Rows& programs, std::span<const std::size_t> rows) {
    const std::size_t width = net_.shape_.width;
    std::vector<float>& scaled = sized(a_, rows.size() * width);
    for (std::size_t n = 0; n < rows.size(); ++n)
      for (std::size_t column = 0; column < width; ++column)
        scaled[n * width + column] =
            programs.values[rows[n] * width + column] * net_.inverse_scales_[column];
    const float* x = through(net_.encoder_[0], scaled.data(), width, rows.size(), c_, true);
    through(net_.encoder_[1], x, net_.encoder_[0].stride(), rows.size(), h_, true);
    const float* xz = project(net_.blocks_.front(), rows.size());
    encoded_.insert(encoded_.end(), h_.data(), h_.data() + rows.size() * stride());
    projected_.insert(projected_.end(), xz, xz + rows.size() * xz_stride());
  }

  /// Some nodes, in the order of the walk.
  void judge(std::size_t first, std::size_t count, std::vector<float>& all) {
    sized(h_, count * stride());
    sized(xz_, count * xz_stride());
    for (std::size_t n = 0; n < count; ++n) {
      const std::size_t row = distinct_.of[first + n];
      std::copy_n(encoded_.data() + row * stride(), stride(), h_.data() + n * stride());
      std::copy_n(projected_.data() + row * xz_stride(), xz_stride(), xz_.data() + n * xz_stride());
    }
    const std::span nodes = std::span(tree_.nodes).subspan(first, count);
    for (std::size_t n = 0; n < net_.blocks_.size(); ++n) {
      if (n > 0) project(net_.blocks_[n], count);
      mix(net_.blocks_[n], memories_[n], nodes);
    }
    const float* x = through(net_.head_[0], h_.data(), stride(), count, a_, true);
    x = through(net_.head_[1], x, net_.head_[0].stride(), count, c_, true);
    for (std::size_t n = 0; n < count; ++n, x += net_.head_[1].stride())
      all.insert(all.end(), x, x + net_.feature_width());
  }

  /// xz = in_proj(norm(h)): an input and a gate for each channel.
  const float* project(const Block& block, std::size_t rows) {
    std::vector<float>& normed = sized(a_, rows * stride());
    for (std::size_t n = 0; n < rows; ++n) {
      const float* h = h_.data() + n * stride();
      float sum = 0;
      for (std::size_t k = 0; k < net_.width_; ++k) sum += h[k] * h[k];
      const float factor = 1 / std::sqrt(sum / static_cast<float>(net_.width_) + norm_floor);
      for (std::size_t k = 0; k < net_.width_; ++k)
        normed[n * stride() + k] = h[k] * factor * block.norm[k];
    }
    return through(block.in_proj, normed.data(), stride(), rows, xz_, false);
  }

  /// h += mixer(xz).
  void mix(const Block& block, Memory& memory, std::span<const PrefixTree::Node> nodes) {
    const std::size_t rows = nodes.size(), channels = net_.channels_;
    const float* xz = xz_.data();
    std::vector<float>& x = sized(x_, rows * channels);
    for (std::size_t n = 0; n < rows; ++n) {
      const std::size_t depth = nodes[n].depth;
      float* inputs = memory.inputs.data();
      std::copy_n(xz + n * xz_stride(), channels, inputs + depth * channels);
      convolve({.inputs = inputs + depth * channels,
                .known = std::min(depth + 1, net_.steps_),
                .steps = net_.steps_,
                .channels = channels,
                .weights = block.convolution.data(),
                .bias = block.convolution_bias.data()},
               x.data() + n * channels);
    }
    const float* projected = through(block.x_proj, x.data(), channels, rows, c_, false);
    const std::size_t stride_of_projected = block.x_proj.stride();
    const float* dt = through(block.dt_proj, projected, stride_of_projected, rows, d_, false);
    std::vector<float>& y = sized(y_, rows * channels);
    for (std::size_t n = 0; n < rows; ++n) {
      const std::size_t depth = nodes[n].depth, size = net_.states_ * channels;
      const float* b = projected + n * stride_of_projected + net_.dt_width_;
      scan({.x = x.data() + n * channels,
            .z = xz + n * xz_stride() + channels,
            .dt = dt + n * block.dt_proj.stride(),
            .a = block.a.data(),
            .b = b,
            .c = b + net_.states_,
            .d = block.d.data(),
            .before = depth == 0 ? nullptr : memory.states.data() + (depth - 1) * size,
            .channels = channels,
            .states = net_.states_},
           memory.states.data() + depth * size, y.data() + n * channels);
    }
    const float* mixed = through(block.out_proj, y.data(), channels, rows, a_, false);
    for (std::size_t n = 0; n < rows * stride(); ++n) h_[n] += mixed[n];
  }

  const Mamba& net_;
  const PrefixTree& tree_;
  DistinctRows distinct_;                   // of nodes
  std::vector<float> encoded_, projected_;  // of distinct rows: h and xz for the first block
  std::vector<Memory> memories_;
  std::vector<float> h_, xz_, x_, y_, a_, c_, d_;
};

void Mamba::add_features(const Rows& programs, std::span<const std::size_t> order,
                         std::vector<float>& all) const {
  const PrefixTree tree = prefix_tree(programs, order);
  const std::size_t width = feature_width();
  std::vector<float> of_nodes = Walk(*this, programs, tree).outputs();
  if (shape_.read_out != "last") {
    std::vector<float> sums;  // up to each depth of the path
    for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
      const std::size_t depth = tree.nodes[n].depth;
      sums.resize((depth + 1) * width);
      for (std::size_t k = 0; k < width; ++k) {
        float& value = of_nodes[n * width + k];
        value += depth == 0 ? 0 : sums[(depth - 1) * width + k];
        sums[depth * width + k] = value;
      }
    }
  }
  for (std::size_t n = 0; n < order.size(); ++n) {
    const float count =
        shape_.read_out == "mean" ? static_cast<float>(programs.length(order[n])) : 1.0F;
    for (std::size_t k = 0; k < width; ++k)
      all[order[n] * width + k] = of_nodes[tree.ends[n] * width + k] / count;
  }
}

}  // namespace tessera
