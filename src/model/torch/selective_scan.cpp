#include "model/torch/selective_scan.h"

#include "model/decay.h"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace tessera {
namespace {

/// Channels that are walked together: many vectors, and states that stay in the caches.
constexpr std::int64_t most_channels = 32;

std::int64_t group_count(std::int64_t channels) {
  return (channels + most_channels - 1) / most_channels;
}

/// Some channels of one branch.
struct Part {
  std::int64_t begin = 0;  // steps
  std::int64_t end = 0;
  std::int64_t depth = 0;
  std::int64_t first = 0;  // channel
  std::int64_t group = 0;  // of channels
};

/// Calls `f(part, count)` for all channels of branch n. The count of channels is a constant where
/// that can be, so that loops over it are nothing but vectors.
template <typename T, typename F>
[[gnu::always_inline]] inline void for_each_part(const ScanInput<T>& input, std::size_t n,
                                                 const F& f) {
  Part part{.begin = input.branches.starts[n],
            .end = input.branches.starts[n + 1],
            .depth = input.branches.depths[n]};
  for (; part.first + most_channels <= input.channels; part.first += most_channels, ++part.group)
    f(part, std::integral_constant<std::int64_t, most_channels>());
  if (part.first < input.channels) f(part, input.channels - part.first);
}

/// A number for each state of all channels, for each number of steps that were walked.
template <typename T>
class Levels {
 public:
  explicit Levels(const ScanInput<T>& input)
      : states_(input.states),
        groups_(group_count(input.channels)),
        values_(static_cast<std::size_t>((input.branches.longest() + 1) *
                                         scan_state_size(input.channels, input.states))) {}

  /// Rows of channels, most_channels apart.
  T* of(const Part& part, std::int64_t walked) {
    return values_.data() + (walked * groups_ + part.group) * states_ * most_channels;
  }

 private:
  std::int64_t states_;
  std::int64_t groups_;
  std::vector<T> values_;
};

template <typename T>
[[gnu::always_inline]] inline void walk_forward(const ScanInput<T>& input, const Part& part,
                                                auto count, Levels<T>& levels, Matrix<T> y) {
  const std::int64_t channels = count;
  for (std::int64_t t = part.begin; t < part.end; ++t) {
    const std::int64_t walked = part.depth + t - part.begin;
    const T* dt = input.dt.row(t) + part.first;
    const T* x = input.x.row(t) + part.first;
    const T* d = input.d + part.first;
    T drive[most_channels];
    T sum[most_channels];
#pragma omp simd
    for (std::int64_t k = 0; k < channels; ++k) {
      drive[k] = dt[k] * x[k];
      sum[k] = d[k] * x[k];
    }
    for (std::int64_t s = 0; s < input.states; ++s) {
      const T* a = input.a.row(s) + part.first;
      const T b = input.b.row(t)[s];
      const T c = input.c.row(t)[s];
      const T* before = levels.of(part, walked) + s * most_channels;
      T* h = levels.of(part, walked + 1) + s * most_channels;
#pragma omp simd
      for (std::int64_t k = 0; k < channels; ++k) {
        h[k] = decay(dt[k] * a[k]) * before[k] + drive[k] * b;
        sum[k] += h[k] * c;
      }
    }
    std::copy_n(sum, channels, y.row(t) + part.first);
  }
}

/// What is kept of a part while it is walked back.
template <typename T>
class Trace {
 public:
  explicit Trace(const ScanInput<T>& input)
      : states_(input.states),
        h_(static_cast<std::size_t>(input.branches.longest() * states_ * most_channels)),
        factor_(h_.size()) {}

  T* h(std::int64_t step, std::int64_t state) { return h_.data() + place(step, state); }
  /// By which the state before was multiplied.
  T* factor(std::int64_t step, std::int64_t state) { return factor_.data() + place(step, state); }

 private:
  std::int64_t place(std::int64_t step, std::int64_t state) const {
    return (step * states_ + state) * most_channels;
  }

