#pragma once

#include <llvm/IR/Instruction.h>
#include <llvm/IR/ValueHandle.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace tessera::codegen {

/// Tells LLVM which accesses cannot meet: those of different tensors, unless the tensors lie in the
/// same bytes at different times or one may overwrite the other.
class AliasClasses {
 public:
  enum class Arena : std::uint8_t { Own, Workspace, Scratch };

  /// A tensor at [begin, end) of an arena; `Own` memory meets nothing else.
  int add(Arena arena, std::int64_t begin, std::int64_t end);
  void note(llvm::Instruction* access, int alias_class) {
    accesses_.emplace_back(access, alias_class);
  }
  /// Marks all noted accesses.
  void attach(llvm::LLVMContext& context);

 private:
  struct Place {
    Arena arena;
    std::int64_t begin, end;
    friend bool operator==(const Place&, const Place&) = default;
  };
  bool may_meet(const Place& a, const Place& b) const;

  std::vector<Place> classes_;
  std::vector<std::pair<llvm::WeakVH, int>> accesses_;  // null when erased since
};

}  // namespace tessera::codegen
