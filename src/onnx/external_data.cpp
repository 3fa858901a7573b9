#include "onnx/external_data.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <system_error>

namespace tessera {
namespace {

namespace fs = std::filesystem;

struct Place {
  std::string location;
  std::int64_t offset = 0;
  std::optional<std::int64_t> length;
};

Result<std::int64_t> parse_size(const std::string& key, const std::string& text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || value < 0)
    return Error{"external data: " + key + " is \"" + text + "\", expected a number of bytes"};
  return value;
}

Result<Place> place_of(const onnx::TensorProto& message) {
  Place place;
  for (const onnx::StringStringEntryProto& entry : message.external_data()) {
    if (entry.key() == "location") place.location = entry.value();
    if (entry.key() != "offset" && entry.key() != "length") continue;
    const Result<std::int64_t> size = parse_size(entry.key(), entry.value());
    if (!size) return size.error();
    if (entry.key() == "offset")
      place.offset = *size;
    else
      place.length = *size;
  }
  return place;
}

bool is_inside(const fs::path& file, const fs::path& folder) {
  const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return end == folder.end() && rest != file.end();
}

/// The file itself, links resolved; refuses what lies outside of `folder`.
Result<fs::path> resolved(const std::string& location, const fs::path& folder) {
  const fs::path relative(location);
  const auto refused = [&](const std::string& why) {
    return Error{"external data \"" + location + "\": " + why};
  };
  if (folder.empty()) return refused("the model was given without the folder it lies in");
  if (location.empty() || relative.is_absolute() ||
      std::find(relative.begin(), relative.end(), "..") != relative.end())
    return refused("expected a path inside the folder of the model");
  std::error_code failed;
  const fs::path root = fs::canonical(folder, failed);
  if (failed) return refused(failed.message());
  const fs::path file = fs::canonical(root / relative, failed);
  if (failed) return refused(failed.message());
  if (!fs::is_regular_file(file, failed)) return refused("expected a file");
  if (!is_inside(file, root)) return refused("a link leads out of the folder of the model");
  return file;
}

}  // namespace

Result<std::string> read_external_data(const onnx::TensorProto& message, const fs::path& folder,
                                       std::int64_t size_bytes) {
  const Result<Place> place = place_of(message);
  if (!place) return place.error();
  const Result<fs::path> path = resolved(place->location, folder);
  if (!path) return path.error();
  const auto refused = [&](const std::string& why) {
    return Error{"external data \"" + place->location + "\": " + why};
  };
  if (place->length.value_or(size_bytes) != size_bytes)
    return refused(std::to_string(*place->length) + " bytes, expected " +
                   std::to_string(size_bytes));
  std::error_code failed;
  const std::uintmax_t available = fs::file_size(*path, failed);
  if (failed) return refused(failed.message());
  const auto offset = static_cast<std::uintmax_t>(place->offset);
  const auto size = static_cast<std::uintmax_t>(size_bytes);
  if (offset > available || available - offset < size)
    return refused("has " + std::to_string(available) + " bytes, expected " +
                   std::to_string(size_bytes) + " from " + std::to_string(place->offset) + " on");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  std::ifstream file(*path, std::ios::binary);
  file.seekg(place->offset);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size_bytes)))
    return refused("cannot be read");
  return bytes;
}

}  // namespace tessera
