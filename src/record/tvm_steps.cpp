#include "base/text.h"
#include "record/tvm_records.h"

#include <array>
#include <utility>

namespace tessera {
namespace {

/// What stands after the stage: integers `i`, lists of integers `l`, words `w`.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> signatures = {
    {{"AN", "ii"},      // annotate: loop, annotation
     {"FU", "l"},       // fuse: loops
     {"PR", "iw"},      // pragma: loop, pragma
     {"RE", "l"},       // reorder: loops
     {"SP", "iili"},    // split: loop, extent, inner lengths, whether from inner to outer
     {"FSP", "iii"},    // follow split: loop, step, parts
     {"FFSP", "ilii"},  // follow fused split: loop, steps, level, whether factor or parts
     {"SA", "iii"},     // storage align: loop, factor, offset
     {"CA", "ii"},      // compute at: stage, loop
     {"CI", ""},        // compute inline
     {"CR", ""},        // compute root
     {"CHR", "wl"},     // cache read: scope, readers
     {"CHW", "w"},      // cache write: scope
     {"RF", "ii"}}};    // rfactor: loop, loop

std::string text_of(std::int64_t value) { return std::to_string(value); }
std::string text_of(const std::vector<std::int64_t>& values) { return to_text(values); }
std::string text_of(const std::string& word) { return word; }

Result<std::vector<std::int64_t>> expect_list(Scanner& scanner) {
  std::vector<std::int64_t> values;
  if (const Result<void> open = scanner.expect("["); !open) return open.error();
  while (!scanner.accept("]")) {
    if (!values.empty())
      if (const Result<void> comma = scanner.expect(","); !comma) return comma.error();
    const Result<std::int64_t> value = scanner.expect_integer();
    if (!value) return value.error();
    values.push_back(*value);
  }
  return values;
}

/// `local`, `auto_unroll_max_step$512`.
Result<std::string> expect_word(Scanner& scanner) {
  Result<std::string> word = scanner.expect_name();
  if (!word || !scanner.accept("$")) return word;
  const Result<std::int64_t> value = scanner.expect_integer();
  if (!value) return value.error();
  return *word + "$" + std::to_string(*value);
}

template <typename T>
Result<TvmStep::Argument> as_argument(Result<T> value) {
  if (!value) return value.error();
  return TvmStep::Argument(*std::move(value));
}

Result<TvmStep::Argument> expect_argument(Scanner& scanner, char kind) {
  if (kind == 'i') return as_argument(scanner.expect_integer());
  return kind == 'l' ? as_argument(expect_list(scanner)) : as_argument(expect_word(scanner));
}

Result<TvmStep> expect_step(Scanner& scanner) {
  Result<std::string> kind = scanner.expect_name();
  if (!kind) return kind.error();
  const auto* signature = signatures.begin();
  while (signature != signatures.end() && signature->first != *kind) ++signature;
  if (signature == signatures.end()) return scanner.error("unknown step " + *kind);
  const Result<std::int64_t> stage = scanner.expect_integer();
  if (!stage) return stage.error();
  TvmStep step = {.kind = *std::move(kind), .stage = *stage};
  for (const char argument : signature->second) {
    Result<TvmStep::Argument> value = expect_argument(scanner, argument);
    if (!value) return value.error();
    step.arguments.push_back(*std::move(value));
  }
  if (const Result<void> end = scanner.expect_line_end(); !end) return end.error();
  return step;
}

}  // namespace

std::string to_text(const TvmStep& step) {
  std::string text = step.kind + " " + std::to_string(step.stage);
  for (const TvmStep::Argument& argument : step.arguments)
    text += " " + std::visit([](const auto& value) { return text_of(value); }, argument);
  return text;
}

Result<std::vector<TvmStep>> parse_tvm_steps(std::string_view text) {
  Scanner scanner(text);
  std::vector<TvmStep> steps;
  for (scanner.skip_lines(); !scanner.at_end(); scanner.skip_lines()) {
    Result<TvmStep> step = expect_step(scanner);
    if (!step) return step.error();
    steps.push_back(*std::move(step));
  }
  return steps;
}

}  // namespace tessera
