#include "report/plain_text.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(PlainText, KeepsUtf8AndNewlines) {
  const std::string text = "a\nµ – 網 \xf0\x9f\x98\x80";
  EXPECT_EQ(plain_text(text), text);
}

TEST(PlainText, ReplacesWhatIsNotUtf8) {
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(plain_text("a\xff"
                       "b"),
            "a" + mark + "b");
  EXPECT_EQ(plain_text("\xc0\xaf"), mark + mark);                        // too long a form
  EXPECT_EQ(plain_text("\xed\xa0\x80"), mark + mark + mark);             // half of a pair
  EXPECT_EQ(plain_text("\xf4\x90\x80\x80"), mark + mark + mark + mark);  // past the last
  EXPECT_EQ(plain_text("\xe2\x82"), mark + mark);                        // cut off
}

TEST(PlainText, ReplacesControlCharacters) {
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(plain_text(std::string_view("a\0b", 3)), "a" + mark + "b");
  EXPECT_EQ(plain_text("\x1b[2J"), mark + "[2J");
  EXPECT_EQ(plain_text("\xc2\x9b"), mark);  // the same in one character
}

TEST(PlainText, IsShortenedByCharacters) {
  EXPECT_EQ(shortened("µµµµ", 4), "µµµµ");
  EXPECT_EQ(shortened("µµµµ", 3), "µµ…");
  EXPECT_EQ(shortened("µµµµ", 1), "…");
  EXPECT_EQ(shortened("µµµµ", 0), "");
}

TEST(PlainText, ShowsNumbersAsPeopleReadThem) {
  EXPECT_EQ(significant(12.345), "12.3");
  EXPECT_EQ(significant(0.0123456), "0.0123");
  EXPECT_EQ(significant(1234.5), "1234");
  EXPECT_EQ(significant(0), "0");
  EXPECT_EQ(grouped(7), "7");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(duration_text(161.9), "2:41");
  EXPECT_EQ(duration_text(3600 + 161), "1:02:41");
}

}  // namespace
}  // namespace tessera
