#pragma once

#include "peak/cases.h"
#include "tensor/host_buffer.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace tessera::bench {

/// The work of a case as another library does it, with its buffers: made once, run over and over.
struct Peer {
  std::function<void()> run;
  std::function<HostBuffer()> output;  // of the last run, row-major
  std::string kernel;                  // what the library calls the code it chose
};

/// The fastest way that the library has for the operands of the case's computation; nothing when it
/// is not linked or does no such work. Sets the library's threads for the whole process.
std::optional<Peer> openblas_peer(const Case& c, std::span<const HostBuffer> operands,
                                  std::int64_t threads);
std::optional<Peer> onednn_peer(const Case& c, std::span<const HostBuffer> operands,
                                std::int64_t threads);

/// `0.3.21`; `absent` when not linked.
std::string openblas_version();
std::string onednn_version();

}  // namespace tessera::bench
