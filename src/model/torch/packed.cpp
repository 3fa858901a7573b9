#include "model/torch/packed.h"

#include "model/torch/causal_convolution.h"
#include "model/torch/selective_scan.h"

#include <ATen/ops/diff.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/index_copy.h>
#include <ATen/ops/repeat_interleave.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <span>

namespace tessera {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

/// With numbers of a row side by side, which rows need not be.
at::Tensor with_whole_rows(const at::Tensor& tensor) {
  return tensor.stride(1) == 1 ? tensor : tensor.contiguous();
}

template <typename T>
Matrix<const T> read(const at::Tensor& tensor) {
  return {tensor.data_ptr<T>(), tensor.stride(0)};
}

template <typename T>
Matrix<T> write(const at::Tensor& tensor) {
  return {tensor.data_ptr<T>(), tensor.stride(0)};
}

std::span<const std::int64_t> view(const at::Tensor& numbers) {
  return {numbers.data_ptr<std::int64_t>(), static_cast<std::size_t>(numbers.size(0))};
}

Branches branches_of(const at::Tensor& starts, const at::Tensor& depths) {
  return {.starts = view(starts), .depths = view(depths)};
}

/// Calls `f` with a number of the type that the tensor has.
template <typename F>
void with_type(const at::Tensor& tensor, const F& f) {
  if (tensor.scalar_type() == at::kDouble)
    f(double());
  else
    f(float());
}

/// LibTorch's own way back takes a call for each row.
class Spread : public Function<Spread> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& rows,
                            const at::Tensor& of_steps) {
    context->save_for_backward({of_steps});
    context->saved_data["rows"] = rows.size(0);
    return rows.index_select(0, of_steps);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor of_steps = context->get_saved_variables()[0];
    const at::Tensor dy = with_whole_rows(gradients[0]);
    const std::int64_t width = dy.size(1);
    at::Tensor dx = at::zeros({context->saved_data["rows"].toInt(), width}, dy.options());
    with_type(dy, [&]<typename T>(T) {
      const Matrix<const T> from = read<T>(dy);
      const Matrix<T> to = write<T>(dx);
      std::int64_t step = 0;
      for (const std::int64_t row : view(of_steps)) {
        const T* slope = from.row(step++);
        T* sum = to.row(row);
        for (std::int64_t k = 0; k < width; ++k) sum[k] += slope[k];
      }
    });
    return {dx, at::Tensor()};
  }
};

class Convolution : public Function<Convolution> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& any_x,
                            const at::Tensor& any_weight, const at::Tensor& bias,
                            const at::Tensor& starts, const at::Tensor& depths) {
    const variable_list all = {with_whole_rows(any_x), any_weight.t().contiguous(), bias, starts,
                               depths};
    const at::Tensor& x = all[0];
    context->save_for_backward(all);
    at::Tensor y = at::empty_like(x, at::MemoryFormat::Contiguous);
    with_type(x, [&]<typename T>(T) { convolution_forward(input<T>(all), write<T>(y)); });
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &bias = saved[2];
    const at::Tensor dy = with_whole_rows(gradients[0]);
    at::Tensor dx = at::empty_like(x, at::MemoryFormat::Contiguous);
    at::Tensor dweight = at::zeros_like(weight);
    at::Tensor dbias = at::zeros_like(bias);
    with_type(x, [&]<typename T>(T) {
      convolution_backward(input<T>(saved), read<T>(dy),
                           {write<T>(dx), write<T>(dweight), dbias.data_ptr<T>()});
    });
    return {dx, dweight.t(), dbias, at::Tensor(), at::Tensor()};
  }

 private:
  /// Of x, the weight transposed, bias, starts and depths.
  template <typename T>
  static ConvolutionInput<T> input(const variable_list& all) {
    return {.branches = branches_of(all[3], all[4]),
            .channels = all[1].size(1),
            .taps = all[1].size(0),
            .x = read<T>(all[0]),
            .weight = read<T>(all[1]),
            .bias = all[2].data_ptr<T>()};
  }
};

class Scan : public Function<Scan> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& dt, const at::Tensor& a,
                            const at::Tensor& b, const at::Tensor& c, const at::Tensor& d,
                            const at::Tensor& x, const at::Tensor& starts,
                            const at::Tensor& depths) {
    const at::Tensor begun =
        at::empty({depths.size(0), scan_state_size(a.size(0), a.size(1))}, x.options());
    const variable_list all = {with_whole_rows(dt),
                               a.t().contiguous(),
                               with_whole_rows(b),
                               with_whole_rows(c),
                               d,
                               with_whole_rows(x),
                               starts,
                               depths,
                               begun};
    context->save_for_backward(all);
    at::Tensor y = at::empty_like(x, at::MemoryFormat::Contiguous);
    with_type(
        x, [&]<typename T>(T) { scan_forward(input<T>(all), write<T>(y), begun.data_ptr<T>()); });
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor dy = with_whole_rows(gradients[0]);
    at::Tensor ddt = at::empty_like(saved[0], at::MemoryFormat::Contiguous);
    at::Tensor dx = at::empty_like(saved[5], at::MemoryFormat::Contiguous);
    at::Tensor da = at::zeros_like(saved[1]);
    at::Tensor db = at::zeros_like(saved[2], at::MemoryFormat::Contiguous);
    at::Tensor dc = at::zeros_like(saved[3], at::MemoryFormat::Contiguous);
    at::Tensor dd = at::zeros_like(saved[4]);
    with_type(dy, [&]<typename T>(T) {
      scan_backward(input<T>(saved), saved[8].data_ptr<T>(), read<T>(dy),
                    {.dt = write<T>(ddt),
                     .x = write<T>(dx),
                     .b = write<T>(db),
                     .c = write<T>(dc),
                     .a = write<T>(da),
                     .d = dd.data_ptr<T>()});
    });
    return {ddt, da.t(), db, dc, dd, dx, at::Tensor(), at::Tensor()};
  }

 private:
  /// Of dt, a transposed, b, c, d, x, starts and depths.
  template <typename T>
  static ScanInput<T> input(const variable_list& all) {
    return {.branches = branches_of(all[6], all[7]),
            .channels = all[1].size(1),
            .states = all[1].size(0),
            .dt = read<T>(all[0]),
            .x = read<T>(all[5]),
            .b = read<T>(all[2]),
            .c = read<T>(all[3]),
            .a = read<T>(all[1]),
            .d = all[4].data_ptr<T>()};
  }
};

