#pragma once

#include "backend/backend.h"
#include "base/result.h"
#include "target/target.h"

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tessera::codegen {

/// LLVM's code generators. One serves one thread at a time; those not in use are kept for the next.
class Machines {
 public:
  class Lease {
   public:
    Lease(Machines& owner, std::string key, std::unique_ptr<llvm::TargetMachine> machine)
        : owner_(owner), key_(std::move(key)), machine_(std::move(machine)) {}
    Lease(Lease&&) = default;
    ~Lease() {
      if (machine_) owner_.give_back(key_, std::move(machine_));
    }
    llvm::TargetMachine& operator*() const { return *machine_; }

   private:
    Machines& owner_;
    std::string key_;
    std::unique_ptr<llvm::TargetMachine> machine_;
  };

  Result<Lease> lease(const Target& target);

 private:
  void give_back(const std::string& key, std::unique_ptr<llvm::TargetMachine> machine);

  std::mutex mutex_;
  std::map<std::string, std::vector<std::unique_ptr<llvm::TargetMachine>>> idle_;
};

/// Data layout, triple and ABI of the machine, for a module about to be filled.
void prepare(llvm::Module& module, const llvm::TargetMachine& machine);
/// The few passes that emitted code profits from.
void optimise(llvm::Module& module, llvm::TargetMachine& machine);
/// An object file or assembly; the module is used up.
Result<std::string> generate(llvm::Module& module, llvm::TargetMachine& machine,
                             llvm::CodeGenFileType type);

}  // namespace tessera::codegen
