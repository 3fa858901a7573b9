#pragma once

#include "ops/builder.h"

#include <string_view>

/// Elementwise functions of networks, each one stage. All take f32; relu, clip and sign any number.
namespace tessera::ops {

/// max(x, 0).
TensorId relu(ComputationBuilder& builder, const TensorId& x, std::string_view name = "relu");
/// x, or slope * x below zero.
TensorId leaky_relu(ComputationBuilder& builder, const TensorId& x, double slope = 0.01,
                    std::string_view name = "leaky_relu");
/// x brought into [low, high].
TensorId clip(ComputationBuilder& builder, const TensorId& x, double low, double high,
              std::string_view name = "clip");
/// x * P(Z < x) for a normal Z: x/2 * (1 + erf(x / sqrt 2)).
TensorId gelu(ComputationBuilder& builder, const TensorId& x, std::string_view name = "gelu");
/// The approximation x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))).
TensorId gelu_tanh(ComputationBuilder& builder, const TensorId& x,
                   std::string_view name = "gelu_tanh");
/// x * sigmoid(x).
TensorId silu(ComputationBuilder& builder, const TensorId& x, std::string_view name = "silu");
/// alpha * x + beta brought into [0, 1].
TensorId hard_sigmoid(ComputationBuilder& builder, const TensorId& x, double alpha = 0.2,
                      double beta = 0.5, std::string_view name = "hard_sigmoid");
/// x * hard_sigmoid(x) with slope 1/6.
TensorId hardswish(ComputationBuilder& builder, const TensorId& x,
                   std::string_view name = "hardswish");
/// x, or alpha * (exp(x) - 1) below zero.
TensorId elu(ComputationBuilder& builder, const TensorId& x, double alpha = 1.0,
             std::string_view name = "elu");
/// log(1 + exp(x)), without overflow.
TensorId softplus(ComputationBuilder& builder, const TensorId& x,
                  std::string_view name = "softplus");
/// -1, 0 or 1.
TensorId sign(ComputationBuilder& builder, const TensorId& x, std::string_view name = "sign");
/// 1 / x.
TensorId reciprocal(ComputationBuilder& builder, const TensorId& x,
                    std::string_view name = "reciprocal");

}  // namespace tessera::ops
