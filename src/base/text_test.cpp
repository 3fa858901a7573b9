#include "base/text.h"

#include "base/rng.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace tessera {
namespace {

template <typename T>
std::string message(const Result<T>& result) {
  return result ? "no error" : result.error().message;
}

TEST(Text, WritesAndJoinsLists) {
  EXPECT_EQ(to_text(std::vector<std::int64_t>{1, -2, 3}), "[1, -2, 3]");
  EXPECT_EQ(to_text(std::vector<std::int64_t>{}), "[]");
  EXPECT_EQ(join(std::vector<std::string>{"a", "", "b"}, ", "), "a, , b");
  EXPECT_EQ(join(std::vector<std::string>{}, ", "), "");
}

TEST(Text, SplitsLinesOfEitherKind) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(split_lines(""), Lines{});
  EXPECT_EQ(split_lines("a\nb"), (Lines{"a", "b"}));
  EXPECT_EQ(split_lines("a\r\n\nb\n"), (Lines{"a", "", "b"}));
  EXPECT_EQ(split_lines("\n"), Lines{""});
}

TEST(Text, TrimsBothEnds) {
  EXPECT_EQ(trimmed(" \t a b \r\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(NumberText, IsTheShortestThatReadsBack) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(2), "2");
  EXPECT_EQ(number_text(-0.0), "-0");
  EXPECT_EQ(number_text(1e300), "1e+300");
  EXPECT_EQ(number_text(0x1p62), "4611686018427387904");
  EXPECT_EQ(number_text(0x1p63), "9.223372036854776e+18");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(number_text(std::copysign(std::nan(""), -1.0)), "nan");
}

TEST(NumberText, RoundTripsRandomBits) {
  Rng rng(1);
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t bits = rng.next();
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isnan(value)) continue;
    const std::string text = number_text(value);
    Scanner scanner(text);
    const auto got = scanner.expect_number();
    ASSERT_TRUE(got) << text << ": " << got.error().message;
    EXPECT_EQ(got->value, value) << text;
    EXPECT_TRUE(scanner.at_end()) << text;
  }
}

TEST(Scanner, ReadsAStatement) {
  Scanner scanner("for C.i.0 in 128:  # rows\n  load\n");
  EXPECT_TRUE(scanner.accept("for"));
  EXPECT_EQ(*scanner.expect_name(), "C.i.0");
  EXPECT_TRUE(scanner.expect("in"));
  EXPECT_EQ(*scanner.expect_integer(), 128);
  EXPECT_TRUE(scanner.expect(":"));
  EXPECT_FALSE(scanner.at_end());
  EXPECT_TRUE(scanner.expect_line_end());
  EXPECT_EQ(*scanner.expect_name(), "load");
  EXPECT_TRUE(scanner.expect_line_end());
  EXPECT_TRUE(scanner.at_end());
}

TEST(Scanner, EndsWordsAtTheirBoundary) {
  Scanner scanner("input in.x in");
  EXPECT_FALSE(scanner.accept("in"));
  EXPECT_EQ(scanner.accept_name(), "input");
  EXPECT_FALSE(scanner.sees("in"));
  EXPECT_EQ(scanner.accept_name(), "in.x");
  EXPECT_TRUE(scanner.sees("in"));
  EXPECT_TRUE(scanner.accept("in"));
  EXPECT_TRUE(scanner.at_end());
}

TEST(Scanner, LeavesATrailingDotAndARange) {
  Scanner scanner("i. i..n 0..8");
  EXPECT_EQ(scanner.accept_name(), "i");
  EXPECT_TRUE(scanner.accept("."));
  EXPECT_EQ(scanner.accept_name(), "i");
  EXPECT_TRUE(scanner.accept(".."));
  EXPECT_EQ(scanner.accept_name(), "n");
  EXPECT_EQ(scanner.accept_integer(), 0);
  EXPECT_TRUE(scanner.accept(".."));
  EXPECT_EQ(scanner.accept_integer(), 8);
}

TEST(Scanner, CountsLinesOverCommentsAndEmptyLines) {
  Scanner scanner("# title\n\n \t\r\n  x # end");
  scanner.skip_lines();
  EXPECT_EQ(*scanner.expect_name(), "x");
  EXPECT_TRUE(scanner.at_line_end());
  EXPECT_EQ(scanner.error("odd").message, "line 4: odd");
  EXPECT_EQ(message(scanner.expect_name()), "line 4: expected a name, found end of text");
}

