#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace tessera {

/// The words of the text forms, in the order of their enumerators.
inline constexpr auto unary_words =
    std::to_array<std::string_view>({"-", "abs", "!", "exp", "log", "sqrt", "rsqrt", "erf", "tanh",
                                     "sigmoid", "sin", "cos", "floor", "ceil", "round"});
inline constexpr auto binary_words = std::to_array<std::string_view>(
    {"+", "-", "*", "/", "%", "min", "max", "pow", "<", "<=", "==", "&&", "||"});
inline constexpr auto reducer_words =
    std::to_array<std::string_view>({"sum", "prod", "max", "min"});
inline constexpr auto store_words = std::to_array<std::string_view>({"+=", "*=", "max=", "min="});
inline constexpr auto memory_words =
    std::to_array<std::string_view>({"global", "constant", "stack", "register"});
inline constexpr auto loop_words =
    std::to_array<std::string_view>({"serial", "parallel", "unroll", "vector"});
inline constexpr auto role_words = std::to_array<std::string_view>({"input", "constant", "output"});
inline constexpr auto form_words = std::to_array<std::string_view>({"scheduled", "lowered"});

/// Words that would be misread as the name of a tensor or axis.
inline constexpr auto reserved_words = std::to_array<std::string_view>(
    {"for", "if", "else", "alloc", "prefetch", "inf", "nan", "true", "false"});

template <typename Enum, std::size_t N>
constexpr std::string_view word_of(Enum value, const std::array<std::string_view, N>& words) {
  return words[static_cast<std::size_t>(value)];
}

template <typename Enum, std::size_t N>
constexpr std::optional<Enum> parse_word(std::string_view word,
                                         const std::array<std::string_view, N>& words) {
  const auto at = std::find(words.begin(), words.end(), word);
  if (at == words.end()) return std::nullopt;
  return static_cast<Enum>(at - words.begin());
}

/// How tightly an infix operator binds, 1 the loosest; 0 for operators written as functions.
constexpr int infix_precedence(std::string_view infix) {
  if (infix == "||") return 1;
  if (infix == "&&") return 2;
  if (infix == "==") return 3;
  if (infix == "<" || infix == "<=") return 4;
  if (infix == "+" || infix == "-") return 5;
  if (infix == "*" || infix == "/" || infix == "%") return 6;
  return 0;
}
inline constexpr int prefix_precedence = 7;
inline constexpr int primary_precedence = 8;

}  // namespace tessera
