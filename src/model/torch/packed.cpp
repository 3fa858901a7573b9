#include "model/torch/packed.h"

#include "model/torch/causal_convolution.h"
#include "model/torch/selective_scan.h"

#include <ATen/ops/diff.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/repeat_interleave.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

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

Starts view(const at::Tensor& starts) {
  return {starts.data_ptr<std::int64_t>(), static_cast<std::size_t>(starts.size(0))};
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
                            const at::Tensor& starts) {
    const at::Tensor x = with_whole_rows(any_x);
    const at::Tensor weight = any_weight.t().contiguous();
    context->save_for_backward({x, weight, bias, starts});
    at::Tensor y = at::empty_like(x, at::MemoryFormat::Contiguous);
    with_type(x, [&]<typename T>(T) {
      convolution_forward(input<T>(x, weight, bias, starts), write<T>(y));
    });
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &bias = saved[2], &starts = saved[3];
    const at::Tensor dy = with_whole_rows(gradients[0]);
    at::Tensor dx = at::empty_like(x, at::MemoryFormat::Contiguous);
    at::Tensor dweight = at::zeros_like(weight);
    at::Tensor dbias = at::zeros_like(bias);
    with_type(x, [&]<typename T>(T) {
      convolution_backward(input<T>(x, weight, bias, starts), read<T>(dy),
                           {write<T>(dx), write<T>(dweight), dbias.data_ptr<T>()});
    });
    return {dx, dweight.t(), dbias, at::Tensor()};
  }

 private:
  template <typename T>
  static ConvolutionInput<T> input(const at::Tensor& x, const at::Tensor& weight,
                                   const at::Tensor& bias, const at::Tensor& starts) {
    return {.starts = view(starts),
            .channels = weight.size(1),
            .taps = weight.size(0),
            .x = read<T>(x),
            .weight = read<T>(weight),
            .bias = bias.data_ptr<T>()};
  }
};

class Scan : public Function<Scan> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& dt, const at::Tensor& a,
                            const at::Tensor& b, const at::Tensor& c, const at::Tensor& d,
                            const at::Tensor& x, const at::Tensor& starts) {
    const variable_list all = {with_whole_rows(dt),
                               a.t().contiguous(),
                               with_whole_rows(b),
                               with_whole_rows(c),
                               d,
                               with_whole_rows(x),
                               starts};
    context->save_for_backward(all);
    at::Tensor y = at::empty_like(x, at::MemoryFormat::Contiguous);
    with_type(x, [&]<typename T>(T) { scan_forward(input<T>(all), write<T>(y)); });
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
      scan_backward(input<T>(saved), read<T>(dy),
                    {.dt = write<T>(ddt),
                     .x = write<T>(dx),
                     .b = write<T>(db),
                     .c = write<T>(dc),
                     .a = write<T>(da),
                     .d = dd.data_ptr<T>()});
    });
    return {ddt, da.t(), db, dc, dd, dx, at::Tensor()};
  }

 private:
  /// Of dt, a transposed, b, c, d, x and starts.
  template <typename T>
  static ScanInput<T> input(const variable_list& all) {
    return {.starts = view(all[6]),
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

}  // namespace

at::Tensor spread_to_steps(const at::Tensor& of_rows, const Packed& packed) {
  return Spread::apply(of_rows, packed.of_steps);
}

at::Tensor lengths(const Packed& packed) { return at::diff(packed.starts); }

at::Tensor owners(const Packed& packed) { return at::repeat_interleave(lengths(packed)); }

at::Tensor sum_by_program(const at::Tensor& values, const Packed& packed) {
  std::vector<std::int64_t> shape = values.sizes().vec();
  shape[0] = packed.programs();
  return at::zeros(shape, values.options()).index_add(0, owners(packed), values);
}

at::Tensor causal_convolution(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                              const at::Tensor& starts) {
  return Convolution::apply(x, weight, bias, starts);
}

at::Tensor selective_scan(const at::Tensor& dt, const at::Tensor& a, const at::Tensor& b,
                          const at::Tensor& c, const at::Tensor& d, const at::Tensor& x,
                          const at::Tensor& starts) {
  return Scan::apply(dt, a, b, c, d, x, starts);
}

}  // namespace tessera
