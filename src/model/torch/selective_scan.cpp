#include "model/torch/selective_scan.h"

#include "model/decay.h"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace tessera {
namespace {

/// Channels that are walked together: many vectors, and states that stay in the caches.
constexpr std::int64_t most_channels = 32;

/// Some channels of one sequence.
struct Part {
  std::int64_t begin = 0;  // steps
  std::int64_t end = 0;
  std::int64_t first = 0;  // channel
};

/// Calls `f(part, count)` for all channels of all sequences. The count of channels is a constant
/// where that can be, so that loops over it are nothing but vectors.
template <typename T, typename F>
[[gnu::always_inline]] inline void for_each_part(const ScanInput<T>& input, const F& f) {
  for (std::size_t n = 0; n + 1 < input.starts.size(); ++n) {
    Part part{.begin = input.starts[n], .end = input.starts[n + 1]};
    for (; part.first + most_channels <= input.channels; part.first += most_channels)
      f(part, std::integral_constant<std::int64_t, most_channels>());
    if (part.first < input.channels) f(part, input.channels - part.first);
  }
}

template <typename T>
[[gnu::always_inline]] inline void walk_forward(const ScanInput<T>& input, const Part& part,
                                                auto count, std::vector<T>& states, Matrix<T> y) {
  const std::int64_t channels = count;
  std::fill(states.begin(), states.end(), T(0));
  for (std::int64_t t = part.begin; t < part.end; ++t) {
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
      T* h = states.data() + s * most_channels;
#pragma omp simd
      for (std::int64_t k = 0; k < channels; ++k) {
        h[k] = decay(dt[k] * a[k]) * h[k] + drive[k] * b;
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
  explicit Trace(std::int64_t states) : states_(states), pull_(size_of(1)) {}

  void begin(const Part& part) {
    const std::size_t size = size_of(part.end - part.begin);
    if (h_.size() < size) {
      h_.resize(size);
      factor_.resize(size);
    }
    std::fill(pull_.begin(), pull_.end(), T(0));
  }

  T* h(std::int64_t step, std::int64_t state) { return h_.data() + place(step, state); }
  /// By which the state before was multiplied.
  T* factor(std::int64_t step, std::int64_t state) { return factor_.data() + place(step, state); }
  /// The gradient that comes from the steps behind.
  T* pull(std::int64_t state) { return pull_.data() + place(0, state); }

 private:
  std::size_t size_of(std::int64_t steps) const {
    return static_cast<std::size_t>(steps * states_ * most_channels);
  }
  std::int64_t place(std::int64_t step, std::int64_t state) const {
    return (step * states_ + state) * most_channels;
  }

  std::int64_t states_;
  std::vector<T> h_;
  std::vector<T> factor_;
  std::vector<T> pull_;
};

template <typename T>
[[gnu::always_inline]] inline void recompute(const ScanInput<T>& input, const Part& part,
                                             auto count, Trace<T>& trace) {
  const std::int64_t channels = count;
  for (std::int64_t t = part.begin; t < part.end; ++t) {
    const std::int64_t step = t - part.begin;
    const T* dt = input.dt.row(t) + part.first;
    const T* x = input.x.row(t) + part.first;
    for (std::int64_t s = 0; s < input.states; ++s) {
      const T* a = input.a.row(s) + part.first;
      const T b = input.b.row(t)[s];
      const T* before = step == 0 ? trace.pull(s) : trace.h(step - 1, s);  // zeros at first
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

/// With g = dL/dy_t, G = what comes from behind, gh = G + g C_t and r = h_t - dt B_t x, which is
/// what remains of h_{t-1}:
///
///     dC_t += g h_t            dB_t += gh dt x          dD += g x
///     dx = dt sum(gh B_t) + g D                         dA += gh dt r
///     d(dt) = sum(gh (A r + B_t x))                     G  <- gh exp(dt A)
template <typename T>
[[gnu::always_inline]] inline void walk_backward(const ScanInput<T>& input, const Part& part,
                                                 auto count, Trace<T>& trace,
                                                 Matrix<const T> y_gradient,
                                                 const ScanGradient<T>& gradient) {
  const std::int64_t channels = count;
  for (std::int64_t t = part.end - 1; t >= part.begin; --t) {
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
      const T* h = trace.h(t - part.begin, s);
      const T* factor = trace.factor(t - part.begin, s);
      T* pull = trace.pull(s);
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
        pull[k] = gh * factor[k];
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

template <typename T>
[[gnu::always_inline]] inline void forward(const ScanInput<T>& input, Matrix<T> y) {
  std::vector<T> states(static_cast<std::size_t>(input.states * most_channels));
  for_each_part(input, [&](const Part& part, auto count) __attribute__((always_inline)) {
    walk_forward(input, part, count, states, y);
  });
}

template <typename T>
[[gnu::always_inline]] inline void backward(const ScanInput<T>& input, Matrix<const T> y_gradient,
                                            const ScanGradient<T>& gradient) {
  Trace<T> trace(input.states);
  for_each_part(input, [&](const Part& part, auto count) __attribute__((always_inline)) {
    trace.begin(part);
    recompute(input, part, count, trace);
    walk_backward(input, part, count, trace, y_gradient, gradient);
  });
}

}  // namespace

#if defined(__x86_64__)
[[gnu::target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")]]
#endif
static void forward_in_floats(const ScanInput<float>& input, Matrix<float> y) {
  forward(input, y);
}

#if defined(__x86_64__)
[[gnu::target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")]]
#endif
static void backward_in_floats(const ScanInput<float>& input, Matrix<const float> y_gradient,
                               const ScanGradient<float>& gradient) {
  backward(input, y_gradient, gradient);
}

template <>
void scan_forward(const ScanInput<float>& input, Matrix<float> y) {
  forward_in_floats(input, y);
}

template <>
void scan_forward(const ScanInput<double>& input, Matrix<double> y) {
  forward(input, y);
}

template <>
void scan_backward(const ScanInput<float>& input, Matrix<const float> y_gradient,
                   const ScanGradient<float>& gradient) {
  backward_in_floats(input, y_gradient, gradient);
}

template <>
void scan_backward(const ScanInput<double>& input, Matrix<const double> y_gradient,
                   const ScanGradient<double>& gradient) {
  backward(input, y_gradient, gradient);
}

}  // namespace tessera
