#include "base/hash.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(Fingerprint, IsFnv1aOf128Bits) {
  EXPECT_EQ(to_text(fingerprint("")), "6c62272e07bb014262b821756295c58d");
  EXPECT_EQ(to_text(fingerprint("a")), "d228cb696f1a8caf78912b704e4a8964");
  EXPECT_EQ(to_text(fingerprint("foobar")), "343e1662793c64bf6f0d3597ba446f18");
}

TEST(Fingerprint, SeesEveryByte) {
  EXPECT_NE(fingerprint(std::string_view("a\0b", 3)), fingerprint(std::string_view("a\0c", 3)));
  EXPECT_NE(fingerprint("\x80"), fingerprint(""));
}

TEST(Fingerprint, PrintsLeadingZeros) {
  EXPECT_EQ(to_text(Fingerprint{.high = 0, .low = 0x1f}), "0000000000000000000000000000001f");
}

TEST(Fingerprint, IsToldFromOtherTexts) {
  EXPECT_TRUE(is_fingerprint(to_text(fingerprint("a"))));
  for (const char* text :
       {"", "d228cb696f1a8caf78912b704e4a896", "D228cb696f1a8caf78912b704e4a8964",
        "../../..b696f1a8caf78912b704e4a8964"})
    EXPECT_FALSE(is_fingerprint(text)) << text;
}

}  // namespace
}  // namespace tessera
