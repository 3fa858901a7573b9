#include "feature/tvm_tokens.h"

#include "base/check.h"
#include "feature/token_columns.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace tessera {
namespace {

using Numbers = std::vector<std::int64_t>;

/// Where `S` stands in the list of steps.
template <typename S, std::size_t N = 0>
consteval std::size_t kind_of() {
  if constexpr (std::is_same_v<S, std::variant_alternative_t<N, Step>>)
    return N;
  else
    return kind_of<S, N + 1>();
}

constexpr std::array<std::pair<std::string_view, std::size_t>, 13> kinds{{
    {"FU", kind_of<Fuse>()},
    {"PR", kind_of<Unroll>()},
    {"RE", kind_of<Reorder>()},
    {"SP", kind_of<Split>()},
    {"FSP", kind_of<Split>()},
    {"FFSP", kind_of<Split>()},
    {"SA", kind_of<ChooseLayout>()},
    {"CA", kind_of<ComputeAt>()},
    {"CI", kind_of<Inline>()},
    {"CR", kind_of<ComputeAt>()},
    {"CHR", kind_of<CacheRead>()},
    {"CHW", kind_of<CacheWrite>()},
    {"RF", kind_of<Factor>()},
}};

std::int64_t integer(const TvmStep& step, std::size_t n) {
  const auto* value =
      n < step.arguments.size() ? std::get_if<std::int64_t>(&step.arguments[n]) : nullptr;
  return value != nullptr ? *value : 0;
}

Numbers numbers(const TvmStep& step, std::size_t n) {
  const auto* values =
      n < step.arguments.size() ? std::get_if<Numbers>(&step.arguments[n]) : nullptr;
  return values != nullptr ? *values : Numbers();
}

/// The integers in a text, in order.
Numbers integers_in(std::string_view text) {
  Numbers found;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    std::int64_t value = 0;
    const auto read = std::from_chars(at, end, value);
    if (read.ec == std::errc()) found.push_back(value);
    at = read.ec == std::errc() ? read.ptr : at + 1;
  }
  return found;
}

std::size_t kind_of_annotation(std::int64_t annotation) {
  constexpr std::int64_t unroll = 1, vectorize = 2;
  if (annotation == unroll) return kind_of<Unroll>();
  if (annotation == vectorize) return kind_of<Vectorize>();
  return kind_of<Parallel>();  // threads of any kind
}

/// The lengths that a split has inside, its own or those of the steps that it follows.
Numbers factors_of(std::span<const TvmStep> steps, std::size_t n) {
  const TvmStep& step = steps[n];
  const auto source = [&](std::int64_t id) {
    const bool is_before = id >= 0 && std::cmp_less(id, n);
    return is_before ? factors_of(steps, static_cast<std::size_t>(id)) : Numbers();
  };
  if (step.kind == "SP") return numbers(step, 2);
  if (step.kind == "FSP") {
    Numbers factors = source(integer(step, 1));
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(integer(step, 2), 0));
    factors.resize(std::min(factors.size(), count));
    return factors;
  }
  std::int64_t product = 1;
  for (const std::int64_t id : numbers(step, 1)) {
    const Numbers factors = source(id);
    const auto level = static_cast<std::size_t>(std::max<std::int64_t>(integer(step, 2), 0));
    product *= level < factors.size() ? factors[level] : 1;
  }
  return {product};
}

void write_numbers(std::span<const std::int64_t> values, std::span<float> token) {
  const std::size_t count = std::min(values.size(), token_column::numbers_count);
  for (std::size_t n = 0; n < count; ++n) token[token_column::numbers + n] = log_size(values[n]);
}

void write_split(std::span<const TvmStep> steps, std::size_t n, std::span<float> token) {
  const Numbers factors = factors_of(steps, n);
  write_numbers(factors, token);
  if (steps[n].kind != "SP") return;
  const auto extent = static_cast<float>(integer(steps[n], 1));
  float product = 1;
  for (const std::int64_t factor : factors) product *= static_cast<float>(factor);
  if (extent <= 0 || product <= 0) return;
  const float rounds = std::ceil(extent / product);
  token[token_column::extent] = token[token_column::axis_extent] = log_size(extent);
  token[token_column::rounds] = log_size(rounds);
  token[token_column::waste] = rounds * product / extent - 1;
}

void write_step(std::span<const TvmStep> steps, std::size_t n, std::span<float> token) {
  const TvmStep& step = steps[n];
  token[token_column::stage] = static_cast<float>(step.stage);
  token[token_column::axis] = static_cast<float>(integer(step, 0));
  if (step.kind == "AN") {
    token[token_column::first_step + kind_of_annotation(integer(step, 1))] = 1;
    return;
  }
  const auto kind = std::ranges::find(kinds, step.kind, &decltype(kinds)::value_type::first);
  check(kind != kinds.end(), "a kind of step that the parser knows");
  token[token_column::first_step + kind->second] = 1;
  if (kind->second == kind_of<Split>()) return write_split(steps, n, token);
  if (step.kind == "PR")
    if (const auto* text = std::get_if<std::string>(&step.arguments.back()))
      return write_numbers(integers_in(*text), token);
  Numbers all;
  for (std::size_t k = 0; k < step.arguments.size(); ++k) {
    const Numbers list = numbers(step, k);
    if (list.empty()) all.push_back(integer(step, k));
    all.insert(all.end(), list.begin(), list.end());
  }
  write_numbers(all, token);
  const std::size_t count = std::min(all.size(), token_column::pairs_count);
  for (std::size_t k = 0; k < count; ++k)
    token[token_column::pairs + 2 * k + 1] = static_cast<float>(1 + all[all.size() - 1 - k]);
}

}  // namespace

void append_tvm_tokens(const TaskEntry& task, std::string_view target,
                       std::span<const TvmStep> steps, Rows& rows) {
  check(rows.width == token_width, "rows of tokens");
  const std::size_t begin = rows.values.size();
  rows.values.resize(begin + (2 + steps.size()) * token_width);
  const auto token = [&](std::size_t n) {
    return std::span(rows.values).subspan(begin + n * token_width, token_width);
  };
  token(0)[token_column::task] = 1;
  constexpr std::size_t room = token_width - token_column::facts;
  for (std::size_t n = 0; n < std::min(task.sizes.size(), room); ++n)
    token(0)[token_column::facts + n] = log_size(task.sizes[task.sizes.size() - 1 - n]);
  token(1)[token_column::hardware] = 1;
  const Numbers hardware = integers_in(target.substr(std::min(target.rfind('['), target.size())));
  for (std::size_t n = 0; n < std::min(hardware.size(), room); ++n)
    token(1)[token_column::facts + n] = log_size(std::max<std::int64_t>(hardware[n], 0));
  for (std::size_t n = 0; n < steps.size(); ++n) write_step(steps, n, token(2 + n));
  rows.starts.push_back(rows.values.size() / token_width);
}

}  // namespace tessera
