#pragma once

#include "base/result.h"
#include "ir/expr.h"
#include "ir/program.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tessera {

/// What names mean at one place of a computation or program, and what may be written there.
/// The names must outlive the scope.
class Scope {
 public:
  struct TensorInfo {
    DType dtype = DType::F32;
    Memory memory = Memory::Global;
    bool is_writable = false;
    Shape extents;           // of the indices: logical, or one physical size
    std::vector<Halo> halo;  // what reads may reach beyond them; empty for nothing
  };

  /// Refuses a name in use, or one that the text forms would misread.
  Result<void> add_tensor(std::string_view name, TensorInfo info);
  /// `picks_register`: the axis is gone once loops are unrolled and vectors formed.
  Result<void> add_axis(std::string_view name, bool picks_register);
  void remove_tensor(std::string_view name) { tensors_.erase(name); }
  void remove_axis(std::string_view name) { axes_.erase(name); }
  void remove_axes() { axes_.clear(); }
  const TensorInfo* find_tensor(std::string_view name) const;

  /// The dtype of a sound expression.
  Result<DType> verify(const Expr& e) const { return verify(e, 1); }
  Result<DType> verify_store(const TensorId& tensor, const std::vector<Expr>& indices) const;
  /// As a load, but constant indices may be out of bounds.
  Result<DType> verify_prefetch(const TensorId& tensor, const std::vector<Expr>& indices) const;

 private:
  /// One element of a tensor, as it is used.
  struct Use {
    const char* verb;  // `reads`
    const TensorId& tensor;
    const std::vector<Expr>& indices;
    bool may_reach_halo;
    bool may_leave;
  };
  Result<DType> verify(const Expr& e, int depth) const;
  Result<DType> verify(const Unary& e, int depth) const;
  Result<DType> verify(const Binary& e, int depth) const;
  Result<DType> verify(const Select& e, int depth) const;
  Result<DType> verify(const Load& e, int depth) const;
  Result<DType> verify(const Use& use, int depth) const;
  Result<void> verify_bounds(const Use& use, const TensorInfo& info) const;
  Result<void> verify_register_index(const Expr& index) const;

  std::unordered_map<std::string_view, TensorInfo> tensors_;
  std::unordered_map<std::string_view, bool> axes_;
};

/// Refuses what is not a name: letters, digits, `_` and inner `.`, and no reserved word.
Result<void> verify_name(std::string_view name);
Result<void> verify(const Table& table);

}  // namespace tessera
