#pragma once

#include <string_view>

namespace tessera {

/// The page's style sheet: one set of colours for light and one for dark, by what the reader
/// prefers.
std::string_view page_style();

/// The page's script: sorts tables, shows the curve's values under the pointer, and opens the
/// schedule that a link leads to. The page is whole without it.
std::string_view page_script();

}  // namespace tessera
