#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>

namespace tessera {

/// Programs of different lengths without padding: the steps of all, one program behind the other.
/// Many steps are alike: what depends on a step alone is computed for rows, then spread.
struct Packed {
  at::Tensor rows;        // distinct ones x width
  at::Tensor of_steps;    // the row of each step
  at::Tensor starts;      // the first step of each program, and the end of the last
  at::Tensor heads = {};  // of each program, where there are several

  std::int64_t programs() const { return starts.size(0) - 1; }
};

/// What rows have, for each step.
at::Tensor spread_to_steps(const at::Tensor& of_rows, const Packed& packed);

/// The number of steps of each program.
at::Tensor lengths(const Packed& packed);
/// The program of each step.
at::Tensor owners(const Packed& packed);
/// The sum of the values of each program's steps.
at::Tensor sum_by_program(const at::Tensor& values, const Packed& packed);

/// The convolution of `model/torch/causal_convolution.h`, whose weight is channels x taps.
at::Tensor causal_convolution(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                              const at::Tensor& starts);

/// The scan of `model/torch/selective_scan.h`, in which `a` is channels x states.
at::Tensor selective_scan(const at::Tensor& dt, const at::Tensor& a, const at::Tensor& b,
                          const at::Tensor& c, const at::Tensor& d, const at::Tensor& x,
                          const at::Tensor& starts);

}  // namespace tessera
