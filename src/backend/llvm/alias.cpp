#include "backend/llvm/alias.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>

namespace tessera::codegen {

int AliasClasses::add(Arena arena, std::int64_t begin, std::int64_t end) {
  const Place place{arena, begin, end};
  if (arena != Arena::Own) {  // an unrolled allocation comes here again and again
    const auto known = std::find(classes_.begin(), classes_.end(), place);
    if (known != classes_.end()) return static_cast<int>(known - classes_.begin());
  }
  classes_.push_back(place);
  return static_cast<int>(classes_.size()) - 1;
}

bool AliasClasses::may_meet(const Place& a, const Place& b) const {
  return a.arena != Arena::Own && a.arena == b.arena && a.begin < b.end && b.begin < a.end;
}

void AliasClasses::attach(llvm::LLVMContext& context) {
  llvm::MDBuilder builder(context);
  llvm::MDNode* domain = builder.createAnonymousAliasScopeDomain();
  std::vector<llvm::Metadata*> scopes;
  for (std::size_t i = 0; i < classes_.size(); ++i)
    scopes.push_back(builder.createAnonymousAliasScope(domain));
  std::vector<llvm::MDNode*> own, others;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    std::vector<llvm::Metadata*> rest;
    for (std::size_t j = 0; j < classes_.size(); ++j)
      if (i != j && !may_meet(classes_[i], classes_[j])) rest.push_back(scopes[j]);
    own.push_back(llvm::MDNode::get(context, {scopes[i]}));
    others.push_back(llvm::MDNode::get(context, rest));
  }
  for (const auto& [handle, number] : accesses_) {
    auto* access = llvm::cast_or_null<llvm::Instruction>(static_cast<llvm::Value*>(handle));
    if (access == nullptr) continue;
    access->setMetadata(llvm::LLVMContext::MD_alias_scope, own[static_cast<std::size_t>(number)]);
    access->setMetadata(llvm::LLVMContext::MD_noalias, others[static_cast<std::size_t>(number)]);
  }
}

}  // namespace tessera::codegen
