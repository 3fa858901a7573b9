#include "model/safetensors.h"

#include "base/check.h"
#include "base/file.h"
#include "record/json_fields.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t length_bytes = 8;
constexpr std::uint64_t longest_header = 100'000'000;
constexpr const char* metadata_name = "__metadata__";
static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie");

/// A tensor as the header describes it; the numbers of bytes count from the begin of the data.
struct Entry {
  std::string name;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

std::string quoted(const std::string& name) { return "tensor \"" + name + "\""; }

/// Nothing when they are more than 64 bits count.
std::optional<std::uint64_t> size_bytes(const std::vector<std::int64_t>& shape) {
  std::uint64_t size = sizeof(float);
  for (const std::int64_t extent : shape)
    if (__builtin_mul_overflow(size, static_cast<std::uint64_t>(extent), &size))
      return std::nullopt;
  return size;
}

bool is_size(const Json& value) {
  return value.is_number_unsigned() && value.get<std::int64_t>() >= 0;
}

bool are_sizes(const Json& value) {
  return value.is_array() && std::all_of(value.begin(), value.end(), is_size);
}

Result<Entry> parse_entry(const std::string& name, const Json& json) {
  const bool is_entry = json.is_object() && json.size() == 3 && json.contains("dtype") &&
                        json["dtype"].is_string() && json.contains("shape") &&
                        are_sizes(json["shape"]) && json.contains("data_offsets") &&
                        are_sizes(json["data_offsets"]) && json["data_offsets"].size() == 2;
  if (!is_entry)
    return Error{quoted(name) + ": expected a dtype, a shape and two data_offsets, nothing else"};
  const std::string dtype = json["dtype"].get<std::string>();
  if (dtype != "F32") return Error{quoted(name) + ": dtype " + dtype + ", expected F32"};
  Entry entry{.name = name,
              .shape = json["shape"].get<std::vector<std::int64_t>>(),
              .begin = json["data_offsets"][0].get<std::uint64_t>(),
              .end = json["data_offsets"][1].get<std::uint64_t>()};
  const std::optional<std::uint64_t> size = size_bytes(entry.shape);
  if (entry.begin > entry.end || size != entry.end - entry.begin)
    return Error{quoted(name) + ": data_offsets " + json["data_offsets"].dump() +
                 " do not hold shape " + json["shape"].dump()};
  return entry;
}

/// Each begins where the one before ends, and the last ends with the data.
Result<void> expect_covered(const std::vector<Entry>& entries, std::uint64_t data_bytes) {
  std::uint64_t end = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != end)
      return Error{quoted(entry.name) + ": data begins at " + std::to_string(entry.begin) +
                   ", expected " + std::to_string(end) + ", where the one before ends"};
    if (entry.end > data_bytes)
      return Error{quoted(entry.name) + ": data ends at " + std::to_string(entry.end) + ", of " +
                   std::to_string(data_bytes) + " bytes"};
    end = entry.end;
  }
  if (end != data_bytes)
    return Error{std::to_string(data_bytes - end) + " bytes of data belong to no tensor"};
  return {};
}

Error at_path(const std::string& path, const Error& error) {
  return Error{path + ": " + error.message};
}

}  // namespace

Result<void> expect_finite(const Tensors& tensors) {
  for (const NamedTensor& tensor : tensors) {
    const auto found = std::find_if(tensor.values.begin(), tensor.values.end(),
                                    [](float value) { return !std::isfinite(value); });
    if (found != tensor.values.end())
      return Error{quoted(tensor.name) + ": number " +
                   std::to_string(found - tensor.values.begin()) + " is not finite"};
  }
  return {};
}

std::string to_bytes(const Safetensors& file) {
  Json header = Json::object();
  if (!file.metadata.empty()) header[metadata_name] = file.metadata;
  std::uint64_t end = 0;
  for (const NamedTensor& tensor : file.tensors) {
    const std::uint64_t begin = end;
    end += tensor.values.size() * sizeof(float);
    check(size_bytes(tensor.shape) == end - begin, "as many values as the shape has");
    check(tensor.name != metadata_name && !header.contains(tensor.name), "names that differ");
    header[tensor.name] = {
        {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // so that the data is aligned

  std::string bytes;
  bytes.reserve(length_bytes + text.size() + end);
  for (std::size_t n = 0; n < length_bytes; ++n)
    bytes.push_back(static_cast<char>(text.size() >> (8 * n) & 0xff));
  bytes += text;
  for (const NamedTensor& tensor : file.tensors)
    bytes.append(reinterpret_cast<const char*>(tensor.values.data()),
                 tensor.values.size() * sizeof(float));
  return bytes;
}

Result<Safetensors> parse_safetensors(std::string_view bytes) {
  if (bytes.size() < length_bytes)
    return Error{"cut off: " + std::to_string(bytes.size()) +
                 " bytes, expected 8 for the length of the header"};
  std::uint64_t length = 0;
  for (std::size_t n = 0; n < length_bytes; ++n)
    length |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[n])) << (8 * n);
  bytes.remove_prefix(length_bytes);
  if (length > longest_header)
    return Error{"a header of " + std::to_string(length) + " bytes, expected at most " +
                 std::to_string(longest_header)};
  if (length > bytes.size())
    return Error{"cut off: a header of " + std::to_string(length) + " bytes, of which " +
                 std::to_string(bytes.size()) + " are there"};

  const Json header = parse_json(bytes.substr(0, length));
  bytes.remove_prefix(length);
  if (!header.is_object()) return Error{"the header is not JSON of tensors by name"};
  Safetensors file;
  std::vector<Entry> entries;
  for (const auto& [name, json] : header.items()) {
    if (name == metadata_name) {
      const bool are_texts = json.is_object() && std::all_of(json.begin(), json.end(),
                                                             [](auto& v) { return v.is_string(); });
      if (!are_texts) return Error{"__metadata__: expected texts by name"};
      file.metadata = json.template get<std::map<std::string, std::string>>();
      continue;
    }
    Result<Entry> entry = parse_entry(name, json);
    if (!entry) return entry.error();
    entries.push_back(*std::move(entry));
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  if (Result<void> covered = expect_covered(entries, bytes.size()); !covered)
    return covered.error();

  for (Entry& entry : entries) {
    std::vector<float> values((entry.end - entry.begin) / sizeof(float));
    if (!values.empty())
      std::memcpy(values.data(), bytes.data() + entry.begin, entry.end - entry.begin);
    file.tensors.push_back({std::move(entry.name), std::move(entry.shape), std::move(values)});
  }
  if (Result<void> finite = expect_finite(file.tensors); !finite) return finite.error();
  return file;
}

Result<Safetensors> read_safetensors(const std::string& path) {
  const Result<std::string> bytes = read_file(path);
  if (!bytes) return bytes.error();
  Result<Safetensors> file = parse_safetensors(*bytes);
  if (!file) return at_path(path, file.error());
  return file;
}

Result<void> write_safetensors(const std::string& path, const Safetensors& file) {
  if (Result<void> finite = expect_finite(file.tensors); !finite)
    return at_path(path, finite.error());
  return write_file(path, to_bytes(file));
}

}  // namespace tessera