/// Of the values along the path of each branch.
class PathSum : public Function<PathSum> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& any_values,
                            const at::Tensor& starts, const at::Tensor& depths,
                            const at::Tensor& order) {
    const at::Tensor values = with_whole_rows(any_values);
    context->save_for_backward({starts, depths, order});
    const Branches branches = branches_of(starts, depths);
    const std::int64_t width = values.size(1);
    at::Tensor y = at::empty({order.size(0), width}, values.options());
    const at::Tensor sums = at::zeros({branches.longest() + 1, width}, values.options());
    with_type(values, [&]<typename T>(T) {
      const Matrix<const T> from = read<T>(values);
      const Matrix<T> sum = write<T>(sums);  // by the number of steps
      for (std::size_t n = 0; n < branches.size(); ++n) {
        std::int64_t walked = branches.depths[n];
        for (std::int64_t t = branches.starts[n]; t < branches.starts[n + 1]; ++t, ++walked)
          for (std::int64_t k = 0; k < width; ++k)
            sum.row(walked + 1)[k] = sum.row(walked)[k] + from.row(t)[k];
        std::copy_n(sum.row(walked), width, write<T>(y).row(view(order)[n]));
      }
    });
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const Branches branches = branches_of(saved[0], saved[1]);
    const at::Tensor dy = with_whole_rows(gradients[0]);
    const std::int64_t width = dy.size(1);
    at::Tensor dvalues = at::empty({branches.starts.back(), width}, dy.options());
    const at::Tensor pulls = at::zeros({branches.longest() + 1, width}, dy.options());
    with_type(dy, [&]<typename T>(T) {
      const Matrix<T> pull = write<T>(pulls);  // of what comes behind so many steps
      const Matrix<T> to = write<T>(dvalues);
      for (std::size_t n = branches.size(); n-- > 0;) {
        std::int64_t walked = branches.length(n);
        const T* const slope = read<T>(dy).row(view(saved[2])[n]);
        for (std::int64_t k = 0; k < width; ++k) pull.row(walked)[k] += slope[k];
        for (std::int64_t t = branches.starts[n + 1] - 1; t >= branches.starts[n]; --t, --walked) {
          std::copy_n(pull.row(walked), width, to.row(t));
          for (std::int64_t k = 0; k < width; ++k) pull.row(walked - 1)[k] += pull.row(walked)[k];
          std::fill_n(pull.row(walked), width, T(0));
        }
      }
    });
    return {dvalues, at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

/// What branches have, in the order of programs.
at::Tensor by_program(const at::Tensor& of_branches, const Packed& packed) {
  return at::empty_like(of_branches).index_copy(0, packed.order, of_branches);
}

}  // namespace

at::Tensor spread_to_steps(const at::Tensor& of_rows, const Packed& packed) {
  return Spread::apply(of_rows, packed.of_steps);
}

at::Tensor lengths(const Packed& packed) {
  return by_program(at::diff(packed.starts) + packed.depths, packed);
}

at::Tensor ends(const Packed& packed) {
  return by_program(packed.starts.slice(0, 1) - 1, packed);  // of the one before, if it is empty
}

at::Tensor owners(const Packed& packed) { return at::repeat_interleave(at::diff(packed.starts)); }

at::Tensor sum_by_program(const at::Tensor& values, const Packed& packed) {
  const auto sum = [&](const at::Tensor& rows) {
    return PathSum::apply(rows, packed.starts, packed.depths, packed.order);
  };
  return values.dim() == 1 ? sum(values.unsqueeze(1)).squeeze(1) : sum(values);
}

at::Tensor causal_convolution(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                              const Packed& packed) {
  return Convolution::apply(x, weight, bias, packed.starts, packed.depths);
}

at::Tensor selective_scan(const at::Tensor& dt, const at::Tensor& a, const at::Tensor& b,
                          const at::Tensor& c, const at::Tensor& d, const at::Tensor& x,
                          const Packed& packed) {
  return Scan::apply(dt, a, b, c, d, x, packed.starts, packed.depths);
}

}  // namespace tessera
