#include "backend/llvm/expect_agreement.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

namespace tessera {
namespace {

/// C = A * factor, through a workspace.
std::string scaling(int factor) {
  return "program scale lowered\ninput A f32[1024] layout [0]\noutput C f32[1024] layout "
         "[0]\nbody\n"
         "alloc t f32[1024] global layout [0] {\nfor i in 128 parallel {\nfor v in 8 vector 8 {\n"
         "t[i * 8 + v] = A[i * 8 + v] * " +
         std::to_string(factor) + ".0\n}\n}\nfor i in 1024 {\nC[i] = t[i]\n}\n}\n";
}

/// Pieces of memory that hold code.
std::int64_t executable_mappings() {
  std::ifstream maps("/proc/self/maps");
  std::int64_t count = 0;
  for (std::string line; std::getline(maps, line);)
    if (line.find(" r-xp ") != std::string::npos) ++count;
  return count;
}

void expect_scaled(const Kernel& kernel, int factor, ThreadPool& pool) {
  HostBuffer a(DType::F32, 1024), c(DType::F32, 1024);
  for (std::size_t i = 0; i < 1024; ++i) a.as<float>()[i] = static_cast<float>(i);
  const std::vector<void*> buffers = {a.data(), c.data()};
  kernel.run(buffers, pool);
  for (std::size_t i = 0; i < 1024; ++i)
    ASSERT_EQ(c.as<float>()[i], static_cast<float>(factor) * a.as<float>()[i]);
}

TEST(LlvmKernel, LeavesMemoryWhenDestroyed) {
  const std::unique_ptr<Backend> backend = llvm_backend();
  ThreadPool pool(1);
  const std::int64_t before = executable_mappings();
  for (int i = 0; i < 100; ++i) {
    const auto kernel = backend->compile(parsed(scaling(i % 7)), detect_host());
    ASSERT_TRUE(kernel) << kernel.error().message;
    expect_scaled(**kernel, i % 7, pool);
    EXPECT_GT(executable_mappings(), before);
  }
  EXPECT_EQ(executable_mappings(), before);
}

TEST(LlvmKernel, OutlivesItsBackend) {
  ThreadPool pool(2);
  std::unique_ptr<Backend> backend = llvm_backend();
  const auto kernel = backend->compile(parsed(scaling(3)), detect_host());
  ASSERT_TRUE(kernel) << kernel.error().message;
  backend.reset();
  expect_scaled(**kernel, 3, pool);
}

TEST(LlvmKernel, IsCompiledAndRunByManyThreadsAtOnce) {
  const std::unique_ptr<Backend> backend = llvm_backend();
  const auto shared = backend->compile(parsed(scaling(5)), detect_host());
  ASSERT_TRUE(shared) << shared.error().message;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      ThreadPool pool(2);
      for (int i = 0; i < 10; ++i) {
        const auto own = backend->compile(parsed(scaling(t)), detect_host());
        ASSERT_TRUE(own) << own.error().message;
        expect_scaled(**own, t, pool);
        expect_scaled(**shared, 5, pool);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(LlvmKernel, PrintsItsCode) {
  const std::unique_ptr<Backend> backend = llvm_backend();
  for (const Target& target : presets()) {
    const auto assembly = backend->code(parsed(scaling(2)), target, CodeText::Assembly);
    const auto ir = backend->code(parsed(scaling(2)), target, CodeText::Llvm);
    ASSERT_TRUE(assembly && ir) << target.name;
    EXPECT_NE(assembly->find("scale:"), std::string::npos) << target.name;
    EXPECT_NE(ir->find(" @scale("), std::string::npos) << target.name;
  }
}

TEST(LlvmKernel, IsRefusedForAMachineThatIsNotHere) {
  const auto riscv = parse_target("riscv64-v128");
  ASSERT_TRUE(riscv);
  EXPECT_EQ(llvm_backend()->compile(parsed(scaling(2)), *riscv).error().message,
            "target riscv64-v128: this machine cannot run its code");
}

TEST(InterpretBackend, RunsKernelsButMakesNoCode) {
  const std::unique_ptr<Backend> backend = interpret_backend();
  ThreadPool pool(1);
  const auto kernel = backend->compile(parsed(scaling(4)), detect_host());
  ASSERT_TRUE(kernel) << kernel.error().message;
  expect_scaled(**kernel, 4, pool);
  EXPECT_EQ(backend->object(parsed(scaling(4)), detect_host()).error().message,
            "scale: the interpreter makes no object file");
  EXPECT_EQ(backend->code(parsed(scaling(4)), detect_host(), CodeText::Llvm).error().message,
            "scale: the interpreter makes no code");
}

}  // namespace
}  // namespace tessera
