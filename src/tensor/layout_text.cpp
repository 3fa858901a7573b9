#include "base/text.h"
#include "tensor/layout.h"

#include <algorithm>

namespace tessera {
namespace {

std::string to_text(const LayoutTerm& term) {
  std::string text = std::to_string(term.dim);
  if (term.divide != 1) text += "/" + std::to_string(term.divide);
  if (term.modulo != 0) text += "%" + std::to_string(term.modulo);
  if (term.pad != 0) text += "+" + std::to_string(term.pad);
  return text;
}

Result<LayoutTerm> parse_term(Scanner& scanner) {
  LayoutTerm term;
  const auto number = [&](std::int64_t& field) -> Result<void> {
    const Result<std::int64_t> value = scanner.expect_integer();
    if (!value) return value.error();
    field = *value;
    return {};
  };
  if (Result<void> read = number(term.dim); !read) return read.error();
  if (term.dim < 0 || term.dim >= static_cast<std::int64_t>(max_rank))
    return scanner.error("dimension " + std::to_string(term.dim) + ", expected 0 to 7");
  const std::pair<std::string_view, std::int64_t*> suffixes[] = {
      {"/", &term.divide}, {"%", &term.modulo}, {"+", &term.pad}};
  for (const auto& [symbol, field] : suffixes)
    if (scanner.accept(symbol))
      if (Result<void> read = number(*field); !read) return read.error();
  return term;
}

/// `DIM:BEFORE:AFTER ...` after the word `halo`; dimensions that are not named have none.
Result<std::vector<Halo>> parse_halo(Scanner& scanner, std::size_t rank) {
  std::vector<Halo> halo(rank);
  while (const std::optional<std::int64_t> dim = scanner.accept_integer()) {
    if (*dim < 0 || *dim >= static_cast<std::int64_t>(rank))
      return scanner.error("halo of dimension " + std::to_string(*dim) + ", expected one of " +
                           std::to_string(rank));
    Halo& at = halo[static_cast<std::size_t>(*dim)];
    for (std::int64_t* side : {&at.before, &at.after}) {
      if (Result<void> colon = scanner.expect(":"); !colon) return colon.error();
      const Result<std::int64_t> value = scanner.expect_integer();
      if (!value) return value.error();
      *side = *value;
    }
  }
  return halo;
}

}  // namespace

std::string to_text(const Layout& layout) {
  std::vector<std::string> terms;
  for (const LayoutTerm& term : layout.terms) terms.push_back(to_text(term));
  std::string text = "[" + join(terms, " ") + "]";
  if (!layout.halo.empty()) text += " halo";
  for (std::size_t dim = 0; dim < layout.halo.size(); ++dim) {
    const Halo& halo = layout.halo[dim];
    if (halo == Halo{}) continue;
    text += " " + std::to_string(dim) + ":" + std::to_string(halo.before) + ":" +
            std::to_string(halo.after);
  }
  return text;
}

Result<Layout> parse_layout(Scanner& scanner) {
  Layout layout;
  std::int64_t rank = 0;
  if (Result<void> open = scanner.expect("["); !open) return open.error();
  while (!scanner.accept("]")) {
    const Result<LayoutTerm> term = parse_term(scanner);
    if (!term) return term.error();
    layout.terms.push_back(*term);
    rank = std::max(rank, term->dim + 1);
  }
  if (scanner.accept("halo")) {
    Result<std::vector<Halo>> halo = parse_halo(scanner, static_cast<std::size_t>(rank));
    if (!halo) return halo.error();
    layout.halo = *std::move(halo);
  }
  return layout;
}

Result<Layout> parse_layout(std::string_view text) {
  Scanner scanner(text);
  Result<Layout> layout = parse_layout(scanner);
  if (layout && !scanner.at_end()) return scanner.error_expected("the end of the layout");
  return layout;
}

}  // namespace tessera
