#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

/// A 128-bit name for some text: FNV-1a with the 128-bit offset basis and prime. The same on every
/// machine and in every version, so that records can be keyed by it.
struct Fingerprint {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;
};

Fingerprint fingerprint(std::string_view text);

/// 32 lower-case hexadecimal digits.
std::string to_text(const Fingerprint& value);
/// Whether `text` is what `to_text` gives of some fingerprint.
bool is_fingerprint(std::string_view text);

}  // namespace tessera
