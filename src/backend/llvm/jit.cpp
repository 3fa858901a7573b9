#include "backend/llvm/jit.h"

#include "base/check.h"

#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Support/MemoryBuffer.h>

#include <atomic>
#include <cstdlib>

namespace tessera::codegen {

struct Jit::State {
  llvm::orc::ExecutionSession session;
  llvm::orc::ObjectLinkingLayer linker;
  std::atomic<std::int64_t> next_name = 0;

  // Without threads of its own, so that a process that holds one may fork.
  State()
      : session(llvm::cantFail(llvm::orc::SelfExecutorProcessControl::Create(
            nullptr, std::make_unique<llvm::orc::InPlaceTaskDispatcher>()))),
        linker(session) {
    session.setErrorReporter(
        [](llvm::Error error) { llvm::consumeError(std::move(error)); });  // lookup tells
  }
  ~State() { llvm::cantFail(session.endSession()); }
};

Jit::Jit() : state_(std::make_unique<State>()) {}
Jit::~Jit() = default;

namespace {

struct Free {
  void operator()(void* p) const { std::free(p); }
};

class LlvmKernel : public Kernel {
 public:
  LlvmKernel(std::shared_ptr<Jit> jit, llvm::orc::JITDylib& library, TesseraKernel entry,
             std::int64_t workspace_bytes)
      : jit_(std::move(jit)), library_(library), entry_(entry), workspace_bytes_(workspace_bytes) {}
  LlvmKernel(const LlvmKernel&) = delete;
  LlvmKernel& operator=(const LlvmKernel&) = delete;
  ~LlvmKernel() override {
    std::free(idle_workspace_.load());
    llvm::cantFail(jit_->state().session.removeJITDylib(library_));
  }

  void run(std::span<void* const> buffers, ThreadPool& pool) const override {
    std::unique_ptr<void, Free> workspace(take_workspace());
    const TesseraCall call{.buffers = buffers.data(),
                           .workspace = workspace.get(),
                           .parallel = &ThreadPool::parallel,
                           .pool = &pool};
    entry_(&call);
    workspace.reset(idle_workspace_.exchange(workspace.release()));
  }

 private:
  /// The one left by the last call, or a new one while another caller has it.
  void* take_workspace() const {
    if (workspace_bytes_ == 0) return nullptr;
    if (void* idle = idle_workspace_.exchange(nullptr)) return idle;
    void* fresh =
        std::aligned_alloc(64, static_cast<std::size_t>((workspace_bytes_ + 63) / 64 * 64));
    check(fresh != nullptr, "memory for the workspace of a kernel");
    return fresh;
  }

  std::shared_ptr<Jit> jit_;
  llvm::orc::JITDylib& library_;
  TesseraKernel entry_;
  std::int64_t workspace_bytes_;
  mutable std::atomic<void*> idle_workspace_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Jit::link(const std::shared_ptr<Jit>& jit, std::string object,
                                          const std::string& name, std::int64_t workspace_bytes) {
  State& state = jit->state();
  llvm::orc::JITDylib& library =
      state.session.createBareJITDylib("kernel" + std::to_string(state.next_name++));
  const auto refused = [&](llvm::Error error) {
    llvm::cantFail(state.session.removeJITDylib(library));
    return Error{"kernel " + name + ": " + llvm::toString(std::move(error))};
  };
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object, name);
  if (llvm::Error error = state.linker.add(library, std::move(buffer)))
    return refused(std::move(error));
  auto symbol = state.session.lookup({&library}, name);
  if (!symbol) return refused(symbol.takeError());
  return std::unique_ptr<Kernel>(
      new LlvmKernel(jit, library, symbol->getAddress().toPtr<TesseraKernel>(), workspace_bytes));
}

}  // namespace tessera::codegen
