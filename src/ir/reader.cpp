#include "ir/reader.h"

#include "ir/words.h"

namespace tessera {

void Reader::fail(std::string_view message) {
  if (!failed()) error_ = scanner_.error(message);
}

void Reader::fail_expected(std::string_view what) {
  if (!failed()) error_ = scanner_.error_expected(what);
}

void Reader::expect(std::string_view symbol) {
  if (failed()) return;
  if (Result<void> taken = scanner_.expect(symbol); !taken) error_ = taken.error();
}

void Reader::expect_line_end() {
  if (failed()) return;
  if (Result<void> taken = scanner_.expect_line_end(); !taken) error_ = taken.error();
  scanner_.skip_lines();
}

std::string Reader::name() {
  if (failed()) return {};
  Result<std::string> name = scanner_.expect_name();
  if (!name) error_ = name.error();
  return name ? *std::move(name) : std::string();
}

std::int64_t Reader::integer() {
  if (failed()) return 0;
  const Result<std::int64_t> value = scanner_.expect_integer();
  if (!value) error_ = value.error();
  return value ? *value : 0;
}

double Reader::number() {
  if (failed()) return 0;
  const Result<Scanner::Number> value = scanner_.expect_number();
  if (!value) error_ = value.error();
  return value ? value->value : 0;
}

DType Reader::dtype() {
  const std::string word = name();
  const std::optional<DType> dtype = parse_dtype(word);
  if (!dtype) fail("no dtype " + word);
  return dtype.value_or(DType::F32);
}

Tensor Reader::tensor() {
  Tensor tensor{.name = name(), .dtype = dtype(), .shape = {}};
  expect("[");
  while (!failed() && !accept("]")) {
    tensor.shape.push_back(integer());
    if (!sees("]")) expect(",");
  }
  return tensor;
}

Table Reader::table() {
  Table table{.tensor = tensor(), .values = {}};
  expect("=");
  expect("[");
  while (!failed() && !accept("]")) {
    table.values.push_back(number());
    if (!sees("]")) expect(",");
  }
  return table;
}

Layout Reader::layout() {
  if (failed()) return {};
  Result<Layout> layout = parse_layout(scanner_);
  if (!layout) error_ = layout.error();
  return layout ? *std::move(layout) : Layout{};
}

std::vector<Axis> Reader::axes(AxisKind kind) {
  std::vector<Axis> axes;
  expect("[");
  while (!failed() && !accept("]")) {
    Axis axis{.name = name(), .kind = kind};
    expect(":");
    axis.extent = integer();
    axes.push_back(std::move(axis));
    if (!sees("]")) expect(",");
  }
  return axes;
}

std::optional<Reducer> Reader::accept_reducer() {
  if (failed()) return std::nullopt;
  Scanner ahead = scanner_;
  const std::optional<std::string> word = ahead.accept_name();
  const auto reducer = parse_word<Reducer>(word.value_or(""), reducer_words);
  const Scanner after_word = ahead;
  if (!reducer || !ahead.accept("[") || !ahead.accept_name() || !ahead.accept(":"))
    return std::nullopt;
  scanner_ = after_word;
  return reducer;
}

std::optional<DType> Reader::declare(const TensorId& tensor, std::optional<DType> dtype) {
  const auto known = dtypes_.find(tensor);
  const std::optional<DType> before =
      known == dtypes_.end() ? std::nullopt : std::optional(known->second);
  if (dtype)
    dtypes_[tensor] = *dtype;
  else
    dtypes_.erase(tensor);
  return before;
}

}  // namespace tessera
