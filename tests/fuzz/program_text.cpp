#include "base/check.h"
#include "ir/text.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

/// Whatever parses prints as text that parses to the same program.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const tessera::Result<tessera::Program> parsed =
      tessera::parse_program(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!parsed) return 0;
  const tessera::Result<tessera::Program> again = tessera::parse_program(tessera::to_text(*parsed));
  tessera::check(again.has_value(), "the text of a program parses");
  tessera::check(*again == *parsed, "the text of a program keeps all of it");
  return 0;
}
