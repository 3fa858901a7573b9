#include "base/check.h"
#include "runtime/manifest.h"
#include "runtime/package_format.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace tessera {
namespace {

using Bytes = std::span<const std::byte>;

std::uint64_t checksum_of(Bytes bytes) {
  Checksum checksum;
  checksum.add(bytes);
  return checksum.value();
}

/// The file with checksums that fit its contents, which no mutation finds by chance.
std::vector<std::byte> sealed(Bytes file) {
  std::vector<std::byte> out(file.begin(), file.end());
  PackageHeader header;
  if (file.size() < sizeof header) return out;
  std::memcpy(&header, file.data(), sizeof header);
  for (Section* section : {&header.manifest, &header.code, &header.weights})
    if (section->offset <= file.size() && section->size_bytes <= file.size() - section->offset)
      section->checksum = checksum_of(file.subspan(section->offset, section->size_bytes));
  header.checksum = checksum_of(header);
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

/// What is read as a manifest is sound and reads back as itself.
void try_manifest(Bytes json) {
  const Result<Manifest> manifest =
      parse_manifest({reinterpret_cast<const char*>(json.data()), json.size()});
  if (!manifest) return;
  const Result<std::string> again = to_json(*manifest);
  check(again.has_value(), "a manifest that was read can be written");
  check(*parse_manifest(*again) == *manifest, "the text of a manifest keeps all of it");
}

/// Sections that are accepted lie inside the file.
void try_file(Bytes file) {
  const Result<PackageSections> sections = sections_of(file);
  if (!sections) return;
  for (const Bytes section : {sections->manifest, sections->code, sections->weights})
    check(section.data() >= file.data() &&
              section.data() + section.size() <= file.data() + file.size(),
          "a section inside the file");
  try_manifest(sections->manifest);
}

}  // namespace
}  // namespace tessera

/// The bytes as a package file, as one whose checksums fit, and as a manifest. No code is loaded.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const tessera::Bytes bytes = std::as_bytes(std::span(data, size));
  tessera::try_file(bytes);
  tessera::try_file(tessera::sealed(bytes));
  tessera::try_manifest(bytes);
  return 0;
}
