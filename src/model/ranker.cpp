#include "model/ranker.h"

#include "base/beside_program.h"
#include "base/check.h"
#include "model/ranker_library.h"
#include "target/target.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <string_view>
#include <utility>

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr const char* file_name = "libtessera_torch.so";
constexpr std::int64_t largest = 1024;

template <std::size_t Count>
Result<void> expect_one_of(const char* what, const std::string& word,
                           const std::array<std::string_view, Count>& words) {
  if (std::find(words.begin(), words.end(), word) != words.end()) return {};
  std::string expected;
  for (const std::string_view known : words)
    expected += (expected.empty() ? "" : ", ") + std::string(known);
  return Error{std::string(what) + " \"" + word + "\" of a ranker, expected one of " + expected};
}

/// OpenBLAS asks for the model of the processor, and multiplies in the slowest way when that is
/// newer than itself; this tells it what instructions there are, unless the user has. It looks when
/// it is loaded.
void choose_multiplication() {
  const Target host = detect_host();
  if (host.arch != Arch::X86 || !host.has_fma) return;
  setenv("OPENBLAS_CORETYPE", host.vector_bytes == 64 ? "SkylakeX" : "Haswell", 0);
}

Result<const RankerLibrary*> find_library() {
  Result<const RankerLibrary*> library = open_ranker_library(beside_program("lib"));
  if (!library) return library;
  if (Result<void> same = expect_same_version(**library); !same) return same.error();
  return library;
}

Result<const RankerLibrary*> library_for(const RankerShape& shape, int threads) {
  check(threads > 0, "a thread at least");
  if (Result<void> buildable = expect_buildable(shape); !buildable) return buildable.error();
  static const Result<const RankerLibrary*> library = find_library();
  return library;
}

}  // namespace

Result<const RankerLibrary*> open_ranker_library(std::span<const fs::path> folders) {
  std::string searched;
  for (const fs::path& folder : folders) {
    const fs::path path = folder / file_name;
    std::error_code unreadable;
    if (!fs::exists(path, unreadable)) {
      searched += (searched.empty() ? "" : " or ") + folder.string();
      continue;
    }
    choose_multiplication();
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return Error{"library of neural rankers: " + std::string(dlerror())};
    void* const symbol = dlsym(library, ranker_library_symbol);
    if (symbol == nullptr) return Error{path.string() + ": not a library of neural rankers"};
    return reinterpret_cast<RankerLibrarySymbol*>(symbol)();
  }
  return Error{std::string(file_name) + ", which neural rankers need, is not in " + searched};
}

Result<void> expect_same_version(const RankerLibrary& library) {
  if (std::string_view(library.version) == TESSERA_VERSION) return {};
  return Error{std::string(file_name) + ": of version " + library.version +
               ", expected " TESSERA_VERSION};
}

Result<void> expect_buildable(const RankerShape& shape) {
  constexpr std::array<std::string_view, 3> kinds = {"tenset-mlp", "tlp", "mamba"};
  constexpr std::array<std::string_view, 3> read_outs = {"sum", "mean", "last"};
  if (Result<void> kind = expect_one_of("kind", shape.kind, kinds); !kind) return kind;
  if (Result<void> read = expect_one_of("read-out", shape.read_out, read_outs); !read) return read;
  const std::pair<const char*, std::int64_t> sizes[] = {
      {"width", static_cast<std::int64_t>(shape.width)},
      {"model width", shape.model_width},
      {"expand", shape.expand},
      {"states", shape.states},
      {"convolution", shape.convolution},
      {"heads", shape.heads},
      {"blocks", shape.blocks}};
  for (const auto& [name, size] : sizes)
    if (size < 1 || size > largest)
      return Error{"ranker with " + std::string(name) + " " + std::to_string(size) +
                   ", expected 1 to " + std::to_string(largest)};
  if (!shape.scales.empty() && shape.scales.size() != shape.width)
    return Error{"ranker of width " + std::to_string(shape.width) + " with " +
                 std::to_string(shape.scales.size()) + " scales"};
  for (const float scale : shape.scales)
    if (!std::isfinite(scale) || scale == 0)
      return Error{"ranker with scale " + std::to_string(scale) +
                   ", expected finite ones other than 0"};
  return {};
}

LossOfList ranking_loss(std::span<const float> labels, std::span<const std::size_t> lists) {
  return [labels, lists](std::size_t list, const Judgement& judgement) {
    return lambda_rank(judgement.scores,
                       labels.subspan(lists[list], lists[list + 1] - lists[list]));
  };
}

Result<std::unique_ptr<Ranker>> make_ranker(const RankerShape& shape, std::uint64_t seed,
                                            int threads) {
  const Result<const RankerLibrary*> library = library_for(shape, threads);
  if (!library) return library.error();
  return (*library)->make(shape, seed, threads);
}

Result<std::unique_ptr<Ranker>> make_column(const RankerShape& shape, const Tensors& base,
                                            std::uint64_t seed, int threads) {
  check(shape.kind == "mamba", "a column of a mamba");
  const Result<const RankerLibrary*> library = library_for(shape, threads);
  if (!library) return library.error();
  return (*library)->make_column(shape, base, seed, threads);
}

}  // namespace tessera
