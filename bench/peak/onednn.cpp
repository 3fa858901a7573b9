#include "peak/peers.h"

#ifdef TESSERA_HAS_ONEDNN

#include "base/check.h"
#include "peak/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <dnnl.hpp>
#include <memory>
#include <omp.h>
#include <unordered_map>

namespace tessera::bench {
namespace {

using Tag = dnnl::memory::format_tag;
using Description = dnnl::memory::desc;
using Dims = dnnl::memory::dims;

constexpr dnnl::prop_kind inference = dnnl::prop_kind::forward_inference;

Description described(const Dims& dims, Tag tag) {
  return {dims, dnnl::memory::data_type::f32, tag};
}

/// A primitive with its memory. Operands are reordered once into the layouts that it asks for.
class Primitive {
 public:
  Primitive() : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {}

  const dnnl::engine& engine() const { return engine_; }

  template <typename Kind>
  void set(const typename Kind::primitive_desc& chosen) {
    primitive_ = Kind(chosen);
    kernel_ = chosen.impl_info_str();
  }
  const std::string& kernel() const { return kernel_; }

  /// The operand `buffer`, which lies as `given` says, in the layout `wanted`.
  void add_operand(int argument, const HostBuffer& buffer, const Description& given,
                   const Description& wanted) {
    dnnl::memory from(given, engine_, const_cast<void*>(buffer.data()));
    dnnl::memory to(wanted, engine_);
    dnnl::reorder(from, to).execute(stream_, from, to);
    stream_.wait();
    arguments_[argument] = to;
  }

  void set_output(const Description& chosen, const Description& plain) {
    output_ = dnnl::memory(chosen, engine_);
    plain_ = plain;
    arguments_[DNNL_ARG_DST] = output_;
  }

  void run() {
    primitive_.execute(stream_, arguments_);
    stream_.wait();
  }

  HostBuffer output() {
    HostBuffer buffer(DType::F32, static_cast<std::int64_t>(plain_.get_size() / sizeof(float)));
    dnnl::memory to(plain_, engine_, buffer.data());
    dnnl::reorder(output_, to).execute(stream_, output_, to);
    stream_.wait();
    return buffer;
  }

