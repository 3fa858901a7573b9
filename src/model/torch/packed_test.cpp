#include "model/torch/packed.h"

#include "model/torch/branches_for_tests.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

namespace tessera {
namespace {

using Inputs = std::vector<at::Tensor>;

using for_tests::paths;
using for_tests::steps;

Packed some_programs() {
  return {.rows = {},
          .of_steps = {},
          .starts = at::tensor(for_tests::starts, at::kLong),
          .depths = at::tensor(for_tests::depths, at::kLong),
          .order = at::tensor(std::vector<std::int64_t>{3, 0, 1, 5, 4, 2})};
}

at::Tensor variable(at::IntArrayRef shape, at::ScalarType type) {
  return (at::rand(shape, type) - 0.5).set_requires_grad(true);
}

/// With operations that autograd knows, one step after the other.
at::Tensor plain_scan(const Inputs& in) {
  const at::Tensor &dt = in[0], &a = in[1], &b = in[2], &c = in[3], &d = in[4], &x = in[5];
  Inputs rows(steps), states(steps);
  for (const std::vector<std::int64_t>& path : paths()) {
    at::Tensor h = at::zeros_like(a);
    for (const std::int64_t t : path) {
      if (!states[t].defined()) {
        states[t] = at::exp(dt[t].unsqueeze(1) * a) * h + (dt[t] * x[t]).unsqueeze(1) * b[t];
        rows[t] = (states[t] * c[t]).sum(1) + d * x[t];
      }
      h = states[t];
    }
  }
  return at::stack(rows);
}

at::Tensor plain_convolution(const Inputs& in) {
  const at::Tensor &x = in[0], &weight = in[1], &bias = in[2];
  const std::int64_t taps = weight.size(1);
  Inputs rows(steps);
  for (const std::vector<std::int64_t>& path : paths())
    for (std::int64_t n = 0; n < std::ssize(path); ++n) {
      at::Tensor sum = bias;
      for (std::int64_t k = 0; k < taps; ++k)
        if (const std::int64_t from = n - taps + 1 + k; from >= 0)
          sum = sum + weight.select(1, k) * x[path[from]];
      rows[path[n]] = sum;
    }
  return at::stack(rows);
}

template <typename Got, typename Want>
void expect_same(const Inputs& in, const Got& got, const Want& want, double tolerance) {
  const at::Tensor y = got(in);
  const at::Tensor plain = want(in);
  EXPECT_TRUE(at::allclose(y, plain, tolerance, tolerance));
  const at::Tensor weights = at::rand(y.sizes(), y.options());
  const Inputs slopes = torch::autograd::grad({y}, in, {weights});
  const Inputs plain_slopes = torch::autograd::grad({plain}, in, {weights});
  for (std::size_t n = 0; n < in.size(); ++n)
    EXPECT_TRUE(at::allclose(slopes[n], plain_slopes[n], tolerance, tolerance)) << "input " << n;
}

constexpr std::pair<at::ScalarType, double> types[] = {{at::kFloat, 1e-4}, {at::kDouble, 1e-10}};

TEST(Packed, ScanAgreesWithAutograd) {
  for (const auto& [type, tolerance] : types) {
    const std::int64_t channels = 5;
    const std::int64_t states = 3;
    // of one tensor, as the network has them
    const at::Tensor b_and_c = variable({steps, 2 * states}, type);
    const Inputs in = {(at::rand({steps, channels}, type) + 0.1).set_requires_grad(true),
                       (at::rand({channels, states}, type) - 2).set_requires_grad(true),
                       b_and_c.slice(1, 0, states),
                       b_and_c.slice(1, states, 2 * states),
                       variable({channels}, type),
                       variable({steps, channels}, type)};
    const auto scan = [](const Inputs& all) {
      return selective_scan(all[0], all[1], all[2], all[3], all[4], all[5], some_programs());
    };
    expect_same(in, scan, plain_scan, tolerance);
  }
}

TEST(Packed, ConvolutionAgreesWithAutograd) {
  for (const auto& [type, tolerance] : types) {
    const Inputs in = {variable({steps, 5}, type), variable({5, 4}, type), variable({5}, type)};
    const auto convolution = [](const Inputs& all) {
      return causal_convolution(all[0], all[1], all[2], some_programs());
    };
    expect_same(in, convolution, plain_convolution, tolerance);
  }
}

TEST(Packed, SumsAgreeWithAutograd) {
  const Packed packed = some_programs();
  const auto plain = [&](const Inputs& all) {
    Inputs sums(paths().size());
    for (std::size_t n = 0; n < sums.size(); ++n)
      sums[packed.order[n].item<std::int64_t>()] =
          all[0].index_select(0, at::tensor(paths()[n], at::kLong)).sum(0);
    return at::stack(sums);
  };
  for (const auto& [type, tolerance] : types) {
    const Inputs in = {variable({steps, 2}, type)};
    expect_same(
        in, [&](const Inputs& all) { return sum_by_program(all[0], packed); }, plain, tolerance);
  }
}

TEST(Packed, KnowsLengthsAndEnds) {
  const Packed packed = some_programs();
  for (std::size_t n = 0; n < paths().size(); ++n) {
    const std::int64_t program = packed.order[n].item<std::int64_t>();
    EXPECT_EQ(lengths(packed)[program].item<std::int64_t>(), std::ssize(paths()[n]));
    EXPECT_EQ(ends(packed)[program].item<std::int64_t>(), paths()[n].back());
  }
}

TEST(Packed, SpreadingAgreesWithAutograd) {
  Packed packed = some_programs();
  packed.of_steps = at::tensor(std::vector<std::int64_t>{2, 0, 2, 2, 0, 3, 3});
  for (const auto& [type, tolerance] : types) {
    const Inputs in = {variable({4, 5}, type)};
    const auto spread = [&](const Inputs& all) { return spread_to_steps(all[0], packed); };
    const auto plain = [&](const Inputs& all) { return all[0].index_select(0, packed.of_steps); };
    expect_same(in, spread, plain, tolerance);
  }
}

}  // namespace
}  // namespace tessera
