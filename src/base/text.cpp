#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace tessera {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }
bool is_sign(char c) { return c == '+' || c == '-'; }

/// The character at `at`, or a newline past the end: no token goes on over either.
char char_at(std::string_view text, std::size_t at) { return at < text.size() ? text[at] : '\n'; }

std::size_t end_of_digits(std::string_view text, std::size_t at) {
  while (is_digit(char_at(text, at))) ++at;
  return at;
}

/// End of the name that starts at `at`, or `at` when none does. A `.` belongs to it only between
/// word characters, so that `i.` and `i..n` give `i`.
std::size_t end_of_name(std::string_view text, std::size_t at) {
  if (!is_letter(char_at(text, at))) return at;
  while (is_word(char_at(text, at)) || (char_at(text, at) == '.' && is_word(char_at(text, at + 1))))
    ++at;
  return at;
}

/// End of the number that starts at `at`, or `at` when none does. `0..8` starts with the number 0.
std::size_t end_of_number(std::string_view text, std::size_t at) {
  const std::size_t first = is_sign(char_at(text, at)) ? at + 1 : at;
  const std::size_t word = end_of_name(text, first);
  if (const std::string_view name = text.substr(std::min(first, text.size()), word - first);
      name == "inf" || name == "nan")
    return word;
  std::size_t end = end_of_digits(text, first);
  const bool has_whole = end > first;
  if (char_at(text, end) == '.') {
    const char after = char_at(text, end + 1);
    if (is_digit(after))
      end = end_of_digits(text, end + 1);
    else if (has_whole && after != '.' && !is_letter(after))
      ++end;
  }
  if (end == first) return at;
  if (const char e = char_at(text, end); e == 'e' || e == 'E') {
    const std::size_t power = is_sign(char_at(text, end + 1)) ? end + 2 : end + 1;
    if (is_digit(char_at(text, power))) end = end_of_digits(text, power);
  }
  return end;
}

std::string_view without_plus(std::string_view text) {
  return text.starts_with('+') ? text.substr(1) : text;
}

template <typename T>
std::optional<T> read_whole(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::string shown(std::string_view token) {
  constexpr std::size_t longest = 32;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "'";
  for (const char c : token.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f)
      text += c;
    else
      text += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
  }
  return text + (token.size() > longest ? "...'" : "'");
}

}  // namespace

std::string to_text(std::span<const std::int64_t> values) {
  std::vector<std::string> parts;
  for (const std::int64_t value : values) parts.push_back(std::to_string(value));
  return "[" + join(parts, ", ") + "]";
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (&part != parts.data()) text += separator;
    text += part;
  }
  return text;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";  // whatever its sign
  std::array<char, 32> digits{};
  char* const last = digits.data() + digits.size();
  // Digits alone would read back as an integer, which has 64 bits.
  const bool is_wide = std::isfinite(value) && std::abs(value) >= 0x1p63;
  const auto [end, error] =
      is_wide ? std::to_chars(digits.data(), last, value, std::chars_format::scientific)
              : std::to_chars(digits.data(), last, value);
  return {digits.data(), end};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto byte = [&](std::size_t n) { return static_cast<unsigned char>(char_at(text, n)); };
    const unsigned char first = byte(0);
    const unsigned char second = byte(1);
    std::size_t size = 1;
    if (first >= 0x80) size = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (size == 0 || first > 0xf4) return false;
    for (std::size_t n = 1; n < size; ++n)
      if ((byte(n) & 0xc0) != 0x80) return false;
    const bool is_overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool is_surrogate = first == 0xed && second >= 0xa0;
    const bool is_beyond = first == 0xf4 && second >= 0x90;
    if (is_overlong || is_surrogate || is_beyond) return false;
    text.remove_prefix(size);
  }
  return true;
}

void Scanner::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '#')
      at_ = std::min(text_.find('\n', at_), text_.size());
    else if (c == ' ' || c == '\t' || c == '\r')
      ++at_;
    else
      return;
  }
}

bool Scanner::at_end() {
  skip_blanks();
  return at_ == text_.size();
}

bool Scanner::at_line_end() { return at_end() || text_[at_] == '\n'; }

void Scanner::skip_lines() {
  while (!at_end() && text_[at_] == '\n') {
    ++at_;
    ++line_;
  }
}

bool Scanner::sees(std::string_view symbol) {
  skip_blanks();
  if (!text_.substr(at_).starts_with(symbol)) return false;
  const std::size_t end = at_ + symbol.size();
  const bool is_open = !symbol.empty() && is_word(symbol.back());
  return !is_open || !(is_word(char_at(text_, end)) ||
                       (char_at(text_, end) == '.' && is_word(char_at(text_, end + 1))));
}

bool Scanner::accept(std::string_view symbol) {
  if (!sees(symbol)) return false;
  for (const char c : symbol)
    if (c == '\n') ++line_;
  at_ += symbol.size();
  return true;
}

Result<void> Scanner::expect(std::string_view symbol) {
  if (accept(symbol)) return {};
  return error_expected(symbol == "\n" ? "end of line" : shown(symbol));
}

Result<void> Scanner::expect_line_end() {
  if (!at_line_end()) return error_expected("end of line");
  accept("\n");
  return {};
}

std::optional<std::string> Scanner::accept_name() {
  skip_blanks();
  const std::size_t end = end_of_name(text_, at_);
  if (end == at_) return std::nullopt;
  std::string name(text_.substr(at_, end - at_));
  at_ = end;
  return name;
}

Result<std::string> Scanner::expect_name() {
  if (std::optional<std::string> name = accept_name()) return *std::move(name);
  return error_expected("a name");
}

std::optional<std::int64_t> Scanner::accept_integer() {
  skip_blanks();
  const std::size_t end = end_of_number(text_, at_);
  const auto value = read_whole<std::int64_t>(without_plus(text_.substr(at_, end - at_)));
  if (value) at_ = end;
  return value;
}

Result<std::int64_t> Scanner::expect_integer() {
  if (const std::optional<std::int64_t> value = accept_integer()) return *value;
  return error_expected("an integer of 64 bits");
}

Result<Scanner::Number> Scanner::expect_number() {
  skip_blanks();
  const std::size_t end = end_of_number(text_, at_);
  const std::string_view token = without_plus(text_.substr(at_, end - at_));
  const bool is_integer = token.find_first_of(".eEn") == std::string_view::npos;  // n: inf, nan
  const std::optional<double> value = read_whole<double>(token);
  const std::optional<std::int64_t> integer = is_integer ? read_whole<std::int64_t>(token) : 0;
  if (!value || !integer) return error_expected("a number in range");
  at_ = end;
  return Number{.value = *value, .integer = *integer, .is_integer = is_integer};
}

std::string Scanner::next_shown() {
  if (at_end()) return "end of text";
  if (at_line_end()) return "end of line";
  std::size_t end = std::max(end_of_name(text_, at_), end_of_number(text_, at_));
  if (end == at_) ++end;
  return shown(text_.substr(at_, end - at_));
}

Error Scanner::error_expected(std::string_view what) {
  const std::string found = next_shown();
  return error("expected " + std::string(what) + ", found " + found);
}

Error Scanner::error(std::string_view message) const {
  return {"line " + std::to_string(line_) + ": " + std::string(message)};
}

}  // namespace tessera
