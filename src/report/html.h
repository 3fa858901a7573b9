#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// Any bytes as text of an element or of an attribute in quotes.
std::string escaped(std::string_view text);

/// A JSON document as text of a script element, which ends at the first `</script` that stands in
/// it.
std::string escaped_json(std::string_view json);

}  // namespace tessera
