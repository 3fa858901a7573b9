#include "base/rng.h"
#include "model/torch/branches_for_tests.h"
#include "model/torch/causal_convolution.h"
#include "model/torch/selective_scan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace tessera {
namespace {

using for_tests::branches;
using for_tests::paths;
using for_tests::steps;

template <typename T>
std::vector<T> random_numbers(std::int64_t count, double low, double high, Rng& rng) {
  std::vector<T> numbers;
  for (std::int64_t n = 0; n < count; ++n)
    numbers.push_back(static_cast<T>(low + (high - low) * rng.unit()));
  return numbers;
}

/// Numbers of a scan with more channels than are walked together.
template <typename T>
struct ScanNumbers {
  static constexpr std::int64_t channels = 37;
  static constexpr std::int64_t states = 3;

  explicit ScanNumbers(Rng& rng)
      : dt(random_numbers<T>(steps * channels, 0.05, 1, rng)),
        x(random_numbers<T>(steps * channels, -1, 1, rng)),
        b(random_numbers<T>(steps * states, -1, 1, rng)),
        c(random_numbers<T>(steps * states, -1, 1, rng)),
        a(random_numbers<T>(states * channels, -2, -0.1, rng)),
        d(random_numbers<T>(channels, -1, 1, rng)) {}

  ScanInput<T> input() const {
    return {.branches = branches(),
            .channels = channels,
            .states = states,
            .dt = {dt.data(), channels},
            .x = {x.data(), channels},
            .b = {b.data(), states},
            .c = {c.data(), states},
            .a = {a.data(), channels},
            .d = d.data()};
  }
  ScanGradient<T> gradient() {
    return {.dt = {dt.data(), channels},
            .x = {x.data(), channels},
            .b = {b.data(), states},
            .c = {c.data(), states},
            .a = {a.data(), channels},
            .d = d.data()};
  }
  std::vector<std::vector<T>*> all() { return {&dt, &x, &b, &c, &a, &d}; }

  std::vector<T> dt, x, b, c, a, d;
};

template <typename T>
struct Scanned {
  std::vector<T> y;
  std::vector<T> begun;
};

template <typename T>
Scanned<T> scan(const ScanNumbers<T>& numbers) {
  Scanned<T> result{
      .y = std::vector<T>(static_cast<std::size_t>(steps * numbers.channels)),
      .begun = std::vector<T>(branches().size() * static_cast<std::size_t>(scan_state_size(
                                                      numbers.channels, numbers.states)))};
  scan_forward<T>(numbers.input(), {result.y.data(), numbers.channels}, result.begun.data());
  return result;
}

/// Of the sum of all results, each with a weight.
ScanNumbers<double> gradient_of(const ScanNumbers<double>& numbers,
                                const std::vector<double>& weights) {
  ScanNumbers<double> gradient = numbers;
  for (std::vector<double>* part : gradient.all()) std::fill(part->begin(), part->end(), 0.0);
  scan_backward<double>(numbers.input(), scan(numbers).begun.data(),
                        {weights.data(), numbers.channels}, gradient.gradient());
  return gradient;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t n = 0; n < a.size(); ++n) sum += a[n] * b[n];
  return sum;
}

/// The slope of `f` by `number`.
double slope(double& number, const std::function<double()>& f) {
  constexpr double step = 1e-5;
  const double at = number;
  number = at + step;
  const double above = f();
  number = at - step;
  const double below = f();
  number = at;
  return (above - below) / (2 * step);
}

TEST(SelectiveScan, FollowsItsRecurrence) {
  Rng rng(1);
  const ScanNumbers<double> numbers(rng);
  const std::vector<double> y = scan(numbers).y;
  constexpr std::int64_t channels = ScanNumbers<double>::channels;
  constexpr std::int64_t states = ScanNumbers<double>::states;
  for (std::int64_t k = 0; k < channels; ++k)
    for (const std::vector<std::int64_t>& path : paths()) {
      double h[states] = {};
      for (const std::int64_t t : path) {
        const std::int64_t at = t * channels + k;
        double want = numbers.d[k] * numbers.x[at];
        for (std::int64_t s = 0; s < states; ++s) {
          h[s] = std::exp(numbers.dt[at] * numbers.a[s * channels + k]) * h[s] +
                 numbers.dt[at] * numbers.b[t * states + s] * numbers.x[at];
          want += numbers.c[t * states + s] * h[s];
        }
        EXPECT_NEAR(y[at], want, 1e-12) << "step " << t << ", channel " << k;
      }
    }
}

