#pragma once

#include "backend/backend.h"
#include "base/check.h"
#include "ir/interpret.h"
#include "ir/text.h"
#include "tensor/compare.h"
#include "tensor/host_buffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <sys/mman.h>
#include <vector>

namespace tessera {

/// Bytes that end, up to 64 bytes of alignment, where memory ends: reading or writing past them
/// crashes.
class FencedBytes {
 public:
  explicit FencedBytes(std::int64_t size) : size_(static_cast<std::size_t>((size + 63) / 64 * 64)) {
    mapped_ = (size_ + page - 1) / page * page + page;
    base_ = static_cast<char*>(
        mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_EQ(mprotect(base_ + mapped_ - page, page, PROT_NONE), 0);
  }
  FencedBytes(FencedBytes&& other) noexcept
      : size_(other.size_), mapped_(other.mapped_), base_(std::exchange(other.base_, nullptr)) {}
  ~FencedBytes() {
    if (base_ != nullptr) munmap(base_, mapped_);
  }
  void* data() const { return base_ + mapped_ - page - size_; }

 private:
  static constexpr std::size_t page = 4096;
  std::size_t size_;
  std::size_t mapped_ = 0;
  char* base_ = nullptr;
};

inline Program parsed(const std::string& text) {
  Result<Program> program = parse_program(text);
  check(program.has_value(),
        program ? "" : "a program, not " + program.error().message + "\n" + text);
  return *std::move(program);
}

/// One buffer per parameter, reproducible contents; outputs too, since a program may leave some as
/// they are.
inline std::vector<HostBuffer> arguments_of(const Program& program) {
  std::vector<HostBuffer> buffers;
  Rng rng(7);
  for (const Param& param : program.params) {
    const auto& [tensor, memory, layout] = param.placed;
    fill_random(buffers.emplace_back(tensor.dtype, physical_size(layout, tensor.shape)), rng);
  }
  return buffers;
}

/// Runs the kernel on fenced copies of `buffers` and copies the results back.
inline void run_fenced(const Kernel& kernel, std::vector<HostBuffer>& buffers) {
  std::vector<FencedBytes> fenced;
  std::vector<void*> pointers;
  for (HostBuffer& buffer : buffers) {
    pointers.push_back(fenced.emplace_back(buffer.size_bytes()).data());
    std::memcpy(pointers.back(), buffer.data(), static_cast<std::size_t>(buffer.size_bytes()));
  }
  ThreadPool pool(2);
  kernel.run(pointers, pool);
  for (std::size_t i = 0; i < buffers.size(); ++i)
    std::memcpy(buffers[i].data(), pointers[i], static_cast<std::size_t>(buffers[i].size_bytes()));
}

/// On every target that runs here, compiled code leaves the same buffers as the interpreter.
inline void expect_agreement(const std::string& text, std::vector<HostBuffer> arguments = {},
                             const Tolerance& tolerance = {}) {
  const Program program = parsed(text);
  if (arguments.empty()) arguments = arguments_of(program);
  std::vector<HostBuffer> want;
  std::vector<HostBuffer*> pointers;
  for (const HostBuffer& buffer : arguments) want.push_back(buffer.copy());
  for (HostBuffer& buffer : want) pointers.push_back(&buffer);
  const Result<void> interpreted = interpret(program, pointers);
  ASSERT_TRUE(interpreted) << interpreted.error().message;

  const std::unique_ptr<Backend> backend = llvm_backend();
  for (const Target& target : presets()) {
    if (!backend->runs_here(target)) continue;
    Result<std::unique_ptr<Kernel>> kernel = backend->compile(program, target);
    ASSERT_TRUE(kernel) << target.name << ": " << kernel.error().message;
    std::vector<HostBuffer> got;
    for (const HostBuffer& buffer : arguments) got.push_back(buffer.copy());
    run_fenced(**kernel, got);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const Comparison comparison = compare(got[i], want[i], tolerance);
      EXPECT_TRUE(comparison.equal) << target.name << ", " << program.params[i].placed.tensor.name
                                    << ": " << comparison.message << "\n"
                                    << text;
    }
  }
}

}  // namespace tessera
