#include "runtime/package_format.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <xxhash.h>

namespace tessera {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t page_bytes = 1 << 16;  // the largest that Linux has
constexpr std::uint64_t largest_file = std::uint64_t{1} << 50;

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

std::uint64_t end_of(const Section& section) { return section.offset + section.size_bytes; }

std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

/// The header of a file, when it is whole and lays the file out as `header_for` does.
Result<PackageHeader> header_of(std::span<const std::byte> file) {
  PackageHeader header;
  const std::size_t seen = std::min(file.size(), sizeof header);
  if (seen > 0) std::memcpy(&header, file.data(), seen);
  const bool has_magic = seen >= header.magic.size() && header.magic == header.expected_magic;
  if (!has_magic) return Error{"not a package, expected it to begin with 'TESSERA'"};
  const std::string size = std::to_string(file.size()) + " bytes";
  if (seen < sizeof header) return Error{"truncated to " + size};
  if (header.format != header.expected_format)
    return Error{"format " + std::to_string(header.format) + ", made by " +
                 (header.format > header.expected_format ? "a newer" : "an older") +
                 " version; this one reads format " + std::to_string(header.expected_format)};
  if (header.checksum != checksum_of(header)) return Error{"damaged header"};
  const std::array sizes = {header.manifest.size_bytes, header.code.size_bytes,
                            header.weights.size_bytes};
  if (std::ranges::max(sizes) > largest_file) return Error{"sections larger than 2^50 bytes"};
  const PackageHeader placed = header_for(sizes[0], sizes[1], sizes[2]);
  if (header.manifest.offset != placed.manifest.offset ||
      header.code.offset != placed.code.offset || header.weights.offset != placed.weights.offset)
    return Error{"sections are not where their sizes place them"};
  const std::uint64_t whole = end_of(header.weights);
  if (file.size() < whole) return Error{"truncated to " + size + " of " + std::to_string(whole)};
  if (file.size() > whole) return Error{size + ", expected " + std::to_string(whole)};
  return header;
}

}  // namespace

struct Checksum::State {
  XXH3_state_t xxh;
};

// Not make_unique, which does not zero what it leaves to XXH3_64bits_reset.
Checksum::Checksum() : state_(new State) { XXH3_64bits_reset(&state_->xxh); }
Checksum::~Checksum() = default;

void Checksum::add(std::span<const std::byte> bytes) {
  XXH3_64bits_update(&state_->xxh, bytes.data(), bytes.size());
}

std::uint64_t Checksum::value() const { return XXH3_64bits_digest(&state_->xxh); }

PackageHeader header_for(std::uint64_t manifest_bytes, std::uint64_t code_bytes,
                         std::uint64_t weights_bytes) {
  PackageHeader header;
  header.manifest = {.offset = sizeof header, .size_bytes = manifest_bytes};
  header.code = {.offset = rounded_up(end_of(header.manifest), 64), .size_bytes = code_bytes};
  header.weights = {.offset = rounded_up(end_of(header.code), page_bytes),
                    .size_bytes = weights_bytes};
  return header;
}

std::uint64_t checksum_of(const PackageHeader& header) {
  return checksum_of(std::as_bytes(std::span(&header, 1)).first(offsetof(PackageHeader, checksum)));
}

Result<PackageSections> sections_of(std::span<const std::byte> file) {
  const Result<PackageHeader> header = header_of(file);
  if (!header) return header.error();
  const auto contents = [&](const Section& section) {
    return file.subspan(section.offset, section.size_bytes);
  };
  const PackageSections sections = {contents(header->manifest), contents(header->code),
                                    contents(header->weights)};
  const auto is_whole = [&](const Section& section) {
    return checksum_of(contents(section)) == section.checksum;
  };
  if (!is_whole(header->manifest)) return Error{"damaged manifest"};
  if (!is_whole(header->code)) return Error{"damaged code"};
  if (!is_whole(header->weights)) return Error{"damaged weights"};
  return sections;
}

}  // namespace tessera
