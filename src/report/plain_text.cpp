#include "report/plain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

unsigned byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

bool is_continuation(unsigned byte) { return (byte & 0xc0U) == 0x80U; }

/// Size of the character at the start of `text`, 0 when there is none: shortest forms only, no
/// surrogates, nothing past U+10FFFF (the Unicode Standard, table 3-7).
std::size_t character_size(std::string_view text) {
  const unsigned first = byte_at(text, 0), second = byte_at(text, 1);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4 || !is_continuation(second)) return 0;
  if (first < 0xe0) return 2;
  if (!is_continuation(byte_at(text, 2))) return 0;
  if (first < 0xf0)
    return (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ? 0 : 3;
  if (!is_continuation(byte_at(text, 3))) return 0;
  return (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f) ? 0 : 4;
}

bool is_control(std::string_view character) {
  const unsigned first = byte_at(character, 0);
  if (first == 0xc2) return byte_at(character, 1) < 0xa0;
  return (first < 0x20 && first != '\n') || first == 0x7f;
}

}  // namespace

std::string plain_text(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
    plain += size == 0 || is_control(character) ? replacement : character;
    text.remove_prefix(character.size());
  }
  return plain;
}

std::size_t length_of(std::string_view plain) {
  return static_cast<std::size_t>(std::ranges::count_if(
      plain, [](char c) { return !is_continuation(static_cast<unsigned char>(c)); }));
}

std::string shortened(std::string_view plain, std::size_t length) {
  if (length_of(plain) <= length) return std::string(plain);
  if (length == 0) return "";
  std::size_t end = 0;
  for (std::size_t n = 1; n < length; ++n) end += character_size(plain.substr(end));
  return std::string(plain.substr(0, end)) + "…";
}

std::string significant(double value) {
  if (!(value > 0)) return "0";
  const int decimals = 2 - static_cast<int>(std::floor(std::log10(value)));
  return fmt::format("{:.{}f}", value, std::clamp(decimals, 0, 12));
}

std::string grouped(std::int64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::min(seconds, 1e15));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace tessera
