#include "backend/backend.h"
#include "backend/llvm/emitter.h"
#include "backend/llvm/jit.h"
#include "backend/llvm/machine.h"

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/raw_ostream.h>

namespace tessera {
namespace codegen {
namespace {

/// What LLVM reports as an error while it generates code; warnings are not ours to show.
class Diagnostics : public llvm::DiagnosticHandler {
 public:
  explicit Diagnostics(std::string& first_error) : first_error_(first_error) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() == llvm::DS_Error && first_error_.empty()) {
      llvm::raw_string_ostream out(first_error_);
      llvm::DiagnosticPrinterRawOStream printer(out);
      info.print(printer);
    }
    return true;
  }

 private:
  std::string& first_error_;
};

struct Code {
  std::string text;  // or the bytes of an object file
  std::int64_t workspace_bytes = 0;
};

enum class Form : std::uint8_t { Object, Assembly, Llvm };

class LlvmBackend : public Backend {
 public:
  std::string_view name() const override { return "llvm"; }
  bool runs_here(const Target& target) const override { return tessera::runs_here(target); }

  Result<std::unique_ptr<Kernel>> compile(const Program& lowered,
                                          const Target& target) const override {
    if (!runs_here(target))
      return Error{"target " + target.name + ": this machine cannot run its code"};
    Result<Code> made = make(lowered, target, Form::Object);
    if (!made) return made.error();
    return Jit::link(jit_, std::move(made->text), lowered.name, made->workspace_bytes);
  }

  Result<ObjectCode> object(const Program& lowered, const Target& target) const override {
    Result<Code> made = make(lowered, target, Form::Object);
    if (!made) return made.error();
    return ObjectCode{std::move(made->text), made->workspace_bytes};
  }

  Result<std::string> code(const Program& lowered, const Target& target,
                           CodeText text) const override {
    return text_of(make(lowered, target, text == CodeText::Llvm ? Form::Llvm : Form::Assembly));
  }

 private:
  static Result<std::string> text_of(Result<Code> made) {
    if (!made) return made.error();
    return std::move(made->text);
  }

  Result<Code> make(const Program& lowered, const Target& target, Form form) const {
    if (lowered.form != tessera::Form::Lowered)
      return Error{lowered.name + ": expected a lowered program"};
    Result<Machines::Lease> machine = machines_.lease(target);
    if (!machine) return machine.error();
    llvm::LLVMContext context;
    std::string problem;
    context.setDiagnosticHandler(std::make_unique<Diagnostics>(problem));
    llvm::Module module(lowered.name, context);
    prepare(module, **machine);
    const Result<std::int64_t> workspace_bytes = Emitter(lowered, target, module).emit();
    if (!workspace_bytes) return workspace_bytes.error();
    optimise(module, **machine);
    Result<std::string> text =
        form == Form::Llvm ? printed(module)
                           : generate(module, **machine,
                                      form == Form::Object ? llvm::CodeGenFileType::ObjectFile
                                                           : llvm::CodeGenFileType::AssemblyFile);
    if (!text) return text.error();
    if (!problem.empty()) return Error{lowered.name + ": llvm: " + problem};
    return Code{std::move(*text), *workspace_bytes};
  }

  static std::string printed(const llvm::Module& module) {
    std::string text;
    llvm::raw_string_ostream out(text);
    module.print(out, nullptr);
    return text;
  }

  mutable Machines machines_;
  std::shared_ptr<Jit> jit_ = std::make_shared<Jit>();
};

}  // namespace
}  // namespace codegen

std::unique_ptr<Backend> llvm_backend() { return std::make_unique<codegen::LlvmBackend>(); }

}  // namespace tessera
