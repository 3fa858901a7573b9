#include "tensor/host_buffer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>

namespace tessera {
namespace {

Layout layout_of(std::string_view text) { return *parse_layout(text); }

HostBuffer counting(DType dtype, std::int64_t count) {
  HostBuffer buffer(dtype, count);
  for (std::int64_t i = 0; i < count; ++i) buffer.set_integer(i, i + 1);
  return buffer;
}

/// Each dimension cut into up to three parts, all parts shuffled, with pads and halos.
Layout random_layout(std::size_t rank, Rng& rng) {
  Layout layout;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    const auto d = static_cast<std::int64_t>(dim);
    std::int64_t divide = 1;
    for (std::int64_t cuts = rng.below(3); cuts > 0; --cuts) {
      const std::int64_t block = rng.between(1, 5);
      layout.terms.push_back({.dim = d, .divide = divide, .modulo = block});
      divide *= block;
    }
    layout.terms.push_back({.dim = d, .divide = divide});
    layout.halo.push_back({rng.below(3), rng.below(3)});
  }
  for (std::size_t k = layout.terms.size(); k > 1; --k)
    std::swap(layout.terms[k - 1],
              layout.terms[static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(k)))]);
  for (LayoutTerm& term : layout.terms) term.pad = rng.chance(0.3) ? rng.below(4) : 0;
  if (rng.chance(0.5)) layout.halo.clear();
  return layout;
}

TEST(HostBuffer, IsAlignedAndZero) {
  for (const std::int64_t count : {0, 1, 15, 16, 1000}) {
    const HostBuffer buffer(DType::F32, count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0u);
    const auto* bytes = static_cast<const char*>(buffer.data());
    for (std::int64_t k = 0; k < buffer.size_bytes() + 64; ++k) EXPECT_EQ(bytes[k], 0);
  }
}

TEST(HostBuffer, KeepsElementsOfEachType) {
  for (const DType dtype : {DType::F32, DType::I32, DType::I64}) {
    HostBuffer buffer(dtype, 3);
    buffer.set(1, -7);
    EXPECT_EQ(buffer.get(1), -7);
    EXPECT_EQ(buffer.get_integer(1), -7);
    buffer.set_integer(2, 9);
    EXPECT_EQ(buffer.copy().get(2), 9);
  }
  HostBuffer flags(DType::Bool, 1);
  flags.set(0, 0.5);
  EXPECT_EQ(flags.get_integer(0), 1);
  HostBuffer wide(DType::I64, 1);
  wide.set_integer(0, (std::int64_t{1} << 53) + 1);
  EXPECT_EQ(wide.get_integer(0), (std::int64_t{1} << 53) + 1);
}

TEST(HostBuffer, ConvertsToTheNearestInteger) {
  HostBuffer narrow(DType::I32, 1);
  narrow.set(0, 1e300);
  EXPECT_EQ(narrow.get_integer(0), std::numeric_limits<std::int32_t>::max());
  narrow.set(0, -1e300);
  EXPECT_EQ(narrow.get_integer(0), std::numeric_limits<std::int32_t>::min());
  narrow.set(0, std::nan(""));
  EXPECT_EQ(narrow.get_integer(0), std::numeric_limits<std::int32_t>::min());
  narrow.set(0, -2.9);
  EXPECT_EQ(narrow.get_integer(0), -2);
}

TEST(Pack, PutsChannelsInBlocksInsideABorder) {
  const Shape shape = {1, 10, 2, 3};
  const Layout layout = layout_of("[0 1/8 2 3 1%8] halo 2:1:1 3:1:1");
  const HostBuffer logical = counting(DType::F32, element_count(shape));
  const HostBuffer physical = pack(logical, shape, layout);
  ASSERT_EQ(physical.element_count(), 2 * 4 * 5 * 8);
  double sum = 0;
  for (std::int64_t i = 0; i < physical.element_count(); ++i) sum += physical.get(i);
  EXPECT_EQ(sum, 60 * 61 / 2);  // border and the last six channels are zero
  EXPECT_EQ(physical.get(offset(layout, shape, {0, 9, 1, 2})), 60);
}

TEST(Pack, CutsPanelsThatDoNotDivide) {
  const Shape shape = {2, 5};
  const HostBuffer physical = pack(counting(DType::I32, 10), shape, layout_of("[1/4 0 1%4]"));
  const std::int32_t want[] = {1, 2, 3, 4, 6, 7, 8, 9, 5, 0, 0, 0, 10, 0, 0, 0};
  ASSERT_EQ(physical.element_count(), 16);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(physical.as<std::int32_t>()[i], want[i]) << i;
}

TEST(Pack, TakesAScalar) {
  const HostBuffer physical = pack(counting(DType::I64, 1), {}, Layout{});
  EXPECT_EQ(physical.get_integer(0), 1);
}

TEST(Pack, UnpackInvertsIt) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    Shape shape;
    for (std::int64_t rank = rng.below(5); rank > 0; --rank) shape.push_back(rng.between(1, 9));
    const Layout layout = random_layout(shape.size(), rng);
    ASSERT_TRUE(verify(layout, shape)) << "seed " << seed << ": " << to_text(layout);
    EXPECT_EQ(*parse_layout(to_text(layout)), layout) << to_text(layout);
    const DType dtype = rng.chance(0.5) ? DType::F32 : DType::I64;
    const HostBuffer logical = counting(dtype, element_count(shape));
    const HostBuffer back = unpack(pack(logical, shape, layout), shape, layout);
    ASSERT_EQ(back.element_count(), logical.element_count());
    for (std::int64_t i = 0; i < back.element_count(); ++i)
      ASSERT_EQ(back.get(i), logical.get(i)) << "seed " << seed << ": " << to_text(layout);
  }
}

TEST(FillRandom, StaysInRangeAndRepeats) {
  HostBuffer reals(DType::F32, 1000), again(DType::F32, 1000), integers(DType::I64, 1000);
  Rng rng(1), same(1);
  fill_random(reals, rng);
  fill_random(again, same);
  fill_random(integers, rng);
  std::set<std::int64_t> seen;
  for (std::int64_t i = 0; i < 1000; ++i) {
    EXPECT_TRUE(reals.get(i) >= -1 && reals.get(i) < 1);
    EXPECT_EQ(reals.get(i), again.get(i));
    seen.insert(integers.get_integer(i));
  }
  EXPECT_EQ(seen, (std::set<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

}  // namespace
}  // namespace tessera