TEST(SelectiveScan, HasTheGradientOfItsResult) {
  Rng rng(2);
  ScanNumbers<double> numbers(rng);
  const std::vector<double> weights = random_numbers<double>(steps * numbers.channels, -1, 1, rng);
  ScanNumbers<double> gradient = gradient_of(numbers, weights);
  for (std::size_t part = 0; part < numbers.all().size(); ++part)
    for (std::size_t n = 0; n < numbers.all()[part]->size(); n += 5) {
      const double want =
          slope((*numbers.all()[part])[n], [&] { return dot(scan(numbers).y, weights); });
      EXPECT_NEAR((*gradient.all()[part])[n], want, 1e-7) << "part " << part << ", number " << n;
    }
}

TEST(SelectiveScan, IsTheSameInFloats) {
  Rng rng(3);
  Rng again(3);
  const ScanNumbers<double> numbers(rng);
  ScanNumbers<float> floats(again);
  const std::vector<double> want = scan(numbers).y;
  const std::vector<float> got = scan(floats).y;
  for (std::size_t n = 0; n < want.size(); ++n) EXPECT_NEAR(got[n], want[n], 1e-5) << n;

  const std::vector<float> ones(want.size(), 1.0f);
  ScanNumbers<float> gradient = floats;
  for (std::vector<float>* part : gradient.all()) std::fill(part->begin(), part->end(), 0.0f);
  scan_backward<float>(floats.input(), scan(floats).begun.data(), {ones.data(), floats.channels},
                       gradient.gradient());
  ScanNumbers<double> exact = gradient_of(numbers, std::vector<double>(want.size(), 1.0));
  for (std::size_t part = 0; part < exact.all().size(); ++part)
    for (std::size_t n = 0; n < exact.all()[part]->size(); ++n)
      EXPECT_NEAR((*gradient.all()[part])[n], (*exact.all()[part])[n], 1e-4)
          << "part " << part << ", number " << n;
}

struct ConvolutionNumbers {
  static constexpr std::int64_t channels = 3;
  static constexpr std::int64_t taps = 4;

  explicit ConvolutionNumbers(Rng& rng)
      : x(random_numbers<double>(steps * channels, -1, 1, rng)),
        weight(random_numbers<double>(taps * channels, -1, 1, rng)),
        bias(random_numbers<double>(channels, -1, 1, rng)) {}

  ConvolutionInput<double> input() const {
    return {.branches = branches(),
            .channels = channels,
            .taps = taps,
            .x = {x.data(), channels},
            .weight = {weight.data(), channels},
            .bias = bias.data()};
  }
  std::vector<std::vector<double>*> all() { return {&x, &weight, &bias}; }

  std::vector<double> x, weight, bias;
};

std::vector<double> convolved(const ConvolutionNumbers& numbers) {
  std::vector<double> y(static_cast<std::size_t>(steps * numbers.channels));
  convolution_forward<double>(numbers.input(), {y.data(), numbers.channels});
  return y;
}

TEST(CausalConvolution, SeesItsPathUpToTheStep) {
  Rng rng(4);
  const ConvolutionNumbers numbers(rng);
  const std::vector<double> y = convolved(numbers);
  constexpr std::int64_t channels = ConvolutionNumbers::channels;
  for (const std::vector<std::int64_t>& path : paths())
    for (std::int64_t n = 0; n < std::ssize(path); ++n)
      for (std::int64_t k = 0; k < channels; ++k) {
        double want = numbers.bias[k];
        for (std::int64_t tap = 0; tap < numbers.taps; ++tap)
          if (const std::int64_t from = n - numbers.taps + 1 + tap; from >= 0)
            want += numbers.weight[tap * channels + k] * numbers.x[path[from] * channels + k];
        EXPECT_NEAR(y[path[n] * channels + k], want, 1e-12)
            << "step " << path[n] << ", channel " << k;
      }
}

TEST(CausalConvolution, HasTheGradientOfItsResult) {
  Rng rng(5);
  ConvolutionNumbers numbers(rng);
  const std::vector<double> weights = random_numbers<double>(steps * numbers.channels, -1, 1, rng);
  ConvolutionNumbers gradient = numbers;
  for (std::vector<double>* part : gradient.all()) std::fill(part->begin(), part->end(), 0.0);
  convolution_backward<double>(numbers.input(), {weights.data(), numbers.channels},
                               {.x = {gradient.x.data(), numbers.channels},
                                .weight = {gradient.weight.data(), numbers.channels},
                                .bias = gradient.bias.data()});
  for (std::size_t part = 0; part < numbers.all().size(); ++part)
    for (std::size_t n = 0; n < numbers.all()[part]->size(); ++n) {
      const double want =
          slope((*numbers.all()[part])[n], [&] { return dot(convolved(numbers), weights); });
      EXPECT_NEAR((*gradient.all()[part])[n], want, 1e-8) << "part " << part << ", number " << n;
    }
}

}  // namespace
}  // namespace tessera
