#include "target/target.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace tessera {
namespace {

constexpr std::array<std::pair<Arch, std::string_view>, 3> archs = {
    {{Arch::X86, "x86-64"}, {Arch::AArch64, "aarch64"}, {Arch::RiscV, "riscv64"}}};

/// A number that may follow the name as `key=value`. `cpu`, the one text, stands apart.
struct Key {
  std::string_view name;
  std::int64_t Target::* field;
  bool is_size;  // may be written with K, M or G
  std::int64_t least;
};

constexpr std::array keys = {
    Key{"cores", &Target::cores, false, 1},  //
    Key{"l1", &Target::l1_bytes, true, 1},   //
    Key{"l2", &Target::l2_bytes, true, 0},   //
    Key{"l3", &Target::l3_bytes, true, 0},   //
    Key{"stack", &Target::stack_bytes, true, 0},
};

constexpr std::string_view units = "KMG";

std::string value_text(const Key& key, std::int64_t value) {
  std::string unit;
  for (std::size_t i = 0; key.is_size && i < units.size() && value > 0 && value % 1024 == 0; ++i) {
    value /= 1024;
    unit = units[i];
  }
  return std::to_string(value) + unit;
}

std::optional<std::int64_t> parse_value(const Key& key, std::string_view text) {
  constexpr std::int64_t largest = std::int64_t{1} << 40;
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{}) return std::nullopt;
  value = std::clamp<std::int64_t>(value, -1, largest + 1);
  if (const std::string_view unit(stop, end); !unit.empty()) {
    const std::size_t power = units.find(unit[0]);
    if (!key.is_size || unit.size() > 1 || power == std::string_view::npos) return std::nullopt;
    for (std::size_t i = 0; i <= power; ++i) value = std::min(value * 1024, largest + 1);
  }
  if (value < key.least || value > largest) return std::nullopt;
  return value;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  while (!(text = trimmed(text)).empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
    found.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return found;
}

bool is_cpu_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
}

const Target* find_preset(std::string_view name) {
  const auto found = std::ranges::find(presets(), name, &Target::name);
  return found == presets().end() ? nullptr : &*found;
}

Result<Target> named(std::string_view name) {
  if (name == "native") return detect_host();
  if (const Target* preset = find_preset(name)) return *preset;
  std::string known = "native";
  for (const Target& preset : presets()) known += ", " + preset.name;
  return Error{"target '" + std::string(name) + "': unknown, expected one of " + known};
}

/// `target` with `word`, a `key=value`.
Result<Target> with(Target target, std::string_view word) {
  const auto refused = [&](const std::string& expected) {
    return Error{"target " + target.name + ": '" + std::string(word) + "', expected " + expected};
  };
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string_view name = word.substr(0, equals);
  const std::string_view value = word.substr(std::min(equals + 1, word.size()));
  if (name == "cpu") {
    if (!is_cpu_name(value)) return refused("cpu= and LLVM's name of a core");
    target.cpu = value;
    return target;
  }
  const auto key = std::ranges::find(keys, name, &Key::name);
  if (key == keys.end()) return refused("key=value with one of cores, l1, l2, l3, stack, cpu");
  const std::optional<std::int64_t> number = parse_value(*key, value);
  if (!number)
    return refused(std::string(name) + "= and " +
                   (key->is_size ? "a size such as 32K" : "a positive integer"));
  target.*key->field = *number;
  return target;
}

}  // namespace

std::string_view to_text(Arch arch) {
  return std::ranges::find(archs, arch, &decltype(archs)::value_type::first)->second;
}

std::optional<Arch> parse_arch(std::string_view text) {
  const auto found = std::ranges::find(archs, text, &decltype(archs)::value_type::second);
  return found == archs.end() ? std::nullopt : std::optional(found->first);
}

std::string to_text(const Target& target) {
  const Target* found = find_preset(target.name);
  const Target& preset = found != nullptr ? *found : Target{};
  std::string text = target.name;
  for (const Key& key : keys)
    if (target.*key.field != preset.*key.field)
      text += " " + std::string(key.name) + "=" + value_text(key, target.*key.field);
  if (target.cpu != preset.cpu) text += " cpu=" + target.cpu;
  return text;
}

std::string_view preset_of(std::string_view text) { return text.substr(0, text.find(' ')); }

Result<Target> parse_target(std::string_view text) {
  const std::vector<std::string_view> parts = words(text);
  Result<Target> target = named(parts.empty() ? "" : parts[0]);
  for (std::size_t i = 1; i < parts.size() && target; ++i) target = with(*target, parts[i]);
  return target;
}

}  // namespace tessera