 private:
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::primitive primitive_;
  std::string kernel_;
  std::unordered_map<int, dnnl::memory> arguments_;
  dnnl::memory output_;
  Description plain_;
};

using Operands = std::span<const HostBuffer>;
using Way = std::shared_ptr<Primitive>;

Way matmul_way(const Matmul& w, Operands operands) {
  const bool is_batched = w.batch > 1;
  const auto dims = [&](std::int64_t rows, std::int64_t cols) {
    return is_batched ? Dims{w.batch, rows, cols} : Dims{rows, cols};
  };
  const Tag plain = is_batched ? Tag::abc : Tag::ab;
  const Description a = described(dims(w.m, w.k), plain), c = described(dims(w.m, w.n), plain);
  const Tag b_order = w.is_b_transposed ? (is_batched ? Tag::acb : Tag::ba) : plain;
  const Description b = described(dims(w.k, w.n), b_order);
  const Description b_free = w.is_b_constant ? described(dims(w.k, w.n), Tag::any) : b;
  auto way = std::make_shared<Primitive>();
  const dnnl::matmul::primitive_desc chosen({a, b_free, c}, way->engine());
  way->set<dnnl::matmul>(chosen);
  way->add_operand(DNNL_ARG_SRC, operands[0], a, chosen.src_desc());
  way->add_operand(DNNL_ARG_WEIGHTS, operands[1], b, chosen.weights_desc());
  way->set_output(chosen.dst_desc(), c);
  return way;
}

Way inner_product_way(const Matmul& w, Operands operands) {
  auto way = std::make_shared<Primitive>();
  const dnnl::inner_product_forward::primitive_desc chosen(
      {inference, described({w.m, w.k}, Tag::any), described({w.n, w.k}, Tag::any),
       described({w.m, w.n}, Tag::any)},
      way->engine());
  way->set<dnnl::inner_product_forward>(chosen);
  way->add_operand(DNNL_ARG_SRC, operands[0], described({w.m, w.k}, Tag::ab), chosen.src_desc());
  way->add_operand(DNNL_ARG_WEIGHTS, operands[1],
                   described({w.n, w.k}, w.is_b_transposed ? Tag::ab : Tag::ba),
                   chosen.weights_desc());
  way->set_output(chosen.dst_desc(), described({w.m, w.n}, Tag::ab));
  return way;
}

std::vector<Way> ways(const Matmul& w, const std::string&, Operands operands) {
  std::vector<Way> all = {matmul_way(w, operands)};
  if (w.is_b_constant && w.batch == 1) all.push_back(inner_product_way(w, operands));
  return all;
}

Way conv_way(const Conv& w, dnnl::algorithm algorithm, Operands operands) {
  const Dims pads{w.padding, w.padding}, strides{w.stride, w.stride};
  const Dims dilations{w.dilation - 1, w.dilation - 1};
  const Dims x{1, w.in_channels, w.size, w.size};
  const Dims y{1, w.out_channels, w.out_size(), w.out_size()};
  Dims weights{w.out_channels / w.groups, w.in_channels / w.groups, w.window, w.window};
  if (w.groups > 1) weights.insert(weights.begin(), w.groups);
  dnnl::post_ops relu;
  relu.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(relu);

  auto way = std::make_shared<Primitive>();
  const dnnl::convolution_forward::primitive_desc chosen(
      {inference, algorithm, described(x, Tag::any), described(weights, Tag::any),
       described({w.out_channels}, Tag::any), described(y, Tag::any), strides, dilations, pads,
       pads},
      attributes, way->engine());
  way->set<dnnl::convolution_forward>(chosen);
  way->add_operand(DNNL_ARG_SRC, operands[0], described(x, Tag::abcd), chosen.src_desc());
  way->add_operand(DNNL_ARG_WEIGHTS, operands[1],
                   described(weights, w.groups > 1 ? Tag::abcde : Tag::abcd),
                   chosen.weights_desc());
  way->add_operand(DNNL_ARG_BIAS, operands[2], described({w.out_channels}, Tag::a),
                   chosen.bias_desc());
  way->set_output(chosen.dst_desc(), described(y, Tag::abcd));
  return way;
}

std::vector<Way> ways(const Conv& w, const std::string& algorithm, Operands operands) {
  std::vector<Way> all = {conv_way(w, dnnl::algorithm::convolution_direct, operands)};
  if (algorithm == "direct") return all;
  try {
    all.push_back(conv_way(w, dnnl::algorithm::convolution_winograd, operands));
  } catch (const dnnl::error& error) {
    check(error.status == dnnl_unimplemented, error.what());  // as it is without AVX-512
  }
  return all;
}

std::vector<Way> ways(const Rows& w, const std::string&, Operands operands) {
  const Description matrix = described({w.rows, w.cols}, Tag::ab);
  auto way = std::make_shared<Primitive>();
  if (w.family == "softmax") {
    way->set<dnnl::softmax_forward>({{inference, matrix, 1}, way->engine()});
  } else if (w.family == "gelu") {
    const auto gelu = dnnl::algorithm::eltwise_gelu_erf;
    way->set<dnnl::eltwise_forward>({{inference, gelu, matrix}, way->engine()});
  } else {
    check(w.family == "layernorm", "a known function of a matrix");
    const auto flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
    way->set<dnnl::layer_normalization_forward>({{inference, matrix, 1e-5F, flags}, way->engine()});
    const Description row = described({w.cols}, Tag::a);
    way->add_operand(DNNL_ARG_SCALE, operands[1], row, row);
    way->add_operand(DNNL_ARG_SHIFT, operands[2], row, row);
  }
  way->add_operand(DNNL_ARG_SRC, operands[0], matrix, matrix);
  way->set_output(matrix, matrix);
  return {way};
}

}  // namespace

std::optional<Peer> onednn_peer(const Case& c, Operands operands, std::int64_t threads) {
  omp_set_num_threads(static_cast<int>(threads));  // first: a primitive is cut for its threads
  const std::vector<Way> all =
      std::visit([&](const auto& work) { return ways(work, c.algorithm, operands); }, c.work);
  const Way best = *std::ranges::min_element(all, {}, [&](const Way& way) {
    return measure({[&] { way->run(); }, threads}, 20e-3).fastest;
  });
  return Peer{[best] { best->run(); }, [best] { return best->output(); }, best->kernel()};
}

std::string onednn_version() {
  const dnnl_version_t& version = *dnnl::version();
  return fmt::format("{}.{}.{}", version.major, version.minor, version.patch);
}

}  // namespace tessera::bench

#else

namespace tessera::bench {

std::optional<Peer> onednn_peer(const Case&, std::span<const HostBuffer>, std::int64_t) {
  return std::nullopt;
}

std::string onednn_version() { return "absent"; }

}  // namespace tessera::bench

#endif
