#pragma once

#include "ir/computation.h"
#include "ir/expr.h"
#include "tensor/layout.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tessera {

/// Where a tensor of a Program lives.
///   Global    memory that other kernels or other threads see
///   Constant  contents known when code is made
///   Stack     scratch of one thread, gone after its scope
///   Register  scratch that must become SSA values; only indexed by constants, unrolled and vector
///   axes
enum class Memory : std::uint8_t { Global, Constant, Stack, Register };

struct Placed {
  Tensor tensor;
  Memory memory = Memory::Global;
  Layout layout;
  friend bool operator==(const Placed&, const Placed&) = default;
};

/// How a loop runs.
///   Serial    one iteration after another
///   Parallel  iterations are independent and shared among threads
///   Unroll    each iteration is emitted
///   Vector    each iteration is one lane
enum class LoopKind : std::uint8_t { Serial, Parallel, Unroll, Vector };

struct StmtNode;

/// An immutable statement; copying it shares the node. Equality is structural.
class Stmt {
 public:
  explicit Stmt(StmtNode node);
  const StmtNode& operator*() const { return *node_; }
  const StmtNode* operator->() const { return node_.get(); }
  /// Identity of the node, to find a statement again inside the tree it came from.
  bool is_same_node(const Stmt& other) const { return node_ == other.node_; }
  friend bool operator==(const Stmt& a, const Stmt& b);

 private:
  std::shared_ptr<const StmtNode> node_;
};

/// Runs `body` for `axis` = 0 .. extent-1. The extent may depend on enclosing axes, as the last
/// tile of a split that does not divide does: `min(6, 128 - C.i.0 * 6)`.
struct Loop {
  AxisId axis;
  Expr extent = 1;
  LoopKind kind = LoopKind::Serial;
  /// The tensor whose reduction this loop runs over; empty for a spatial loop. Scheduled form only.
  TensorId reduces = {};
  /// Lanes of a vector loop, at least its largest extent; lanes past the extent have no effect.
  std::int64_t lanes = 0;
  Stmt body;
  friend bool operator==(const Loop&, const Loop&) = default;
};

struct Block {
  std::vector<Stmt> stmts;
  friend bool operator==(const Block&, const Block&) = default;
};

/// Writes `value`, or combines it into what stands there.
///
/// In the scheduled form a store with a reducer sets the element to the reducer's identity first,
/// when all enclosing loops that reduce this tensor are at their first iteration; so the order of
/// those loops never needs a statement for initialising. Lowering makes that statement explicit,
/// and in the lowered form a reducer only combines.
struct Store {
  TensorId tensor;
  std::vector<Expr> indices;
  Expr value = 0;
  std::optional<Reducer> reducer;
  friend bool operator==(const Store&, const Store&) = default;
};

/// Makes `placed` exist inside `body`, with undefined contents at entry.
struct Allocate {
  Placed placed;
  Stmt body;
  friend bool operator==(const Allocate&, const Allocate&) = default;
};

struct If {
  Expr condition;
  Stmt yes;
  std::optional<Stmt> no;
  friend bool operator==(const If&, const If&) = default;
};

/// A hint that the element will be read soon; may name an element past the end.
struct Prefetch {
  TensorId tensor;
  std::vector<Expr> indices;
  friend bool operator==(const Prefetch&, const Prefetch&) = default;
};

struct StmtNode : std::variant<Loop, Block, Store, Allocate, If, Prefetch> {
  using variant::variant;
};

template <typename T>
const T* as(const Stmt& s) {
  return std::get_if<T>(&*s);
}

/// Scheduled: what steps rewrite; loads and stores use logical indices, one per dimension.
/// Lowered: what a backend emits; initialisation is explicit, no loop names what it reduces, and
/// every load, store and prefetch has one index, the element offset in the tensor's physical
/// layout.
enum class Form : std::uint8_t { Scheduled, Lowered };

struct Param {
  Role role = Role::Input;
  Placed placed;
  friend bool operator==(const Param&, const Param&) = default;
};

/// *How* it is computed: parameters in call order (operands, then outputs) and a statement.
struct Program {
  std::string name;
  Form form = Form::Scheduled;
  std::vector<Param> params;
  std::vector<Table> tables;
  Stmt body;
  friend bool operator==(const Program&, const Program&) = default;
};

/// The plain loop nest of one stage; its loops are named `stage.axis`.
Stmt nest_of(const Stage& stage);

/// One plain loop nest per stage, in order, row-major tensors; stages that do not leave are global
/// allocations around the whole.
Program to_program(const Computation& computation);

}  // namespace tessera