TEST(Scanner, ReadsIntegersOf64BitsAndNoMore) {
  Scanner fits("-9223372036854775808 9223372036854775807 +5");
  EXPECT_EQ(*fits.expect_integer(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(*fits.expect_integer(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(*fits.expect_integer(), 5);
  for (const char* text : {"9223372036854775808", "-9223372036854775809", "1.5", "1e3", "+-5", "-",
                           "+", "x", "", "inf", "- 5"}) {
    Scanner scanner(text);
    EXPECT_FALSE(scanner.accept_integer()) << text;
    EXPECT_FALSE(scanner.expect_integer()) << text;
  }
  EXPECT_EQ(message(Scanner("1.5").expect_integer()),
            "line 1: expected an integer of 64 bits, found '1.5'");
}

TEST(Scanner, TellsHowANumberWasWritten) {
  const auto number = [](std::string_view text) { return *Scanner(text).expect_number(); };
  EXPECT_TRUE(number("-7").is_integer);
  EXPECT_EQ(number("-7").integer, -7);
  EXPECT_EQ(number("-7").value, -7);
  EXPECT_TRUE(std::signbit(number("-0").value));
  EXPECT_FALSE(number("7.0").is_integer);
  EXPECT_EQ(number("7.").value, 7);
  EXPECT_EQ(number(".5").value, 0.5);
  EXPECT_EQ(number("+2.5e-3").value, 0.0025);
  EXPECT_EQ(number("-inf").value, -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(number("nan").value));
  EXPECT_FALSE(number("nan").is_integer);
}

TEST(Scanner, RefusesNumbersOutOfRange) {
  EXPECT_EQ(message(Scanner("1e999").expect_number()),
            "line 1: expected a number in range, found '1e999'");
  for (const char* text : {"18446744073709551616", ".", "-.", "e5", "infinity", "nano", "--1", ""})
    EXPECT_FALSE(Scanner(text).expect_number()) << text;
}

TEST(Scanner, NamesWhatItFound) {
  EXPECT_EQ(message(Scanner("\nx").expect("(")), "line 1: expected '(', found end of line");
  EXPECT_EQ(message(Scanner("foo.bar").expect("(")), "line 1: expected '(', found 'foo.bar'");
  EXPECT_EQ(message(Scanner("x y").expect_line_end()), "line 1: expected end of line, found 'x'");
  EXPECT_EQ(message(Scanner("a").expect("\n")), "line 1: expected end of line, found 'a'");
  EXPECT_EQ(message(Scanner("\xff").expect_name()), "line 1: expected a name, found '\\xff'");
  EXPECT_EQ(message(Scanner(std::string(40, 'a')).expect("b")),
            "line 1: expected 'b', found '" + std::string(32, 'a') + "...'");
}

TEST(Scanner, TakesAnyBytes) {
  constexpr std::string_view alphabet = "ai.0-+e#\n\r\t (\x80\xff";
  Rng rng(2);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::int64_t left = rng.below(12); left > 0; --left)
      text += rng.chance(0.1) ? '\0' : rng.pick(std::span<const char>(alphabet));
    Scanner scanner(text);
    for (int step = 0; step < 20; ++step) {
      switch (rng.below(6)) {
        case 0:
          (void)scanner.expect_name();
          break;
        case 1:
          (void)scanner.expect_integer();
          break;
        case 2:
          (void)scanner.expect_number();
          break;
        case 3:
          (void)scanner.expect("i");
          break;
        case 4:
          (void)scanner.expect_line_end();
          break;
        default:
          scanner.skip_lines();
      }
    }
  }
}

TEST(IsUtf8, TellsWholeCharactersFromOtherBytes) {
  for (const char* text :
       {"", "a\tb", "\xc2\xb5", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(is_utf8(text)) << text;
  for (const char* text :
       {"\xff", "\x80", "a\xc2", "\xc2\n", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
        "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"})
    EXPECT_FALSE(is_utf8(text)) << text;
}

}  // namespace
}  // namespace tessera
