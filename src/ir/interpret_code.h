#pragma once

#include "base/result.h"
#include "ir/arithmetic.h"
#include "ir/program.h"
#include "tensor/layout.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera {

/// What changes while a program is interpreted. Names are gone: axes and buffers are known by slot.
struct InterpretState {
  std::vector<std::int64_t> axes;
  std::vector<void*> buffers;
  /// The first refused access or operation. What is computed after it has no meaning.
  std::optional<Error> error;

  void refuse(std::string message) {
    if (!error) error = Error{std::move(message)};
  }
};

/// Expressions and statements as closures over slots.
using RealCode = std::function<double(InterpretState&)>;
using IntegerCode = std::function<std::int64_t(InterpretState&)>;
using StmtCode = std::function<void(InterpretState&)>;

/// An index: `constant + sum(axis * coefficient)`, as nearly all are, or `other`.
struct IndexCode {
  std::int64_t constant = 0;
  std::vector<std::pair<std::size_t, std::int64_t>> terms;  // slot, coefficient
  IntegerCode other;

  std::int64_t operator()(InterpretState& state) const {
    if (other) return other(state);
    std::int64_t sum = constant;
    for (const auto& [slot, coefficient] : terms)
      sum = wrapping_add(sum, wrapping_mul(state.axes[slot], coefficient));
    return sum;
  }
};

/// The element that a load or store means: one index per dimension, or one offset in the lowered
/// form.
struct Place {
  struct Dim {
    IndexCode index;
    std::int64_t first = 0;  // allowed: first .. first + extent - 1
    std::int64_t extent = 0;
    std::int64_t stride = 0;  // 0: the dimension is cut, `share` tells
    OffsetShare share;
  };
  std::vector<Dim> dims;
  std::string subject;  // `load of A`
  std::size_t buffer = 0;

  /// The offset in the buffer, or -1 after a refusal.
  std::int64_t locate(InterpretState& state) const {
    std::int64_t offset = 0;
    for (const Dim& dim : dims) {
      const std::int64_t index = dim.index(state);
      if (index < dim.first || index >= dim.first + dim.extent) return refuse(state, dim, index);
      offset += dim.stride != 0 ? (index + dim.share.before) * dim.stride : dim.share(index);
    }
    return offset;
  }

 private:
  std::int64_t refuse(InterpretState& state, const Dim& dim, std::int64_t index) const;
};

/// Resolves the names of a verified program to slots, and expressions to code.
class ExprResolver {
 public:
  explicit ExprResolver(Form form) : form_(form) {}

  /// The slot of an axis or tensor; a later one of the same name takes its place.
  std::size_t add_axis(const AxisId& axis);
  std::size_t add_tensor(const Tensor& tensor, const Layout& layout);
  std::size_t axis_count() const { return axis_count_; }
  std::size_t tensor_count() const { return tensor_count_; }
  std::size_t axis_slot(const AxisId& axis) const { return axes_.at(axis); }

  RealCode real(const Expr& e) const;        // f32
  IntegerCode integer(const Expr& e) const;  // every other dtype
  Place load_place(const TensorId& tensor, const std::vector<Expr>& indices) const;
  Place store_place(const TensorId& tensor, const std::vector<Expr>& indices) const;
  DType dtype(const TensorId& tensor) const { return tensors_.at(tensor).tensor.dtype; }

 private:
  struct Slot {
    std::size_t buffer = 0;
    Tensor tensor;
    Layout layout;
  };
  IndexCode index(const Expr& e) const;
  std::optional<IndexCode> affine(const Expr& e) const;
  Place place(std::string subject, const Slot& slot, const std::vector<Expr>& indices,
              const std::vector<Halo>& reach) const;

  Form form_;
  std::size_t axis_count_ = 0;
  std::size_t tensor_count_ = 0;
  std::unordered_map<AxisId, std::size_t> axes_;
  std::unordered_map<TensorId, Slot> tensors_;
};

}  // namespace tessera
