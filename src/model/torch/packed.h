#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>

namespace tessera {

/// Programs of different lengths without padding, as branches of `model/torch/branches.h`; where a
/// network is not causal each is a branch that shares nothing, in the order given.
/// Many steps are alike: what depends on a step alone is computed for rows, then spread.
struct Packed {
  at::Tensor rows;        // distinct ones x width
  at::Tensor of_steps;    // the row of each step
  at::Tensor starts;      // the first step of each branch, and the end of the last
  at::Tensor depths;      // of branches
  at::Tensor order;       // the program of each branch
  at::Tensor heads = {};  // of each program, where there are several

  std::int64_t programs() const { return order.size(0); }
};

/// What rows have, for each step.
at::Tensor spread_to_steps(const at::Tensor& of_rows, const Packed& packed);

/// The number of steps of each program.
at::Tensor lengths(const Packed& packed);
/// The last step of each program.
at::Tensor ends(const Packed& packed);
/// The program of each step, where none are shared.
at::Tensor owners(const Packed& packed);
/// The sum of the values of each program's steps.
at::Tensor sum_by_program(const at::Tensor& values, const Packed& packed);

/// The convolution of `model/torch/causal_convolution.h`, whose weight is channels x taps.
at::Tensor causal_convolution(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                              const Packed& packed);

/// The scan of `model/torch/selective_scan.h`, in which `a` is channels x states.
at::Tensor selective_scan(const at::Tensor& dt, const at::Tensor& a, const at::Tensor& b,
                          const at::Tensor& c, const at::Tensor& d, const at::Tensor& x,
                          const Packed& packed);

}  // namespace tessera
