#include "record/compressed_lines.h"

#include "base/check.h"

#include <cstdint>
#include <memory>
#include <vector>
#include <zstd.h>

namespace tessera {
namespace {

/// Schedules of one task are alike over many lines: looking far back halves what is written.
constexpr int level = 19;
constexpr int window_log = 27;  // the most that readers take without being told

/// Gives `bytes` to the stream and takes what it gives.
void compress(ZSTD_CCtx* stream, std::string_view bytes, ZSTD_EndDirective end, std::string& out) {
  std::vector<char> piece(ZSTD_CStreamOutSize());
  ZSTD_inBuffer input = {bytes.data(), bytes.size(), 0};
  std::size_t left = 0;
  do {
    ZSTD_outBuffer output = {piece.data(), piece.size(), 0};
    left = ZSTD_compressStream2(stream, &output, &input, end);
    check(ZSTD_isError(left) == 0, "bytes that can be compressed");
    out.append(piece.data(), output.pos);
  } while (input.pos < input.size || (end == ZSTD_e_end && left > 0));
}

/// Cuts what comes in pieces into lines.
class LineCutter {
 public:
  explicit LineCutter(const std::function<Result<void>(std::string_view line)>& visit)
      : visit_(visit) {}

  Result<void> add(std::string_view piece) {
    while (true) {
      const std::size_t end = piece.find('\n');
      const std::string_view part = piece.substr(0, end);
      if (line_.size() + part.size() > longest_line_bytes)
        return refusal("longer than " + std::to_string(longest_line_bytes >> 20) + " MB");
      line_ += part;
      if (end == std::string_view::npos) return {};
      if (const Result<void> taken = visit_(line_); !taken) return refusal(taken.error().message);
      ++number_;
      line_.clear();
      piece.remove_prefix(end + 1);
    }
  }

  Result<void> finish() const { return line_.empty() ? Result<void>() : refusal("has no end"); }

 private:
  Error refusal(const std::string& reason) const {
    return {"line " + std::to_string(number_) + ": " + reason};
  }

  const std::function<Result<void>(std::string_view line)>& visit_;
  std::string line_;
  std::int64_t number_ = 1;
};

}  // namespace

std::string compress_lines(std::span<const std::string> lines) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> stream(ZSTD_createCCtx(),
                                                                       ZSTD_freeCCtx);
  if (stream == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(stream.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(stream.get(), ZSTD_c_windowLog, window_log);
  ZSTD_CCtx_setParameter(stream.get(), ZSTD_c_enableLongDistanceMatching, 1);
  ZSTD_CCtx_setParameter(stream.get(), ZSTD_c_checksumFlag, 1);
  std::string out;
  for (const std::string& line : lines) compress(stream.get(), line + "\n", ZSTD_e_continue, out);
  compress(stream.get(), {}, ZSTD_e_end, out);
  return out;
}

Result<void> visit_compressed_lines(
    std::string_view bytes, const std::function<Result<void>(std::string_view line)>& visit) {
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> stream(ZSTD_createDCtx(),
                                                                       ZSTD_freeDCtx);
  if (stream == nullptr) throw std::bad_alloc();
  LineCutter lines(visit);
  std::vector<char> piece(ZSTD_DStreamOutSize());
  ZSTD_inBuffer input = {bytes.data(), bytes.size(), 0};
  std::size_t left = 1;  // 0 at the end of the frame
  bool is_piece_full = false;
  while (input.pos < input.size || is_piece_full) {
    ZSTD_outBuffer output = {piece.data(), piece.size(), 0};
    left = ZSTD_decompressStream(stream.get(), &output, &input);
    if (ZSTD_isError(left) != 0)
      return Error{std::string("not compressed by Zstandard, or damaged: ") +
                   ZSTD_getErrorName(left)};
    if (Result<void> taken = lines.add({piece.data(), output.pos}); !taken) return taken;
    is_piece_full = output.pos == output.size && left > 0;
  }
  if (left > 0) return Error{"ends before its data does"};
  return lines.finish();
}

}  // namespace tessera
