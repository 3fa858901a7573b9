#include "package/write.h"

#include "base/unfinished_file.h"
#include "runtime/manifest.h"
#include "runtime/package_format.h"

#include <algorithm>
#include <array>

namespace tessera {
namespace {

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<void> verify_pieces(std::span<const WeightsPiece> weights, std::int64_t size_bytes) {
  std::int64_t end = 0;
  for (const WeightsPiece& piece : weights) {
    const auto piece_bytes = static_cast<std::int64_t>(piece.bytes.size());
    if (piece.offset < end || piece.offset > size_bytes - piece_bytes)
      return Error{"weights: " + std::to_string(piece_bytes) + " bytes at " +
                   std::to_string(piece.offset) + ", expected between " + std::to_string(end) +
                   " and " + std::to_string(size_bytes)};
    end = piece.offset + piece_bytes;
  }
  return {};
}

void add_zeros(Checksum& checksum, std::int64_t count) {
  static constexpr std::array<std::byte, 4096> zeros{};
  for (std::int64_t left = count; left > 0; left -= std::int64_t{sizeof zeros})
    checksum.add(std::span(zeros).first(
        static_cast<std::size_t>(std::min(left, std::int64_t{sizeof zeros}))));
}

/// Of the pieces with zeros between and after them.
std::uint64_t checksum_of(std::span<const WeightsPiece> weights, std::int64_t size_bytes) {
  Checksum checksum;
  std::int64_t end = 0;
  for (const WeightsPiece& piece : weights) {
    add_zeros(checksum, piece.offset - end);
    checksum.add(piece.bytes);
    end = piece.offset + static_cast<std::int64_t>(piece.bytes.size());
  }
  add_zeros(checksum, size_bytes - end);
  return checksum.value();
}

std::uint64_t checksum_of(std::string_view text) {
  Checksum checksum;
  checksum.add(std::as_bytes(std::span(text)));
  return checksum.value();
}

PackageHeader sealed_header(std::string_view manifest, std::string_view code,
                            std::span<const WeightsPiece> weights, std::int64_t weights_bytes) {
  PackageHeader header =
      header_for(manifest.size(), code.size(), static_cast<std::uint64_t>(weights_bytes));
  header.manifest.checksum = checksum_of(manifest);
  header.code.checksum = checksum_of(code);
  header.weights.checksum = checksum_of(weights, weights_bytes);
  header.checksum = checksum_of(header);
  return header;
}

Result<void> write_contents(const UnfinishedFile& file, const PackageHeader& header,
                            std::string_view manifest, std::string_view code,
                            std::span<const WeightsPiece> weights) {
  const std::string_view head = as_text(std::as_bytes(std::span(&header, 1)));
  if (Result<void> done = file.write_at(0, head); !done) return done;
  if (Result<void> done = file.write_at(header.manifest.offset, manifest); !done) return done;
  if (Result<void> done = file.write_at(header.code.offset, code); !done) return done;
  for (const WeightsPiece& piece : weights) {
    const std::uint64_t offset = header.weights.offset + static_cast<std::uint64_t>(piece.offset);
    if (Result<void> done = file.write_at(offset, as_text(piece.bytes)); !done) return done;
  }
  // What was not written is a hole, which reads as zeros; the last one has to be made.
  return file.resize(header.weights.offset + header.weights.size_bytes);
}

}  // namespace

Result<void> write_package(const std::string& path, const ExecutionPlan& plan, const Target& target,
                           std::string_view code, std::span<const WeightsPiece> weights) {
  if (Result<void> sound = verify_pieces(weights, plan.weights_bytes); !sound) return sound;
  const Result<std::string> manifest = to_json({.tool = "tessera " TESSERA_VERSION,
                                                .target = to_text(target),
                                                .arch = target.arch,
                                                .features = target.features,
                                                .plan = plan});
  if (!manifest) return manifest.error();
  Result<UnfinishedFile> file = UnfinishedFile::make(path);
  if (!file) return file.error();
  const PackageHeader header = sealed_header(*manifest, code, weights, plan.weights_bytes);
  if (Result<void> done = write_contents(*file, header, *manifest, code, weights); !done)
    return done;
  return file->finish();
}

}  // namespace tessera
