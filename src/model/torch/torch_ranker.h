#pragma once

#include "model/ranker.h"

namespace tessera {

/// For a shape that can be built. Networks of this process then run on the threads of their
/// rankers alone: LibTorch and OpenBLAS are told to make none.
std::unique_ptr<Ranker> make_torch_ranker(const RankerShape& shape, std::uint64_t seed,
                                          int threads);
/// Likewise, of a mamba. Refuses a base of another shape.
Result<std::unique_ptr<Ranker>> make_torch_column(const RankerShape& shape, const Tensors& base,
                                                  std::uint64_t seed, int threads);

}  // namespace tessera
