#include "base/hash.h"

namespace tessera {
namespace {

constexpr std::string_view digits = "0123456789abcdef";

}  // namespace

Fingerprint fingerprint(std::string_view text) {
  __extension__ using Wide = unsigned __int128;
  const Wide prime = (Wide{1} << 88) + 0x13b;
  Wide state = (Wide{0x6c62272e07bb0142} << 64) | 0x62b821756295c58d;
  for (const char c : text) {
    state ^= static_cast<unsigned char>(c);
    state *= prime;
  }
  return {.high = static_cast<std::uint64_t>(state >> 64),
          .low = static_cast<std::uint64_t>(state)};
}

std::string to_text(const Fingerprint& value) {
  std::string text;
  for (const std::uint64_t half : {value.high, value.low})
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[(half >> shift) & 15];
  return text;
}

bool is_fingerprint(std::string_view text) {
  return text.size() == 32 && text.find_first_not_of(digits) == std::string_view::npos;
}

}  // namespace tessera
