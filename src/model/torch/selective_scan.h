#pragma once

#include "model/torch/branches.h"

namespace tessera {

/// The selective scan of Mamba (Gu and Dao 2023), for each channel c over the steps t of each path:
///
///     h_t[s] = exp(dt_t[c] A[s, c]) h_{t-1}[s] + dt_t[c] B_t[s] x_t[c]      h_0 = 0
///     y_t[c] = sum over s of C_t[s] h_t[s]  +  D[c] x_t[c]
///
/// A is at most 0, so nothing grows.
template <typename T>
struct ScanInput {
  Branches branches;
  std::int64_t channels = 0;
  std::int64_t states = 0;
  Matrix<const T> dt, x;  // rows of channels
  Matrix<const T> b, c;   // rows of states
  Matrix<const T> a;      // a row of channels for each state
  const T* d = nullptr;
};

/// The gradient by all that goes into a scan; `b`, `c`, `a` and `d` are added to.
template <typename T>
struct ScanGradient {
  Matrix<T> dt, x, b, c, a;
  T* d = nullptr;
};

/// Numbers that stand for the states of all channels where one branch begins.
std::int64_t scan_state_size(std::int64_t channels, std::int64_t states);

/// For float and double. `begun` gets the states where each branch begins, one behind the other.
template <typename T>
void scan_forward(const ScanInput<T>& input, Matrix<T> y, T* begun);

/// Walks each branch forward once more for its states, which nobody has to keep, then back.
template <typename T>
void scan_backward(const ScanInput<T>& input, const T* begun, Matrix<const T> y_gradient,
                   const ScanGradient<T>& gradient);

}  // namespace tessera
