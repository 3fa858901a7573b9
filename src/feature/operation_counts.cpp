#include "feature/operation_counts.h"

#include "base/check.h"
#include "feature/expr_children.h"
#include "ir/padding.h"

#include <numeric>
#include <optional>

namespace tessera::statement {
namespace {

constexpr std::size_t int_offset =
    static_cast<std::size_t>(Operation::IntMad) - static_cast<std::size_t>(Operation::FloatMad);

Operation kind_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Sub:
      return Operation::FloatAddSub;
    case BinaryOp::Mul:
      return Operation::FloatMul;
    case BinaryOp::Div:
    case BinaryOp::Mod:
      return Operation::FloatDivMod;
    case BinaryOp::Min:
    case BinaryOp::Max:
    case BinaryOp::Less:
    case BinaryOp::LessEqual:
    case BinaryOp::Equal:
      return Operation::FloatCompare;
    case BinaryOp::Pow:
      return Operation::FloatMath;
    case BinaryOp::And:
    case BinaryOp::Or:
      return Operation::Bool;
  }
  fail("a listed operator");
}

Operation kind_of(UnaryOp op) {
  switch (op) {
    case UnaryOp::Neg:
      return Operation::FloatAddSub;
    case UnaryOp::Not:
      return Operation::Bool;
    default:
      return Operation::FloatMath;
  }
}

Operation kind_of(Reducer reducer) {
  switch (reducer) {
    case Reducer::Sum:
      return Operation::FloatAddSub;
    case Reducer::Prod:
      return Operation::FloatMul;
    case Reducer::Max:
    case Reducer::Min:
      return Operation::FloatCompare;
  }
  fail("a listed reducer");
}

class Counter {
 public:
  explicit Counter(const UsedTensors& tensors) : tensors_(tensors) {}

  void count(Operation kind, DType dtype) {
    auto at = static_cast<std::size_t>(kind);
    if (at < int_offset && !is_float(dtype)) at += int_offset;
    counts_[at] += 1;
  }

  void count(const Expr& e) {
    if (const Unary* n = as<Unary>(e)) count(kind_of(n->op), n->a.dtype());
    if (const Binary* n = as<Binary>(e)) count(kind_of(n->op), n->a.dtype());
    if (const Select* n = as<Select>(e)) {
      if (reads_halo(e, *n)) return count(n->yes);
      count(Operation::Select, n->yes.dtype());
    }
    for_each_child(e, [&](const Expr& child) { count(child); });
  }

  const OperationCounts& counts() const { return counts_; }

 private:
  bool reads_halo(const Expr& e, const Select& n) const {
    const Load* read = as<Load>(n.yes);
    if (read == nullptr) return false;
    const UsedTensor& used = *tensors_.find(read->tensor);
    if (used.layout.halo.empty()) return false;
    const auto shape_of = [&](const TensorId&) -> const Shape& { return used.tensor->shape; };
    return padded_read(e, shape_of) != nullptr;
  }

  const UsedTensors& tensors_;
  OperationCounts counts_ = {};
};

}  // namespace

OperationCounts count_operations(const Store& store, const UsedTensors& tensors) {
  Counter counter(tensors);
  if (store.reducer) counter.count(kind_of(*store.reducer), store.value.dtype());
  counter.count(store.value);
  return counter.counts();
}

double float_operations(const OperationCounts& counts) {
  return std::accumulate(counts.begin(), counts.begin() + int_offset, 0.0);
}

}  // namespace tessera::statement
