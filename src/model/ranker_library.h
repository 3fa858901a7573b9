#pragma once

#include "base/result.h"
#include "model/ranker.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace tessera {

/// What `libtessera_torch.so` shows: the one place where the program and LibTorch meet.
struct RankerLibrary {
  const char* version;  // the first field in all versions
  std::unique_ptr<Ranker> (*make)(const RankerShape& shape, std::uint64_t seed, int threads);
  Result<std::unique_ptr<Ranker>> (*make_column)(const RankerShape& shape, const Tensors& base,
                                                 std::uint64_t seed, int threads);
  char* (*multiplies_as_on)();  // a processor, by OpenBLAS's name
};

/// The type and the name of the library's only symbol.
using RankerLibrarySymbol = const RankerLibrary*();
inline constexpr const char* ranker_library_symbol = "tessera_ranker_library";

/// Looks into the folders, in order, and stays open. Refuses when it is in none of them, cannot be
/// loaded, or is not a library of rankers.
Result<const RankerLibrary*> open_ranker_library(std::span<const std::filesystem::path> folders);

/// Refuses a library of another version than the program's.
Result<void> expect_same_version(const RankerLibrary& library);

/// Refuses a kind that does not exist and sizes that it cannot have.
Result<void> expect_buildable(const RankerShape& shape);

}  // namespace tessera
