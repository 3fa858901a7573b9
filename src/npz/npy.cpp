#include "npz/npy.h"

#include "base/check.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

namespace tessera {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// NumPy's names of element types.
constexpr std::array<std::pair<ElementType, std::string_view>, 12> names = {
    {{ElementType::Float, "<f4"},
     {ElementType::Double, "<f8"},
     {ElementType::Float16, "<f2"},
     {ElementType::Int8, "|i1"},
     {ElementType::Int16, "<i2"},
     {ElementType::Int32, "<i4"},
     {ElementType::Int64, "<i8"},
     {ElementType::UInt8, "|u1"},
     {ElementType::UInt16, "<u2"},
     {ElementType::UInt32, "<u4"},
     {ElementType::UInt64, "<u8"},
     {ElementType::Bool, "|b1"}}};

/// What stands before the elements.
struct Head {
  ElementType element = ElementType::Float;
  bool is_fortran_order = false;
  Shape shape;
};

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

/// `text` up to its next quotation mark.
std::string_view until_quote(std::string_view text) { return text.substr(0, text.find('\'')); }

Result<ElementType> element_called(std::string_view type) {
  const auto found = std::ranges::find(names, type, &decltype(names)::value_type::second);
  if (found != names.end()) return found->first;
  std::vector<std::string> known;
  for (const auto& [element, name] : names) known.emplace_back(name);
  return Error{"element type " + quoted(type) + ", expected one of " + join(known, ", ")};
}

Result<bool> expect_bool(Scanner& scanner) {
  if (scanner.accept("True")) return true;
  if (scanner.accept("False")) return false;
  return scanner.error_expected("True or False");
}

/// `(3, 4)`, `(3,)` or `()`.
Result<Shape> expect_shape(Scanner& scanner) {
  Shape shape;
  if (Result<void> open = scanner.expect("("); !open) return open.error();
  while (!scanner.accept(")")) {
    const Result<std::int64_t> extent = scanner.expect_integer();
    if (!extent) return extent.error();
    shape.push_back(*extent);
    if (!scanner.accept(",") && !scanner.sees(")")) return scanner.error_expected("')'");
  }
  if (Result<void> sound = verify(shape); !sound) return sound.error();
  return shape;
}

/// The text of a head, which NumPy always writes with the same keys in the same order:
/// `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
Result<Head> parse_head(std::string_view text) {
  constexpr std::string_view start = "{'descr': '";
  if (!text.starts_with(start)) return Error{"head of an array expected to begin with {'descr': '"};
  const std::string_view type = until_quote(text.substr(start.size()));
  const Result<ElementType> element = element_called(type);
  if (!element) return element.error();
  Scanner scanner(text.substr(start.size() + type.size()));
  const auto expect = [&](std::initializer_list<std::string_view> symbols) -> Result<void> {
    for (const std::string_view symbol : symbols)
      if (Result<void> found = scanner.expect(symbol); !found) return found;
    return {};
  };
  if (Result<void> found = expect({"'", ",", "'fortran_order'", ":"}); !found) return found.error();
  const Result<bool> is_fortran_order = expect_bool(scanner);
  if (!is_fortran_order) return is_fortran_order.error();
  if (Result<void> found = expect({",", "'shape'", ":"}); !found) return found.error();
  Result<Shape> shape = expect_shape(scanner);
  if (!shape) return shape.error();
  scanner.accept(",");
  if (Result<void> found = expect({"}"}); !found) return found.error();
  return Head{*element, *is_fortran_order, *std::move(shape)};
}

/// Where the text of the head lies in a file: after magic, version and its own length, which has
/// two bytes in version 1 and four later.
Result<std::string_view> head_text(std::string_view file) {
  constexpr std::size_t version_at = magic.size();
  if (!file.starts_with(magic) || file.size() < version_at + 2)
    return Error{"not an array of NumPy"};
  const std::size_t digits = file[version_at] == 1 ? 2 : 4;
  const std::size_t begin = version_at + 2 + digits;
  std::uint32_t length = 0;
  if (file.size() < begin) return Error{"truncated head"};
  std::memcpy(&length, file.data() + version_at + 2, digits);
  if (length > file.size() - begin) return Error{"truncated head"};
  return file.substr(begin, length);
}

/// Elements in which the first index runs fastest, turned so that the last does.
std::vector<std::byte> row_major(std::span<const std::byte> fortran, const Shape& shape,
                                 std::size_t element_bytes) {
  std::vector<std::byte> out(fortran.size());
  std::vector<std::int64_t> index(shape.size(), 0);
  for (std::size_t at = 0; at < out.size(); at += element_bytes) {
    std::int64_t from = 0;
    for (std::size_t dim = shape.size(); dim-- > 0;) from = from * shape[dim] + index[dim];
    std::memcpy(out.data() + at, fortran.data() + static_cast<std::size_t>(from) * element_bytes,
                element_bytes);
    for (std::size_t dim = shape.size(); dim-- > 0 && ++index[dim] == shape[dim];) index[dim] = 0;
  }
  return out;
}

}  // namespace

Result<NamedArray> parse_npy(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const Result<std::string_view> words = head_text(text);
  if (!words) return words.error();
  const Result<Head> head = parse_head(*words);
  if (!head) return head.error();
  const std::span<const std::byte> elements =
      file.subspan(static_cast<std::size_t>(words->data() + words->size() - text.data()));
  const auto element_bytes = static_cast<std::size_t>(size_bytes(head->element));
  const std::size_t expected = static_cast<std::size_t>(element_count(head->shape)) * element_bytes;
  if (elements.size() != expected)
    return Error{std::to_string(elements.size()) + " bytes of elements, expected " +
                 std::to_string(expected)};
  NamedArray array{.name = "", .element = head->element, .shape = head->shape, .bytes = {}};
  if (head->is_fortran_order)
    array.bytes = row_major(elements, head->shape, element_bytes);
  else
    array.bytes.assign(elements.begin(), elements.end());
  return array;
}

Result<std::string> to_npy(const NamedArray& array) {
  const auto name = std::ranges::find(names, array.element, &decltype(names)::value_type::first);
  if (name == names.end()) return Error{"numpy has no " + std::string(to_text(array.element))};
  check(std::ssize(array.bytes) == element_count(array.shape) * size_bytes(array.element),
        "as many bytes as the elements have");
  std::vector<std::string> extents;
  for (const std::int64_t extent : array.shape) extents.push_back(std::to_string(extent));
  const std::string last = extents.size() == 1 ? "," : "";  // without it, (3) would be a number
  std::string head = "{'descr': " + quoted(name->second) + ", 'fortran_order': False, 'shape': (" +
                     join(extents, ", ") + last + "), }";
  constexpr std::size_t before = magic.size() + 4, step = 64;  // elements begin at a multiple
  head.resize((before + head.size() + 1 + step - 1) / step * step - before - 1, ' ');
  head += '\n';
  const std::string length = {static_cast<char>(head.size() & 255),
                              static_cast<char>(head.size() >> 8)};
  std::string file = std::string(magic) + '\1' + '\0' + length + head;
  file.append(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
  return file;
}

}  // namespace tessera
