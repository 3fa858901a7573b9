#include "base/rng.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" {
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
/// Null where the target has none.
[[gnu::weak]] std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                                  std::size_t max_size, unsigned seed);
}

namespace {

std::vector<std::string> inputs(const std::filesystem::path& folder) {
  std::vector<std::string> texts = {""};
  if (!std::filesystem::exists(folder)) return texts;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

void run(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

/// One to four small damages: a byte changed, removed, doubled, or the rest cut off.
std::string damaged(std::string text, tessera::Rng& rng) {
  for (std::int64_t left = rng.between(1, 4); left > 0 && !text.empty(); --left) {
    const auto at = static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(text.size())));
    switch (rng.below(4)) {
      case 0:
        text[at] = static_cast<char>(rng.below(256));
        break;
      case 1:
        text.erase(at, 1);
        break;
      case 2:
        text.insert(at, 1, text[at]);
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

/// A copy changed by the target's own mutator, or damaged when it has none.
std::string changed(const std::string& text, tessera::Rng& rng) {
  if (LLVMFuzzerCustomMutator == nullptr) return damaged(text, rng);
  std::string copy = text;
  copy.resize(text.size() + 1024);
  auto* const data = reinterpret_cast<std::uint8_t*>(copy.data());
  copy.resize(
      LLVMFuzzerCustomMutator(data, text.size(), copy.size(), static_cast<unsigned>(rng.next())));
  return copy;
}

}  // namespace

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size) {
  tessera::Rng rng(size);
  const std::string text = damaged(std::string(reinterpret_cast<char*>(data), size), rng);
  const std::size_t kept = std::min(text.size(), max_size);
  std::memcpy(data, text.data(), kept);
  return kept;
}

/// Runs a fuzz target without libFuzzer: on every file of the folder given, and on changed copies
/// of each, always the same ones. A finding ends the program as it would under libFuzzer.
int main(int count, char** arguments) {
  constexpr int copies = 200;
  const std::vector<std::string> texts = inputs(count > 1 ? arguments[1] : "");
  for (const std::string& text : texts) {
    run(text);
    tessera::Rng rng(text.size());
    for (int copy = 0; copy < copies; ++copy) run(changed(text, rng));
  }
  std::printf("%zu inputs, %d changed copies of each\n", texts.size(), copies);
}
