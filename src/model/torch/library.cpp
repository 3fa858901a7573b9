#include "model/ranker_library.h"
#include "model/torch/torch_ranker.h"

#include <cblas.h>

extern "C" [[gnu::visibility("default")]] const tessera::RankerLibrary* tessera_ranker_library() {
  static constexpr tessera::RankerLibrary library{TESSERA_VERSION, &tessera::make_torch_ranker,
                                                  &tessera::make_torch_column,
                                                  &openblas_get_corename};
  return &library;
}
