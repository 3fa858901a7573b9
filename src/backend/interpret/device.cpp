#include "backend/backend.h"
#include "base/check.h"
#include "ir/interpret.h"
#include "tensor/layout.h"

#include <cstring>

namespace tessera {
namespace {

class InterpretedKernel : public Kernel {
 public:
  explicit InterpretedKernel(Program program) : program_(std::move(program)) {}

  /// On copies, because the interpreter owns its buffers.
  void run(std::span<void* const> buffers, ThreadPool&) const override {
    std::vector<HostBuffer> copies;
    std::vector<HostBuffer*> arguments;
    copies.reserve(buffers.size());
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const Placed& placed = program_.params.at(i).placed;
      HostBuffer& copy = copies.emplace_back(placed.tensor.dtype,
                                             physical_size(placed.layout, placed.tensor.shape));
      std::memcpy(copy.data(), buffers[i], static_cast<std::size_t>(copy.size_bytes()));
      arguments.push_back(&copy);
    }
    const Result<void> done = interpret(program_, arguments);
    check(done.has_value(), done ? "" : program_.name + " runs: " + done.error().message);
    for (std::size_t i = 0; i < buffers.size(); ++i)
      if (program_.params[i].role == Role::Output)
        std::memcpy(buffers[i], copies[i].data(), static_cast<std::size_t>(copies[i].size_bytes()));
  }

 private:
  Program program_;
};

class InterpretBackend : public Backend {
 public:
  std::string_view name() const override { return "interpret"; }
  bool runs_here(const Target&) const override { return true; }

  Result<std::unique_ptr<Kernel>> compile(const Program& lowered, const Target&) const override {
    if (lowered.form != Form::Lowered) return Error{lowered.name + ": expected a lowered program"};
    return std::unique_ptr<Kernel>(std::make_unique<InterpretedKernel>(lowered));
  }
  Result<ObjectCode> object(const Program& lowered, const Target&) const override {
    return Error{lowered.name + ": the interpreter makes no object file"};
  }
  Result<std::string> code(const Program& lowered, const Target&, CodeText) const override {
    return Error{lowered.name + ": the interpreter makes no code"};
  }
};

}  // namespace

std::unique_ptr<Backend> interpret_backend() { return std::make_unique<InterpretBackend>(); }

}  // namespace tessera
