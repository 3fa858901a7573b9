#include "backend/llvm/expect_agreement.h"
#include "backend/llvm/sample_programs.h"
#include "base/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdlib.h>

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// Reads one size and one buffer after the other, calls the kernel, writes the buffers.
constexpr const char* caller = R"(
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
struct Call { void* const* buffers; void* workspace; void (*parallel)(void*, void (*)(const void*, int64_t, int64_t, void*), const void*, int64_t, int64_t); void* pool; };
extern "C" void kernel(const Call*);
extern "C" const int64_t kernel_workspace_bytes;
static void parallel(void*, void (*body)(const void*, int64_t, int64_t, void*), const void* frame, int64_t count, int64_t bytes) {
  void* scratch = aligned_alloc(64, bytes + 64);
  for (int64_t i = count; i-- > 0;) body(frame, i, i + 1, scratch);
  free(scratch);
}
int main() {
  std::vector<void*> buffers;
  std::vector<int64_t> sizes;
  for (int64_t size; fread(&size, 8, 1, stdin) == 1;) {
    buffers.push_back(aligned_alloc(64, (size + 63) / 64 * 64));
    sizes.push_back(size);
    if (fread(buffers.back(), 1, size, stdin) != size_t(size)) return 1;
  }
  Call call = {buffers.data(), aligned_alloc(64, kernel_workspace_bytes + 64), parallel, nullptr};
  kernel(&call);
  for (size_t i = 0; i < sizes.size(); ++i) fwrite(buffers[i], 1, sizes[i], stdout);
}
)";

struct Emulated {
  std::string target;    // a preset
  std::string tools;     // prefix of the cross compiler
  std::string emulator;  // command that runs a program of the target
};

bool is_installed(const std::string& program) {
  return system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

class Cross : public testing::TestWithParam<Emulated> {
 protected:
  void SetUp() override {
    for (const std::string& program :
         {GetParam().tools + "g++", GetParam().emulator.substr(0, GetParam().emulator.find(' '))})
      if (!is_installed(program)) GTEST_SKIP() << program << " is not installed";
  }

  void run(const std::string& command) {
    const std::string whole = "cd '" + folder_.path().string() + "' && " + command;
    EXPECT_EQ(system(whole.c_str()), 0) << command;
  }

  void build(const Program& program) {
    const Result<Target> target = parse_target(GetParam().target);
    ASSERT_TRUE(target);
    const Result<ObjectCode> object = llvm_backend()->object(program, *target);
    ASSERT_TRUE(object) << object.error().message;
    std::ofstream(folder_ / "kernel.o", std::ios::binary) << object->bytes;
    std::ofstream(folder_ / "main.cpp") << caller;
    run("test -z \"$(" + GetParam().tools + "nm -u kernel.o)\"");  // needs no library
    run(GetParam().tools + "g++ -O1 -static main.cpp kernel.o -o main");
  }

  void expect_agreement_of(std::string text) {
    Program program = parsed(text);
    program.name = "kernel";
    std::vector<HostBuffer> buffers = arguments_of(program), want = arguments_of(program);
    std::vector<HostBuffer*> pointers;
    for (HostBuffer& buffer : want) pointers.push_back(&buffer);
    ASSERT_TRUE(interpret(program, pointers));
    build(program);
    {
      std::ofstream in(folder_ / "in", std::ios::binary);
      for (const HostBuffer& buffer : buffers) {
        const std::int64_t size = buffer.size_bytes();
        in.write(reinterpret_cast<const char*>(&size), sizeof size);
        in.write(static_cast<const char*>(buffer.data()), size);
      }
    }
    run(GetParam().emulator + " ./main <in >out");
    const std::string out = contents(folder_ / "out");
    std::size_t at = 0;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const auto size = static_cast<std::size_t>(buffers[i].size_bytes());
      ASSERT_LE(at + size, out.size());
      std::memcpy(buffers[i].data(), out.data() + at, size);
      at += size;
      const Comparison comparison = compare(buffers[i], want[i], {});
      EXPECT_TRUE(comparison.equal)
          << program.params[i].placed.tensor.name << ": " << comparison.message << "\n"
          << text;
    }
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
};

TEST_P(Cross, MatmulWithTails) { expect_agreement_of(matmul_with_tails); }
TEST_P(Cross, PaddedConvolution) { expect_agreement_of(padded_convolution); }
TEST_P(Cross, ParallelRows) { expect_agreement_of(parallel_rows); }

TEST_P(Cross, Functions) {
  expect_agreement_of(R"(program functions lowered
input A f32[61] layout [0]
output B f32[61] layout [0]
output C f32[61] layout [0]
output D f32[61] layout [0]
body
for i in 8 {
  for v in min(8, 61 - i * 8) vector 8 {
    B[i * 8 + v] = exp(A[i * 8 + v] * 20.0) + tanh(A[i * 8 + v]) * erf(A[i * 8 + v])
    C[i * 8 + v] = sigmoid(A[i * 8 + v] * 5.0) + log(abs(A[i * 8 + v])) - floor(A[i * 8 + v] * 3.0)
    D[i * 8 + v] = sin(A[i * 8 + v] * 9.0) + cos(A[i * 8 + v]) + max(A[i * 8 + v], 0.0)
  }
}
)");
}

TEST_P(Cross, HorizontalReductionsAndGathers) {
  expect_agreement_of(R"(program mixed lowered
input A f32[13, 7] layout [0 1]
input I i64[7] layout [0]
output S f32[13] layout [0]
output M f32[13] layout [0]
output G f32[7] layout [0]
body
for i in 13 {
  S[i] = 0.0
  M[i] = -inf
  for v in 7 vector 8 {
    S[i] += A[i * 7 + v]
    M[i] max= A[i * 7 + v]
  }
}
for v in 7 vector 8 {
  G[v] = A[I[v] * 7 + 6 - v]
}
)");
}

const std::string aarch64 = "aarch64-linux-gnu-", riscv64 = "riscv64-linux-gnu-";
const std::string rvv = "qemu-riscv64 -cpu rv64,v=true,vext_spec=v1.0,vlen=";

INSTANTIATE_TEST_SUITE_P(
    Emulated, Cross,
    testing::Values(Emulated{"aarch64-neon", aarch64, "qemu-aarch64 -cpu cortex-a72"},
                    Emulated{"aarch64-sve256", aarch64, "qemu-aarch64 -cpu max,sve256=on"},
                    Emulated{"riscv64-v128", riscv64, rvv + "128"},
                    Emulated{"riscv64-v128", riscv64, rvv + "256"},
                    Emulated{"riscv64-v256", riscv64, rvv + "256"}),
    [](const testing::TestParamInfo<Emulated>& test) {
      std::string name = test.param.target + "_" + std::to_string(test.index);
      std::erase(name, '-');
      return name;
    });

}  // namespace
}  // namespace tessera
