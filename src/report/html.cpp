#include "report/html.h"

#include "report/plain_text.h"

namespace tessera {
namespace {

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : plain_text(text)) {
    const std::string_view name = entity(c);
    name.empty() ? html += c : html += name;
  }
  return html;
}

std::string escaped_json(std::string_view json) {
  std::string text;
  for (const char c : json) c == '<' ? text += "\\u003c" : text += c;
  return text;
}

}  // namespace tessera
