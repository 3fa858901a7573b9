#pragma once

#include "base/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace tessera {

/// A part of a package file, in bytes from its beginning.
struct Section {
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t checksum = 0;  // of its contents
};

/// The beginning of a package file, little-endian. Manifest, code and weights follow, each where
/// `header_for` places it; what lies between them is zero. Weights begin at a page of any machine,
/// so that they can be mapped.
struct PackageHeader {
  static constexpr std::array<char, 8> expected_magic = {'T', 'E', 'S', 'S', 'E', 'R', 'A', '\n'};
  static constexpr std::uint64_t expected_format = 2;

  std::array<char, 8> magic = expected_magic;
  std::uint64_t format = expected_format;
  Section manifest;  // JSON
  Section code;      // an ELF shared library
  Section weights;
  std::uint64_t checksum = 0;  // of all fields above
};
static_assert(sizeof(PackageHeader) == 96);

/// A header with the places of sections of these sizes. Checksums are left to fill in.
PackageHeader header_for(std::uint64_t manifest_bytes, std::uint64_t code_bytes,
                         std::uint64_t weights_bytes);
std::uint64_t checksum_of(const PackageHeader& header);

/// XXH3 of bytes that come piece by piece.
class Checksum {
 public:
  Checksum();
  ~Checksum();
  void add(std::span<const std::byte> bytes);
  std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct PackageSections {
  std::span<const std::byte> manifest;
  std::span<const std::byte> code;
  std::span<const std::byte> weights;
};

/// The sections of a whole package file. Refuses what is no package, another format, a file that is
/// too short or too long, and damage anywhere.
Result<PackageSections> sections_of(std::span<const std::byte> file);

}  // namespace tessera
