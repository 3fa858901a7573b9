#include "ops/activation.h"
#include "ops/conv.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/norm.h"
#include "ops/pool.h"
#include "ops/rearrange.h"
#include "ops/reduce.h"
#include "ops/softmax.h"
#include "ops/task_spec.h"

#include <algorithm>

namespace tessera {
namespace {

using Builder = ComputationBuilder;

struct Function {
  std::string_view name;
  TensorId (*apply)(Builder& builder, const TensorId& x);
};

/// Functions of one tensor: families of their own, and parts of an epilogue.
constexpr Function functions[] = {
    {"relu", [](Builder& b, const TensorId& x) { return ops::relu(b, x); }},
    {"relu6", [](Builder& b, const TensorId& x) { return ops::clip(b, x, 0, 6, "relu6"); }},
    {"gelu", [](Builder& b, const TensorId& x) { return ops::gelu(b, x); }},
    {"gelu_tanh", [](Builder& b, const TensorId& x) { return ops::gelu_tanh(b, x); }},
    {"silu", [](Builder& b, const TensorId& x) { return ops::silu(b, x); }},
    {"hardswish", [](Builder& b, const TensorId& x) { return ops::hardswish(b, x); }},
    {"sigmoid",
     [](Builder& b, const TensorId& x) { return ops::unary(b, UnaryOp::Sigmoid, x, "sigmoid"); }},
    {"tanh",
     [](Builder& b, const TensorId& x) { return ops::unary(b, UnaryOp::Tanh, x, "tanh"); }}};

/// `bias` adds a constant along a dimension, `add` a further input.
std::vector<std::string_view> epilogue_parts() {
  std::vector<std::string_view> parts = {"none", "bias", "add"};
  for (const Function& f : functions) parts.push_back(f.name);
  return parts;
}

/// Applies the parts of `bias+relu` in order.
TensorId apply_epilogue(Builder& builder, const TaskSpec& spec, TensorId x, std::size_t bias_dim) {
  for (const std::string_view part : spec.words("epilogue")) {
    if (builder.refusal()) break;  // there is no dimension to take the bias from
    const Shape shape = builder.shape(x);
    if (part == "bias")
      x = ops::add_bias(builder, x, builder.constant("bias", {shape[bias_dim]}),
                        static_cast<std::int64_t>(bias_dim));
    else if (part == "add")
      x = ops::add(builder, x, builder.input("residual", shape));
    else if (part != "none")
      x = std::ranges::find(functions, part, &Function::name)->apply(builder, x);
  }
  return x;
}

TensorId matrix(Builder& builder, const TaskSpec& spec, std::string_view name = "x") {
  return builder.input(name, {spec["rows"], spec["cols"]});
}

TensorId function_task(Builder& builder, const TaskSpec& spec) {
  return std::ranges::find(functions, spec.family(), &Function::name)
      ->apply(builder, matrix(builder, spec));
}

TensorId matmul_task(Builder& builder, const TaskSpec& spec) {
  const std::int64_t m = spec["m"], n = spec["n"], k = spec["k"], batch = spec["batch"];
  const ops::MatmulOptions options{.transpose_a = spec["ta"] != 0, .transpose_b = spec["tb"] != 0};
  Shape a = options.transpose_a ? Shape{k, m} : Shape{m, k};
  Shape b = options.transpose_b ? Shape{n, k} : Shape{k, n};
  if (batch != 1) {
    a.insert(a.begin(), batch);
    b.insert(b.begin(), batch);
  }
  const TensorId left = builder.input("a", a);
  const TensorId right =
      spec.word("b") == "const" ? builder.constant("b", b) : builder.input("b", b);
  const TensorId product = ops::matmul(builder, left, right, options);
  return apply_epilogue(builder, spec, product, batch == 1 ? 1 : 2);
}

/// The same movement down and across.
std::vector<ops::Slide> slides(const TaskSpec& spec) {
  const ops::Slide slide{
      .stride = spec["s"], .dilation = spec["d"], .before = spec["p"], .after = spec["p"]};
  return {slide, slide};
}

TensorId image(Builder& builder, const TaskSpec& spec) {
  return builder.input("x", {spec["n"], spec["c"], spec["h"], spec["w"]});
}

TensorId conv_task(Builder& builder, const TaskSpec& spec) {
  const std::int64_t groups = spec["g"];
  if (groups < 1 || spec["c"] % groups != 0)
    return builder.refuse(spec.family(),
                          "g=" + std::to_string(groups) + " does not divide c=" + spec.word("c"));
  const TensorId x = image(builder, spec);
  const TensorId w = builder.constant("w", {spec["o"], spec["c"] / groups, spec["k"], spec["k"]});
  const TensorId y = ops::conv(builder, x, w, {.slides = slides(spec), .groups = groups});
  return apply_epilogue(builder, spec, y, 1);
}

TensorId depthwise_task(Builder& builder, const TaskSpec& spec) {
  const TensorId x = image(builder, spec);
  const TensorId w = builder.constant("w", {spec["c"], 1, spec["k"], spec["k"]});
  const TensorId y =
      ops::conv(builder, x, w, {.slides = slides(spec), .groups = spec["c"]}, "depthwise");
  return apply_epilogue(builder, spec, y, 1);
}

TensorId pool_task(Builder& builder, const TaskSpec& spec) {
  const TensorId x = image(builder, spec);
  const ops::PoolOptions options{.window = {spec["k"], spec["k"]}, .slides = slides(spec)};
  return spec.family() == "maxpool" ? ops::max_pool(builder, x, options)
                                    : ops::average_pool(builder, x, options);
}

TensorId softmax_task(Builder& builder, const TaskSpec& spec) {
  return ops::softmax(builder, matrix(builder, spec));
}

TensorId layer_norm_task(Builder& builder, const TaskSpec& spec) {
  const TensorId x = matrix(builder, spec);
  const TensorId scale = builder.constant("scale", {spec["cols"]});
  return ops::layer_norm(builder, x, scale, builder.constant("bias", {spec["cols"]}));
}

TensorId rms_norm_task(Builder& builder, const TaskSpec& spec) {
  const TensorId x = matrix(builder, spec);
  return ops::rms_norm(builder, x, builder.constant("scale", {spec["cols"]}));
}

TensorId add_task(Builder& builder, const TaskSpec& spec) {
  const TensorId x = matrix(builder, spec);
  return ops::add(builder, x, matrix(builder, spec, "y"));
}

TensorId transpose_task(Builder& builder, const TaskSpec& spec) {
  return ops::transpose(builder, matrix(builder, spec), {1, 0});
}

TensorId reduce_task(Builder& builder, const TaskSpec& spec) {
  return ops::reduce(builder, *parse_reduction(spec.word("op")), matrix(builder, spec),
                     {.dims = {spec["axis"]}});
}

TensorId gather_task(Builder& builder, const TaskSpec& spec) {
  const TensorId x = matrix(builder, spec);
  return ops::gather(builder, x, builder.input("indices", {spec["count"]}, DType::I64),
                     spec["axis"]);
}

TensorId concat_task(Builder& builder, const TaskSpec& spec) {
  std::vector<TensorId> parts;
  if (spec["parts"] > 64)
    return builder.refuse("concat", "parts=" + spec.word("parts") + "; expected at most 64");
  for (std::int64_t n = 0; n < spec["parts"]; ++n)
    parts.push_back(matrix(builder, spec, "x" + std::to_string(n)));
  return ops::concat(builder, parts, spec["axis"]);
}

TensorId slice_task(Builder& builder, const TaskSpec& spec) {
  return ops::slice(
      builder, matrix(builder, spec),
      {{.dim = spec["axis"], .start = spec["start"], .end = spec["end"], .step = spec["step"]}});
}

std::vector<TaskFamily> make_families() {
  const std::vector<TaskKey> sizes = {{"rows", ""}, {"cols", ""}};
  const TaskKey axis{"axis", "1", {"0", "1"}}, batch{"n", "1"},
      epilogue{"epilogue", "none", epilogue_parts(), true};
  const auto sized = [&](std::vector<TaskKey> more) {
    more.insert(more.begin(), sizes.begin(), sizes.end());
    return more;
  };
  const auto windowed = [&](std::vector<TaskKey> more) {
    more.insert(
        more.begin(),
        {batch, {"c", ""}, {"h", ""}, {"w", ""}, {"k", ""}, {"s", "1"}, {"p", "0"}, {"d", "1"}});
    return more;
  };
  std::vector<TaskFamily> families = {
      {"matmul",
       {{"m", ""},
        {"n", ""},
        {"k", ""},
        {"batch", "1"},
        {"ta", "0", {"0", "1"}},
        {"tb", "0", {"0", "1"}},
        {"b", "const", {"const", "input"}},
        epilogue},
       matmul_task},
      {"conv2d", windowed({{"o", ""}, {"g", "1"}, epilogue}), conv_task},
      {"depthwise", windowed({epilogue}), depthwise_task},
      {"maxpool", windowed({}), pool_task},
      {"avgpool", windowed({}), pool_task},
      {"softmax", sizes, softmax_task},
      {"layernorm", sizes, layer_norm_task},
      {"rmsnorm", sizes, rms_norm_task},
      {"add", sizes, add_task},
      {"transpose", sizes, transpose_task},
      {"reduce", sized({{"op", "sum", {"sum", "mean", "prod", "max", "min", "l1", "l2"}}, axis}),
       reduce_task},
      {"gather", sized({{"count", ""}, {"axis", "0", {"0", "1"}}}), gather_task},
      {"concat", sized({{"parts", "2"}, axis}), concat_task},
      {"slice", sized({{"start", ""}, {"end", ""}, {"step", "1"}, axis}), slice_task}};
  for (const Function& f : functions) families.push_back({f.name, sizes, function_task});
  return families;
}

}  // namespace

const std::vector<TaskFamily>& task_families() {
  static const std::vector<TaskFamily> families = make_families();
  return families;
}

}  // namespace tessera
