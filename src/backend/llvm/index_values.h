#pragma once

#include "backend/llvm/arithmetic.h"
#include "backend/llvm/index.h"

#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace tessera::codegen {

/// Turns Indices into instructions. The part of a sum that depends on outer loops only is computed
/// where the innermost of those loops begins, once; so inner loops hold no invariant address
/// arithmetic, and accesses that differ by a constant share one pointer.
class IndexValues {
 public:
  using EmitOpaque = std::function<llvm::Value*(const Expr&)>;

  IndexValues(llvm::IRBuilder<>& builder, const IndexSpace& space, const Arithmetic& ops,
              EmitOpaque emit_opaque)
      : b_(builder), space_(space), ops_(ops), emit_opaque_(std::move(emit_opaque)) {}

  /// What belongs to one function. Entering another begins with an empty one.
  struct Function {
    std::vector<llvm::Instruction*>
        anchors;  // per depth: values of that depth are computed before it
    std::map<int, llvm::Value*> terms;
    std::map<std::pair<llvm::Value*, Index>, llvm::Value*> sums;  // by base, null for integers
    std::map<std::pair<Index, std::int64_t>, llvm::Value*> masks;
  };
  Function enter(Function function) { return std::exchange(function_, std::move(function)); }

  void enter_loop(llvm::Instruction* anchor) { function_.anchors.push_back(anchor); }
  void leave_loop() { function_.anchors.pop_back(); }
  int depth() const { return static_cast<int>(function_.anchors.size()) - 1; }
  llvm::Instruction* entry() const { return function_.anchors.front(); }
  void define(int term, llvm::Value* value) { function_.terms[term] = value; }

  /// A scalar, or a vector when the index varies between lanes.
  llvm::Value* value(const Index& index);
  /// base + index elements; `base` is available at the entry of the function.
  llvm::Value* address(llvm::Value* base, llvm::Type* element, const Index& index, bool inbounds);
  /// Lane < extent, for each lane; the extent is at most `lanes`.
  llvm::Value* mask(const Index& extent, std::int64_t lanes);

 private:
  llvm::Value* term(int number);
  llvm::Value* operation(const Term& term);
  llvm::Value* sum(llvm::Value* base, llvm::Type* element, const Index& index, bool inbounds);
  void move_to(int depth);

  llvm::IRBuilder<>& b_;
  const IndexSpace& space_;
  const Arithmetic& ops_;
  EmitOpaque emit_opaque_;
  Function function_;
};

}  // namespace tessera::codegen
