#pragma once

#include <cstddef>
#include <vector>

namespace tessera {

/// The causal convolution of one step.
struct ConvolutionStep {
  const float* inputs;  // of this step; those of the steps before stand before them
  std::size_t known;    // steps that there are, this one among them
  std::size_t steps;    // that the convolution sees
  std::size_t channels;
  const float* weights;  // steps x channels, the last for this step
  const float* bias;
};
/// SiLU of it.
void convolve(const ConvolutionStep& step, float* out);

/// Channels that a scan works on together. What is of each state and channel stands block by block,
/// states x channels of one block; what is left over is a block for each channel.
inline constexpr std::size_t scan_block = 8;
/// A channels x states matrix in that order.
std::vector<float> in_scan_blocks(const std::vector<float>& values, std::size_t states);

/// One step of the selective scan, for all channels:
///
///     dt = softplus(dt)    h = 2^(dt a) before + dt b x    out = (c h + d x) SiLU(z)
struct ScanStep {
  const float *x, *z, *dt;  // of each channel
  const float* a;           // in scan blocks
  const float *b, *c;       // of each state
  const float* d;
  const float* before;  // in scan blocks; null for zeros
  std::size_t channels;
  std::size_t states;
};
void scan(const ScanStep& step, float* h, float* out);

}  // namespace tessera
