#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// `[1, 2, 3]`.
std::string to_text(std::span<const std::int64_t> values);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::vector<std::string> split_lines(std::string_view text);
std::string_view trimmed(std::string_view text);

/// The shortest decimal form that reads back as exactly `value`; `inf`, `-inf` and `nan` as words.
std::string number_text(double value);
bool is_utf8(std::string_view text);

/// Reads a text form from left to right. Blanks and tabs separate; a newline is a token of its own;
/// `#` starts a comment that ends with its line. The `expect_*` functions refuse with
/// `line L: expected X, found Y`.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  /// At the end of the text, blanks and comments aside.
  bool at_end();
  bool at_line_end();
  /// Skips newlines, and with them empty lines.
  void skip_lines();

  /// Takes `symbol` when it stands next; a symbol made of letters must end at a word boundary.
  bool accept(std::string_view symbol);
  /// Whether `symbol` stands next, without taking it.
  bool sees(std::string_view symbol);

  Result<void> expect(std::string_view symbol);
  Result<void> expect_line_end();
  /// A name: letter or `_`, then letters, digits, `_` and `.` (a trailing `.` is not taken).
  Result<std::string> expect_name();
  /// An integer that fits in 64 bits, with an optional sign.
  Result<std::int64_t> expect_integer();
  std::optional<std::int64_t> accept_integer();
  /// A number in C notation, `inf` or `nan`; `is_integer` of the answer tells how it was written.
  struct Number {
    double value = 0;
    std::int64_t integer = 0;
    bool is_integer = false;
  };
  Result<Number> expect_number();
  std::optional<std::string> accept_name();

  /// `line L: expected WHAT, found NEXT`.
  Error error_expected(std::string_view what);
  /// `line L: MESSAGE`.
  Error error(std::string_view message) const;

 private:
  void skip_blanks();
  std::string next_shown();

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace tessera