  std::int64_t states_;
  std::vector<T> h_;
  std::vector<T> factor_;
};

template <typename T>
[[gnu::always_inline]] inline void recompute(const ScanInput<T>& input, const Part& part,
                                             auto count, const T* begun, Trace<T>& trace) {
  const std::int64_t channels = count;
  for (std::int64_t t = part.begin; t < part.end; ++t) {
    const std::int64_t step = t - part.begin;
    const T* dt = input.dt.row(t) + part.first;
    const T* x = input.x.row(t) + part.first;
    for (std::int64_t s = 0; s < input.states; ++s) {
      const T* a = input.a.row(s) + part.first;
      const T b = input.b.row(t)[s];
      const T* before = step == 0 ? begun + s * most_channels : trace.h(step - 1, s);
      T* h = trace.h(step, s);
      T* factor = trace.factor(step, s);
#pragma omp simd
      for (std::int64_t k = 0; k < channels; ++k) {
        factor[k] = decay(dt[k] * a[k]);
        h[k] = factor[k] * before[k] + dt[k] * x[k] * b;
      }
    }
  }
}

/// With g = dL/dy_t, G = what comes from all steps behind, gh = G + g C_t and r = h_t - dt B_t x,
/// which is what remains of h_{t-1}:
///
///     dC_t += g h_t            dB_t += gh dt x          dD += g x
///     dx = dt sum(gh B_t) + g D                         dA += gh dt r
///     d(dt) = sum(gh (A r + B_t x))                     G of the step before += gh exp(dt A)
///
/// `pulls` has G: branches are walked from the last to the first, so that those behind a step
/// have given it theirs before it is met, and leave zeros for the next at its depth.
template <typename T>
[[gnu::always_inline]] inline void walk_backward(const ScanInput<T>& input, const Part& part,
                                                 auto count, Trace<T>& trace, Levels<T>& pulls,
                                                 Matrix<const T> y_gradient,
                                                 const ScanGradient<T>& gradient) {
  const std::int64_t channels = count;
  for (std::int64_t t = part.end - 1; t >= part.begin; --t) {
    const std::int64_t step = t - part.begin, walked = part.depth + step;
    const T* g = y_gradient.row(t) + part.first;
    const T* dt = input.dt.row(t) + part.first;
    const T* x = input.x.row(t) + part.first;
    T drive[most_channels];
    T by_input[most_channels] = {};  // sum(gh B_t)
    T by_rest[most_channels] = {};   // sum(gh A r)
#pragma omp simd
    for (std::int64_t k = 0; k < channels; ++k) drive[k] = dt[k] * x[k];
    for (std::int64_t s = 0; s < input.states; ++s) {
      const T* a = input.a.row(s) + part.first;
      const T b = input.b.row(t)[s];
      const T c = input.c.row(t)[s];
      const T* h = trace.h(step, s);
      const T* factor = trace.factor(step, s);
      T* pull = pulls.of(part, walked + 1) + s * most_channels;
      T* pull_before = pulls.of(part, walked) + s * most_channels;
      T* da = gradient.a.row(s) + part.first;
      T db = 0;
      T dc = 0;
#pragma omp simd reduction(+ : db, dc)
      for (std::int64_t k = 0; k < channels; ++k) {
        const T gh = pull[k] + g[k] * c;
        const T rest = gh * (h[k] - drive[k] * b);
        dc += g[k] * h[k];
        db += gh * drive[k];
        by_input[k] += gh * b;
        by_rest[k] += rest * a[k];
        da[k] += rest * dt[k];
        pull_before[k] += gh * factor[k];
        pull[k] = 0;
      }
      gradient.b.row(t)[s] += db;
      gradient.c.row(t)[s] += dc;
    }
    const T* d = input.d + part.first;
    T* dd = gradient.d + part.first;
    T* ddt = gradient.dt.row(t) + part.first;
    T* dx = gradient.x.row(t) + part.first;
#pragma omp simd
    for (std::int64_t k = 0; k < channels; ++k) {
      dd[k] += g[k] * x[k];
      dx[k] = dt[k] * by_input[k] + g[k] * d[k];
      ddt[k] = by_rest[k] + x[k] * by_input[k];
    }
  }
}

/// Where the states of a part lie among those of all branches.
template <typename T>
std::int64_t begun_at(const ScanInput<T>& input, std::size_t n, const Part& part) {
  return static_cast<std::int64_t>(n) * scan_state_size(input.channels, input.states) +
         part.group * input.states * most_channels;
}

template <typename T>
[[gnu::always_inline]] inline void forward(const ScanInput<T>& input, Matrix<T> y, T* begun) {
  Levels<T> levels(input);
  for (std::size_t n = 0; n < input.branches.size(); ++n)
    for_each_part(input, n, [&](const Part& part, auto count) __attribute__((always_inline)) {
      std::copy_n(levels.of(part, part.depth), input.states * most_channels,
                  begun + begun_at(input, n, part));
      walk_forward(input, part, count, levels, y);
    });
}

template <typename T>
[[gnu::always_inline]] inline void backward(const ScanInput<T>& input, const T* begun,
                                            Matrix<const T> y_gradient,
                                            const ScanGradient<T>& gradient) {
  Trace<T> trace(input);
  Levels<T> pulls(input);
  for (std::size_t n = input.branches.size(); n-- > 0;)
    for_each_part(input, n, [&](const Part& part, auto count) __attribute__((always_inline)) {
      recompute(input, part, count, begun + begun_at(input, n, part), trace);
      walk_backward(input, part, count, trace, pulls, y_gradient, gradient);
    });
}

}  // namespace

#if defined(__x86_64__)
[[gnu::target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")]]
#endif
static void forward_in_floats(const ScanInput<float>& input, Matrix<float> y, float* begun) {
  forward(input, y, begun);
}

#if defined(__x86_64__)
[[gnu::target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")]]
#endif
static void backward_in_floats(const ScanInput<float>& input, const float* begun,
                               Matrix<const float> y_gradient,
                               const ScanGradient<float>& gradient) {
  backward(input, begun, y_gradient, gradient);
}

std::int64_t scan_state_size(std::int64_t channels, std::int64_t states) {
  return group_count(channels) * states * most_channels;
}

template <>
void scan_forward(const ScanInput<float>& input, Matrix<float> y, float* begun) {
  forward_in_floats(input, y, begun);
}

template <>
void scan_forward(const ScanInput<double>& input, Matrix<double> y, double* begun) {
  forward(input, y, begun);
}

template <>
void scan_backward(const ScanInput<float>& input, const float* begun,
                   Matrix<const float> y_gradient, const ScanGradient<float>& gradient) {
  backward_in_floats(input, begun, y_gradient, gradient);
}

template <>
void scan_backward(const ScanInput<double>& input, const double* begun,
                   Matrix<const double> y_gradient, const ScanGradient<double>& gradient) {
  backward(input, begun, y_gradient, gradient);
}

}  // namespace tessera
