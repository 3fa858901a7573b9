#include "backend/llvm/machine.h"

#include "base/text.h"

#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

namespace tessera::codegen {
namespace {

/// The three code generators that targets name; initialising all that LLVM has costs start-up time.
void initialise_once() {
  static const bool done = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTarget();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVAsmPrinter();
    // Addresses are emitted as they should be: invariant part outside, constants as displacements.
    // Loop strength reduction would give each unrolled access a pointer of its own and spill them.
    const auto& options = llvm::cl::getRegisteredOptions();
    static_cast<llvm::cl::opt<bool>*>(options.lookup("disable-lsr"))->setValue(true);
    return true;
  }();
  (void)done;
}

std::string triple_of(Arch arch) {
  switch (arch) {
    case Arch::X86:
      return "x86_64-unknown-linux-gnu";
    case Arch::AArch64:
      return "aarch64-unknown-linux-gnu";
    case Arch::RiscV:
      return "riscv64-unknown-linux-gnu";
  }
  return {};
}

std::unique_ptr<llvm::TargetMachine> make_machine(const Target& target, std::string& problem) {
  const std::string triple = triple_of(target.arch);
  const llvm::Target* generator = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (generator == nullptr) return nullptr;
  const std::unique_ptr<llvm::MCSubtargetInfo> core(
      generator->createMCSubtargetInfo(triple, "", ""));
  if (target.cpu != "generic" && !core->isCPUStringValid(target.cpu)) {
    problem = "no core is called " + target.cpu;
    return nullptr;
  }
  llvm::TargetOptions options;
  if (target.arch == Arch::RiscV) options.MCOptions.ABIName = "lp64d";
  std::unique_ptr<llvm::TargetMachine> machine(generator->createTargetMachine(
      triple, target.cpu, join(target.features, ","), options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Aggressive));
  if (machine == nullptr) problem = "llvm has no code generator for " + triple;
  return machine;
}

}  // namespace

Result<Machines::Lease> Machines::lease(const Target& target) {
  initialise_once();
  std::string key = triple_of(target.arch) + " " + target.cpu + " " + join(target.features, ",");
  {
    const std::lock_guard lock(mutex_);
    auto& idle = idle_[key];
    if (!idle.empty()) {
      std::unique_ptr<llvm::TargetMachine> machine = std::move(idle.back());
      idle.pop_back();
      return Lease(*this, std::move(key), std::move(machine));
    }
  }
  std::string problem;
  std::unique_ptr<llvm::TargetMachine> machine = make_machine(target, problem);
  if (machine == nullptr) return Error{"target " + target.name + ": " + problem};
  return Lease(*this, std::move(key), std::move(machine));
}

void Machines::give_back(const std::string& key, std::unique_ptr<llvm::TargetMachine> machine) {
  const std::lock_guard lock(mutex_);
  idle_[key].push_back(std::move(machine));
}

void prepare(llvm::Module& module, const llvm::TargetMachine& machine) {
  module.setDataLayout(machine.createDataLayout());
  module.setTargetTriple(machine.getTargetTriple().str());
  const std::string& abi = machine.Options.MCOptions.ABIName;
  if (!abi.empty())
    module.addModuleFlag(llvm::Module::Error, "target-abi",
                         llvm::MDString::get(module.getContext(), abi));
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::EarlyCSEPass());  // the emitter has shared loads already
  // Walks and promotions are limited, because their time grows with the square of unrolled code.
  const llvm::LICMOptions limits(20, 50, true);
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(limits), true));
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) passes.run(function, functions);
}

Result<std::string> generate(llvm::Module& module, llvm::TargetMachine& machine,
                             llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  const bool unverified = true;  // the emitter has verified the module
  if (machine.addPassesToEmitFile(passes, out, nullptr, type, unverified))
    return Error{"llvm cannot write this kind of file for " + machine.getTargetTriple().str()};
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace tessera::codegen
