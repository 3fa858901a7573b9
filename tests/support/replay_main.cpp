#include "base/rng.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

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

}  // namespace

/// Runs a fuzz target without libFuzzer: on every file of the folder given, and on damaged copies
/// of each, always the same ones. A finding ends the program as it would under libFuzzer.
int main(int count, char** arguments) {
  constexpr int copies = 200;
  const std::vector<std::string> texts = inputs(count > 1 ? arguments[1] : "");
  for (const std::string& text : texts) {
    run(text);
    tessera::Rng rng(text.size());
    for (int copy = 0; copy < copies; ++copy) run(damaged(text, rng));
  }
  std::printf("%zu inputs, %d damaged copies of each\n", texts.size(), copies);
}
