#pragma once

#include "model/ranker.h"

namespace tessera {

/// For a shape that can be built. Networks of this process then run on the threads of their
/// rankers alone: LibTorch and OpenBLAS are told to make none.
std::unique_ptr<Ranker> make_torch_ranker(const RankerShape& shape, std::uint64_t seed,
                                          int threads);

}  // namespace tessera
