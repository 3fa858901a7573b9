#include "tensor/layout.h"

#include "base/text.h"

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

Halo halo_of(const Layout& layout, std::size_t dim) {
  return layout.halo.empty() ? Halo{} : layout.halo[dim];
}

/// Parts of one logical dimension, outermost first.
std::vector<LayoutTerm> parts_of(const Layout& layout, std::int64_t dim) {
  std::vector<LayoutTerm> parts;
  for (const LayoutTerm& term : layout.terms)
    if (term.dim == dim) parts.push_back(term);
  // Of parts with one divisor, all but the first must be `%1`.
  const auto block = [](const LayoutTerm& t) {
    return t.modulo == 0 ? max_element_count : t.modulo;
  };
  std::sort(parts.begin(), parts.end(), [&](const LayoutTerm& a, const LayoutTerm& b) {
    return std::pair(a.divide, block(a)) > std::pair(b.divide, block(b));
  });
  return parts;
}

/// Whether the parts, outermost first, cover a dimension without gap or overlap.
bool is_chain(const std::vector<LayoutTerm>& parts) {
  if (parts.empty() || parts.front().modulo != 0 || parts.back().divide != 1) return false;
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const std::int64_t outer = parts[k - 1].divide;
    const std::int64_t block = parts[k].modulo;
    if (block == 0 || outer % block != 0 || outer / block != parts[k].divide) return false;
  }
  return true;
}

bool has_sane_numbers(const Layout& layout) {
  const auto in_range = [](std::int64_t value, std::int64_t least) {
    return value >= least && value <= max_element_count;
  };
  const bool sane_terms =
      std::all_of(layout.terms.begin(), layout.terms.end(), [&](const LayoutTerm& t) {
        return in_range(t.divide, 1) && in_range(t.modulo, 0) && in_range(t.pad, 0);
      });
  return sane_terms && std::all_of(layout.halo.begin(), layout.halo.end(), [&](const Halo& h) {
           return in_range(h.before, 0) && in_range(h.after, 0);
         });
}

}  // namespace

Layout row_major(std::size_t rank) {
  Layout layout;
  for (std::size_t dim = 0; dim < rank; ++dim)
    layout.terms.push_back({.dim = static_cast<std::int64_t>(dim)});
  return layout;
}

Result<void> verify(const Layout& layout, const Shape& shape) {
  if (Result<void> sound = verify(shape); !sound) return sound;
  const auto refusal = [&](const std::string& what) {
    return Error{"layout " + to_text(layout) + " of " + to_text(shape) + ": " + what};
  };
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (!layout.halo.empty() && layout.halo.size() != shape.size())
    return refusal("halo of " + std::to_string(layout.halo.size()) + " dimensions, expected " +
                   std::to_string(rank));
  if (!has_sane_numbers(layout)) return refusal("a number is negative, zero or above 2^48");
  for (const LayoutTerm& term : layout.terms)
    if (term.dim < 0 || term.dim >= rank)
      return refusal("no dimension " + std::to_string(term.dim));
  for (std::int64_t dim = 0; dim < rank; ++dim)
    if (!is_chain(parts_of(layout, dim)))
      return refusal("parts of dimension " + std::to_string(dim) + " do not cover it exactly once");
  std::int64_t room = max_element_count;
  for (const std::int64_t extent : physical_extents(layout, shape)) room /= extent;
  if (room == 0) return refusal("more than 2^48 elements");
  return {};
}

Shape physical_extents(const Layout& layout, const Shape& shape) {
  Shape extents;
  for (const LayoutTerm& term : layout.terms) {
    const auto dim = static_cast<std::size_t>(term.dim);
    const Halo halo = halo_of(layout, dim);
    const std::int64_t logical = halo.before + shape[dim] + halo.after;
    extents.push_back((term.modulo != 0 ? term.modulo : (logical - 1) / term.divide + 1) +
                      term.pad);
  }
  return extents;
}

Shape physical_strides(const Layout& layout, const Shape& shape) {
  const Shape extents = physical_extents(layout, shape);
  Shape strides(extents.size(), 1);
  for (std::size_t k = extents.size(); k > 1; --k) strides[k - 2] = strides[k - 1] * extents[k - 1];
  return strides;
}

std::int64_t physical_size(const Layout& layout, const Shape& shape) {
  return element_count(physical_extents(layout, shape));
}

std::int64_t offset(const Layout& layout, const Shape& shape, const Shape& index) {
  const std::vector<OffsetShare> shares = offset_shares(layout, shape);
  std::int64_t sum = 0;
  for (std::size_t dim = 0; dim < shares.size(); ++dim) sum += shares[dim](index[dim]);
  return sum;
}

std::int64_t OffsetShare::operator()(std::int64_t index) const {
  std::int64_t sum = 0;
  for (const Part& part : parts) {
    std::int64_t value = (index + before) / part.divide;
    if (part.modulo != 0) value %= part.modulo;
    sum += value * part.stride;
  }
  return sum;
}

std::vector<OffsetShare> offset_shares(const Layout& layout, const Shape& shape) {
  std::vector<OffsetShare> shares(shape.size());
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    shares[dim].before = halo_of(layout, dim).before;
  const Shape strides = physical_strides(layout, shape);
  for (std::size_t k = 0; k < layout.terms.size(); ++k) {
    const LayoutTerm& term = layout.terms[k];
    shares[static_cast<std::size_t>(term.dim)].parts.push_back(
        {.divide = term.divide, .modulo = term.modulo, .stride = strides[k]});
  }
  return shares;
}

}  // namespace tessera
