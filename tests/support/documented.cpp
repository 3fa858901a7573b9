#include "support/documented.h"

#include "base/check.h"
#include "base/file.h"

namespace tessera {

std::string documented(std::string_view beginning) {
  const Result<std::string> page = read_file(TESSERA_DOCS_FOLDER "/text_forms.md");
  check(page.has_value(), page ? "" : page.error().message);
  const std::string_view fence = "```\n";
  const std::size_t before = page->find(std::string(fence) += beginning);
  check(before != std::string::npos, "a text that begins with " + std::string(beginning));
  const std::size_t start = before + fence.size();
  return page->substr(start, page->find(fence, start) - start);
}

}  // namespace tessera
