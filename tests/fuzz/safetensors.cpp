#include "base/check.h"
#include "model/trained_ranker.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera {
namespace {

/// The bytes with the length of the header that they begin with made right, which few mutations
/// keep.
std::string sealed(std::string_view bytes) {
  std::string out(bytes);
  if (out.size() < 8) return out;
  const std::size_t end = bytes.rfind('}');
  std::size_t length = end == std::string_view::npos || end < 8 ? 0 : end - 7;
  for (std::size_t n = 0; n < 8; ++n, length /= 256) out[n] = static_cast<char>(length % 256);
  return out;
}

/// What is read as a file reads back as itself; as weights it is taken or refused.
void try_file(std::string_view bytes) {
  Result<Safetensors> file = parse_safetensors(bytes);
  if (!file) return;
  const Result<Safetensors> again = parse_safetensors(to_bytes(*file));
  check(again.has_value() && *again == *file, "a file that was read can be written and read");
  (void)from_safetensors(*std::move(file));
}

}  // namespace
}  // namespace tessera

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  tessera::try_file(bytes);
  tessera::try_file(tessera::sealed(bytes));
  return 0;
}
