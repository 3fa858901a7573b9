#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// The grammar or example of docs/text_forms.md that begins so.
std::string documented(std::string_view beginning);

}  // namespace tessera
