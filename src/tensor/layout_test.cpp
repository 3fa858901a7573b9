#include "tensor/layout.h"

#include "base/rng.h"

#include <gtest/gtest.h>

#include <set>

namespace tessera {
namespace {

Layout layout_of(std::string_view text) {
  const Result<Layout> layout = parse_layout(text);
  EXPECT_TRUE(layout) << text;
  return layout ? *layout : Layout{};
}

std::string refusal(std::string_view text, const Shape& shape) {
  const Result<void> verdict = verify(layout_of(text), shape);
  return verdict ? "accepted" : verdict.error().message;
}

std::string parse_refusal(std::string_view text) {
  const Result<Layout> layout = parse_layout(text);
  return layout ? "accepted" : layout.error().message;
}

TEST(Shape, RefusesWhatCannotBeAddressed) {
  EXPECT_TRUE(verify(Shape{}));
  EXPECT_TRUE(verify(Shape{1 << 24, 1 << 24}));
  EXPECT_EQ(verify(Shape{1 << 24, 1 << 24, 2}).error().message,
            "shape [16777216, 16777216, 2]: more than 2^48 elements");
  EXPECT_EQ(verify(Shape{4, 0}).error().message, "shape [4, 0]: extent 0 is below 1");
  EXPECT_EQ(verify(Shape(9, 1)).error().message,
            "shape [1, 1, 1, 1, 1, 1, 1, 1, 1]: rank 9 is above 8");
}

TEST(Layout, PrintsAndParses) {
  for (const std::string text : {"[]", "[0 1]", "[0 1+16]", "[1/16 0 1%16]", "[0/32 0/8%4 0%8+1]",
                                 "[0 1/8 2 3 1%8] halo 2:1:1 3:1:1", "[0 1] halo"}) {
    EXPECT_EQ(to_text(layout_of(text)), text);
    EXPECT_EQ(layout_of(to_text(layout_of(text))), layout_of(text));
  }
  EXPECT_EQ(layout_of("[0 1]"), row_major(2));
}

TEST(Layout, RefusesDamagedText) {
  EXPECT_EQ(parse_refusal("0 1"), "line 1: expected '[', found '0'");
  EXPECT_EQ(parse_refusal("[0 x]"), "line 1: expected an integer of 64 bits, found 'x'");
  EXPECT_EQ(parse_refusal("[0 8]"), "line 1: dimension 8, expected 0 to 7");
  EXPECT_EQ(parse_refusal("[0 1/]"), "line 1: expected an integer of 64 bits, found ']'");
  EXPECT_EQ(parse_refusal("[0 1] halo 2:1:1"), "line 1: halo of dimension 2, expected one of 2");
  EXPECT_EQ(parse_refusal("[0 1] halo 1:1"), "line 1: expected ':', found end of text");
  EXPECT_EQ(parse_refusal("[0 1] x"), "line 1: expected the end of the layout, found 'x'");
}

TEST(Layout, RefusesWhatDoesNotCoverTheShapeOnce) {
  EXPECT_EQ(refusal("[1/16 0 1%16]", {64, 100}), "accepted");
  EXPECT_EQ(refusal("[0]", {4, 4}),
            "layout [0] of [4, 4]: parts of dimension 1 do not cover it exactly once");
  EXPECT_EQ(refusal("[0 0]", {4}),
            "layout [0 0] of [4]: parts of dimension 0 do not cover it exactly once");
  EXPECT_EQ(refusal("[0/4 0%8]", {64}),
            "layout [0/4 0%8] of [64]: parts of dimension 0 do not cover it exactly once");
  EXPECT_EQ(refusal("[0/8 0%4]", {64}),
            "layout [0/8 0%4] of [64]: parts of dimension 0 do not cover it exactly once");
  EXPECT_EQ(refusal("[0/8%2 0%8]", {64}),
            "layout [0/8%2 0%8] of [64]: parts of dimension 0 do not cover it exactly once");
  EXPECT_EQ(refusal("[0 1]", {4}), "layout [0 1] of [4]: no dimension 1");
}

TEST(Layout, RefusesNumbersWithoutMeaning) {
  EXPECT_EQ(refusal("[0/0]", {4}), "layout [0/0] of [4]: a number is negative, zero or above 2^48");
  EXPECT_EQ(refusal("[0] halo 0:-1:0", {4}),
            "layout [0] halo 0:-1:0 of [4]: a number is negative, zero or above 2^48");
  EXPECT_EQ(refusal("[1 0] halo 0:1:1", {4}),
            "layout [1 0] halo 0:1:1 of [4]: halo of 2 dimensions, expected 1");
  EXPECT_EQ(refusal("[0+281474976710656]", {4}),
            "layout [0+281474976710656] of [4]: more than 2^48 elements");
  EXPECT_EQ(refusal("[0]", {0}), "shape [0]: extent 0 is below 1");
}

TEST(Layout, MeasuresBlocksPadsAndHalos) {
  const Layout panels = layout_of("[1/16 0+3 1%16]");
  EXPECT_EQ(physical_extents(panels, {10, 40}), (Shape{3, 13, 16}));
  EXPECT_EQ(physical_strides(panels, {10, 40}), (Shape{208, 16, 1}));
  EXPECT_EQ(physical_size(panels, {10, 40}), 624);
  EXPECT_EQ(offset(panels, {10, 40}, {2, 35}), 2 * 208 + 2 * 16 + 3);

  const Layout image = layout_of("[0 1/8 2 3 1%8] halo 2:1:1 3:1:2");
  EXPECT_EQ(physical_extents(image, {1, 20, 5, 7}), (Shape{1, 3, 7, 10, 8}));
  EXPECT_EQ(offset(image, {1, 20, 5, 7}, {0, 0, -1, -1}), 0);
  EXPECT_EQ(offset(image, {1, 20, 5, 7}, {0, 9, 5, 8}), 1 * 560 + 6 * 80 + 9 * 8 + 1);
}

TEST(Layout, MapsDistinctIndicesToDistinctOffsets) {
  Rng rng(7);
  for (int round = 0; round < 50; ++round) {
    const Shape shape = {rng.between(1, 20), rng.between(1, 20)};
    const std::int64_t inner = rng.between(1, 4);
    const std::int64_t outer = inner * rng.between(1, 4);
    Layout layout{.terms = {{.dim = 1, .divide = outer},
                            {.dim = 0, .pad = rng.below(3)},
                            {.dim = 1, .divide = inner, .modulo = outer / inner},
                            {.dim = 1, .modulo = inner}},
                  .halo = {{rng.below(3), 0}, {rng.below(3), rng.below(3)}}};
    ASSERT_TRUE(verify(layout, shape)) << to_text(layout);
    std::set<std::int64_t> seen;
    for (std::int64_t i = -layout.halo[0].before; i < shape[0]; ++i)
      for (std::int64_t j = -layout.halo[1].before; j < shape[1] + layout.halo[1].after; ++j) {
        const std::int64_t at = offset(layout, shape, {i, j});
        EXPECT_TRUE(at >= 0 && at < physical_size(layout, shape)) << to_text(layout);
        EXPECT_TRUE(seen.insert(at).second) << to_text(layout);
      }
  }
}

}  // namespace
}  // namespace tessera
