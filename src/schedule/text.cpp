#include "base/text.h"

#include "ir/text.h"
#include "schedule/schedule.h"

#include <array>
#include <utility>

namespace tessera {
namespace {

constexpr std::array<std::pair<Algorithm, std::string_view>, 3> algorithms{{
    {Algorithm::Direct, "direct"},
    {Algorithm::Winograd2, "winograd2"},
    {Algorithm::Winograd4, "winograd4"},
}};
constexpr std::array<Memory, 4> memories{Memory::Global, Memory::Constant, Memory::Stack,
                                         Memory::Register};

std::string field_text(const std::string& name) { return name; }
std::string field_text(std::int64_t value) { return std::to_string(value); }
std::string field_text(Memory memory) { return std::string(to_text(memory)); }
std::string field_text(const Layout& layout) { return to_text(layout); }
std::string field_text(Algorithm algorithm) {
  for (const auto& [value, name] : algorithms)
    if (value == algorithm) return std::string(name);
  return "";
}
template <typename T>
std::string field_text(const std::vector<T>& items) {
  std::string text = "[";
  for (const T& item : items) text += (text.size() == 1 ? "" : " ") + field_text(item);
  return text + "]";
}

Result<void> read(Scanner& in, std::string& name) {
  Result<std::string> got = in.expect_name();
  if (!got) return got.error();
  name = *std::move(got);
  return {};
}

Result<void> read(Scanner& in, std::int64_t& value) {
  const Result<std::int64_t> got = in.expect_integer();
  if (!got) return got.error();
  value = *got;
  return {};
}

Result<void> read(Scanner& in, Memory& memory) {
  for (const Memory candidate : memories)
    if (in.accept(to_text(candidate))) {
      memory = candidate;
      return {};
    }
  return in.error_expected("global, constant, stack or register");
}

Result<void> read(Scanner& in, Algorithm& algorithm) {
  for (const auto& [value, name] : algorithms)
    if (in.accept(name)) {
      algorithm = value;
      return {};
    }
  return in.error_expected("direct, winograd2 or winograd4");
}

Result<void> read(Scanner& in, Layout& layout) {
  Result<Layout> got = parse_layout(in);
  if (!got) return got.error();
  layout = *std::move(got);
  return {};
}

template <typename T>
Result<void> read(Scanner& in, std::vector<T>& items) {
  if (const auto open = in.expect("["); !open) return open.error();
  while (!in.accept("]")) {
    T item{};
    if (const auto got = read(in, item); !got) return got.error();
    items.push_back(std::move(item));
  }
  return {};
}

/// Tries the alternatives of Step in order; the first whose name stands next reads its fields.
template <std::size_t Index = 0>
Result<Step> read_step(Scanner& in) {
  if constexpr (Index < std::variant_size_v<Step>) {
    using Kind = std::variant_alternative_t<Index, Step>;
    if (!in.accept(Kind::name)) return read_step<Index + 1>(in);
    Kind step;
    Result<void> outcome;
    std::apply(
        [&](auto... field) {
          (void)((outcome = read(in, step.*field), outcome.has_value()) && ...);
        },
        Kind::fields);
    if (!outcome) return outcome.error();
    if (const auto end = in.expect_line_end(); !end) return end.error();
    return Step{std::move(step)};
  } else {
    return in.error_expected("the name of a step");
  }
}

}  // namespace

std::string to_text(const Step& step) {
  return std::visit(
      [](const auto& s) {
        std::string text(s.name);
        std::apply([&](auto... field) { ((text += " " + field_text(s.*field)), ...); },
                   std::decay_t<decltype(s)>::fields);
        return text;
      },
      step);
}

std::string to_text(const Schedule& schedule) {
  std::string text;
  for (const Step& step : schedule) text += to_text(step) + "\n";
  return text;
}

Result<Schedule> parse_schedule(std::string_view text) {
  Scanner in(text);
  Schedule schedule;
  for (in.skip_lines(); !in.at_end(); in.skip_lines()) {
    Result<Step> step = read_step(in);
    if (!step) return step.error();
    schedule.push_back(*std::move(step));
  }
  return schedule;
}

}  // namespace tessera
