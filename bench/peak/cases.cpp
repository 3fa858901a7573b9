#include "peak/cases.h"

#include "base/check.h"
#include "ops/tasks.h"

#include <fmt/format.h>

#include <array>
#include <initializer_list>

namespace tessera::bench {
namespace {

std::string spec_of(const Matmul& work) {
  return fmt::format("matmul:m={},n={},k={},batch={},tb={:d},b={}", work.m, work.n, work.k,
                     work.batch, work.is_b_transposed, work.is_b_constant ? "const" : "input");
}

std::string spec_of(const Conv& work) {
  const std::string sizes =
      fmt::format("c={0},h={1},w={1},k={2},s={3},p={4},d={5},epilogue=bias+relu", work.in_channels,
                  work.size, work.window, work.stride, work.padding, work.dilation);
  if (work.groups == work.in_channels) return "depthwise:" + sizes;
  return fmt::format("conv2d:{},o={},g={}", sizes, work.out_channels, work.groups);
}

std::string spec_of(const Rows& work) {
  return fmt::format("{}:rows={},cols={}", work.family, work.rows, work.cols);
}

double operations(const Matmul& work) {
  return 2.0 * static_cast<double>(work.batch * work.m * work.n * work.k);
}

double operations(const Conv& work) {
  const std::int64_t depth = work.in_channels / work.groups * work.window * work.window;
  return 2.0 * static_cast<double>(work.out_size() * work.out_size() * work.out_channels * depth);
}

double operations(const Rows& work) { return flops(computation_of(work)); }

std::vector<Case> matmuls() {
  std::vector<Case> cases;
  for (const auto& [m, n, k] :
       std::initializer_list<std::array<std::int64_t, 3>>{{128, 768, 768},
                                                          {128, 3072, 768},
                                                          {128, 768, 3072},
                                                          {1024, 1024, 1024},
                                                          {197, 768, 768},
                                                          {3136, 64, 256},
                                                          {196, 1024, 256},
                                                          {49, 2048, 512}})
    cases.push_back({"matmul", fmt::format("{}x{}x{}", m, n, k), Matmul{.m = m, .n = n, .k = k}});
  return cases;
}

std::vector<Case> convs_3x3() {
  std::vector<Case> cases;
  for (const char* algorithm : {"direct", "winograd"})
    for (const auto& [size, channels] : std::initializer_list<std::array<std::int64_t, 2>>{
             {56, 64}, {28, 128}, {14, 256}, {7, 512}})
      cases.push_back({"conv 3x3", fmt::format("{}^2x{}", size, channels),
                       Conv{.in_channels = channels, .size = size, .out_channels = channels},
                       algorithm});
  return cases;
}

std::vector<Case> other_convs() {
  const std::string group = "conv others";
  return {{group, "7x7 s2 3->64 224^2",
           Conv{.in_channels = 3,
                .size = 224,
                .out_channels = 64,
                .window = 7,
                .stride = 2,
                .padding = 3}},
          {group, "3x3 s2 128->128 56^2",
           Conv{.in_channels = 128, .size = 56, .out_channels = 128, .stride = 2}},
          {group, "1x1 s2 256->512 56^2",
           Conv{.in_channels = 256,
                .size = 56,
                .out_channels = 512,
                .window = 1,
                .stride = 2,
                .padding = 0}},
          {group, "3x3 g32 128->128 56^2",
           Conv{.in_channels = 128, .size = 56, .out_channels = 128, .groups = 32}},
          {group, "3x3 d2 128->128 28^2",
           Conv{.in_channels = 128, .size = 28, .out_channels = 128, .padding = 2, .dilation = 2}}};
}

std::vector<Case> depthwise_convs() {
  std::vector<Case> cases;
  for (const std::int64_t stride : {1, 2})
    for (const auto& [size, channels] : std::initializer_list<std::array<std::int64_t, 2>>{
             {112, 32}, {56, 144}, {14, 384}, {7, 960}})
      cases.push_back({"depthwise 3x3", fmt::format("{}^2x{} s{}", size, channels, stride),
                       Conv{.in_channels = channels,
                            .size = size,
                            .out_channels = channels,
                            .stride = stride,
                            .groups = channels}});
  return cases;
}

std::vector<Case> batched_matmuls() {
  const std::string group = "batched matmul";
  Matmul scores{.m = 128, .n = 128, .k = 64, .batch = 12, .is_b_constant = false};
  Matmul context{.m = 128, .n = 64, .k = 128, .batch = 12, .is_b_constant = false};
  Matmul scores_transposed = scores;
  scores_transposed.is_b_transposed = true;
  return {{group, "12x128x64x128", scores},
          {group, "12x128x64x128 bT", scores_transposed},
          {group, "12x128x128x64", context}};
}

std::vector<Case> memory_bound() {
  const auto bound = [](const std::string& shape, const Work& work) {
    return Case{.group = "memory bound", .shape = shape, .work = work, .is_memory_bound = true};
  };
  return {bound("softmax 1536x128", Rows{"softmax", 1536, 128}),
          bound("layer norm 128x768", Rows{"layernorm", 128, 768}),
          bound("gelu 128x3072", Rows{"gelu", 128, 3072}),
          bound("gemv 1x4096x4096", Matmul{.n = 4096, .k = 4096})};
}

}  // namespace

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const auto& group : {matmuls(), convs_3x3(), other_convs(), depthwise_convs(),
                            batched_matmuls(), memory_bound()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

std::string name_of(const Case& c) {
  return c.group + " " + c.shape + (c.algorithm == "any" ? "" : " " + c.algorithm);
}

bool admits(const Case& c, std::string_view option) {
  return c.algorithm == "any" || (c.algorithm == "winograd") == option.starts_with("winograd");
}

Computation computation_of(const Work& work) {
  const std::string spec = std::visit([](const auto& w) { return spec_of(w); }, work);
  Result<Computation> computation = parse_task_spec(spec);
  check(computation.has_value(), computation ? "" : "a known task: " + computation.error().message);
  return *std::move(computation);
}

double flops_of(const Work& work) {
  return std::visit([](const auto& w) { return operations(w); }, work);
}

}  // namespace tessera::bench
