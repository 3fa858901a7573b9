#include "support/random_ir.h"

#include "ir/rewrite.h"

#include <limits>
#include <span>
#include <string>

namespace tessera {
namespace {

template <typename T>
const T& pick(const std::vector<T>& items, Rng& rng) {
  return rng.pick(std::span<const T>(items));
}

template <typename Enum>
Enum pick(Enum first, Enum last, Rng& rng) {
  return static_cast<Enum>(rng.between(static_cast<int>(first), static_cast<int>(last)));
}

Expr random_real(Rng& rng) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values = {0.0,  -0.0, 1.0,  -1.0, 0.1,   1e-30, -3.5e30,
                                      1e22, inf,  -inf, nan,  0.125, 5e-324};
  return real(pick(values, rng));
}

Expr random_leaf(DType dtype, const Vocabulary& names, Rng& rng) {
  if (dtype == DType::F32) return random_real(rng);
  if (dtype == DType::I64 && !names.axes.empty() && rng.chance(0.6))
    return axis(pick(names.axes, rng));
  const std::int64_t value = dtype == DType::Bool ? rng.below(2) : rng.between(-9, 9);
  return Expr(ExprNode{Integer{dtype, value}});
}

/// Index expressions; a constant is 0, which is always in bounds.
std::vector<Expr> random_indices(std::size_t count, const Vocabulary& names, int depth, Rng& rng) {
  std::vector<Expr> indices;
  while (indices.size() < count) {
    const Expr index = random_expr(DType::I64, names, depth, rng);
    indices.push_back(as<Integer>(index) == nullptr ? index : Expr(0));
  }
  return indices;
}

Expr random_unary(DType dtype, const Vocabulary& names, int depth, Rng& rng) {
  UnaryOp op = rng.chance(0.7) ? UnaryOp::Neg : UnaryOp::Abs;
  if (dtype == DType::Bool) op = UnaryOp::Not;
  if (dtype == DType::F32 && rng.chance(0.5)) op = pick(UnaryOp::Exp, UnaryOp::Round, rng);
  return unary(op, random_expr(dtype, names, depth, rng));
}

Expr random_binary(DType dtype, const Vocabulary& names, int depth, Rng& rng) {
  BinaryOp op = pick(BinaryOp::Add, dtype == DType::F32 ? BinaryOp::Pow : BinaryOp::Max, rng);
  DType operands = dtype;
  if (dtype == DType::Bool) {
    op = pick(BinaryOp::Less, BinaryOp::Or, rng);
    const bool is_logic = op == BinaryOp::And || op == BinaryOp::Or;
    if (!is_logic) operands = rng.chance(0.5) ? DType::F32 : DType::I64;
  }
  return binary(op, random_expr(operands, names, depth, rng),
                random_expr(operands, names, depth, rng));
}

}  // namespace

Expr random_expr(DType dtype, const Vocabulary& names, int depth, Rng& rng) {
  if (depth <= 1 || rng.chance(0.15)) return random_leaf(dtype, names, rng);
  switch (rng.below(7)) {
    case 0:
    case 1:
      return random_unary(dtype, names, depth - 1, rng);
    case 2:
    case 3:
      return random_binary(dtype, names, depth - 1, rng);
    case 4:
      return select(random_expr(DType::Bool, names, depth - 1, rng),
                    random_expr(dtype, names, depth - 1, rng),
                    random_expr(dtype, names, depth - 1, rng));
    case 5: {
      const DType from = pick(DType::F32, DType::Bool, rng);
      return Expr(ExprNode{Cast{dtype, random_expr(from, names, depth - 1, rng)}});
    }
    default: {
      if (names.loads.empty()) return random_leaf(dtype, names, rng);
      const Load& one = pick(names.loads, rng);
      if (one.dtype != dtype) return random_leaf(dtype, names, rng);
      return load(one.tensor, dtype, random_indices(one.indices.size(), names, depth - 1, rng));
    }
  }
}

namespace {

class ProgramGenerator {
 public:
  explicit ProgramGenerator(Rng& rng)
      : rng_(rng), form_(rng.chance(0.5) ? Form::Scheduled : Form::Lowered) {}

  Program program() {
    Program program{.name = "random", .form = form_, .params = {}, .tables = {}, .body = block({})};
    for (const Role role : {Role::Input, Role::Constant, Role::Output, Role::Output}) {
      const Memory memory = role == Role::Constant ? Memory::Constant : Memory::Global;
      program.params.push_back({role, placed(memory)});
      declare(program.params.back().placed.tensor);
      if (role == Role::Output) stores_.push_back(names_.loads.back());
    }
    program.tables.push_back({{"T", DType::F32, {2, 2}}, {1, -0.5, 1e22, 3}});
    declare(program.tables.back().tensor);
    program.body = body(4);
    return program;
  }

 private:
  std::string fresh(const std::string& stem) { return stem + "." + std::to_string(count_++); }

  Placed placed(Memory memory) {
    Placed placed{{fresh("A"), pick(DType::F32, DType::I64, rng_), {}}, memory, {}};
    for (std::int64_t dim = 0, rank = rng_.below(4); dim < rank; ++dim) {
      placed.tensor.shape.push_back(rng_.between(1, 40));
      const bool is_cut = rng_.chance(0.3);
      if (is_cut) placed.layout.terms.push_back({.dim = dim, .divide = 8, .pad = rng_.below(2)});
      placed.layout.terms.push_back({.dim = dim, .modulo = is_cut ? 8 : 0, .pad = rng_.below(3)});
    }
    if (rng_.chance(0.3))
      for (std::size_t dim = 0; dim < placed.tensor.shape.size(); ++dim)
        placed.layout.halo.push_back({rng_.below(2), rng_.below(2)});
    return placed;
  }

  void declare(const Tensor& tensor) {
    const std::size_t indices = form_ == Form::Lowered ? 1 : tensor.shape.size();
    names_.loads.push_back({tensor.name, tensor.dtype, std::vector<Expr>(indices, 0)});
  }

  Stmt body(int depth) {
    std::vector<Stmt> stmts;
    for (std::int64_t left = rng_.below(4); left > 0; --left) stmts.push_back(stmt(depth));
    return block(std::move(stmts));
  }

  Stmt stmt(int depth) {
    switch (depth == 0 ? 4 + rng_.below(2) : rng_.below(6)) {
      case 0:
      case 1:
        return loop(depth);
      case 2:
        return allocate(depth);
      case 3: {
        const Expr condition = random_expr(DType::Bool, names_, 3, rng_);
        If branch{condition, body(depth - 1), {}};
        if (rng_.chance(0.5)) branch.no = body(depth - 1);
        return Stmt(StmtNode{std::move(branch)});
      }
      case 4: {
        const Load& at = pick(names_.loads, rng_);
        return Stmt(
            StmtNode{Prefetch{at.tensor, random_indices(at.indices.size(), names_, 3, rng_)}});
      }
      default: {
        const Load& to = pick(stores_, rng_);
        Store store{to.tensor,
                    random_indices(to.indices.size(), names_, 3, rng_),
                    random_expr(to.dtype, names_, 5, rng_),
                    {}};
        if (rng_.chance(0.5)) store.reducer = pick(Reducer::Sum, Reducer::Min, rng_);
        return Stmt(StmtNode{std::move(store)});
      }
    }
  }

  Stmt loop(int depth) {
    Loop loop{.axis = fresh("i"), .extent = rng_.between(1, 8), .reduces = {}, .body = block({})};
    if (!names_.axes.empty() && rng_.chance(0.5))
      loop.extent = min(8, Expr(30) - axis(pick(names_.axes, rng_)) * 8);
    if (rng_.chance(0.3)) loop.kind = LoopKind::Unroll;
    if (!in_vector_ && rng_.chance(0.3)) loop.kind = LoopKind::Vector;
    if (names_.axes.empty() && rng_.chance(0.3)) loop.kind = LoopKind::Parallel;
    if (loop.kind == LoopKind::Vector) loop.lanes = rng_.between(8, 16);
    const bool was_in_vector = in_vector_;
    in_vector_ = in_vector_ || loop.kind == LoopKind::Vector;
    names_.axes.push_back(loop.axis);
    loop.body = body(depth - 1);
    names_.axes.pop_back();
    in_vector_ = was_in_vector;
    return Stmt(StmtNode{std::move(loop)});
  }

  Stmt allocate(int depth) {
    Placed local = placed(rng_.chance(0.5) ? Memory::Stack : Memory::Global);
    declare(local.tensor);
    stores_.push_back(names_.loads.back());
    Stmt inner = body(depth - 1);
    names_.loads.pop_back();
    stores_.pop_back();
    return Stmt(StmtNode{Allocate{std::move(local), std::move(inner)}});
  }

  Rng& rng_;
  Form form_;
  Vocabulary names_;
  std::vector<Load> stores_;
  bool in_vector_ = false;
  int count_ = 0;
};

}  // namespace

Program random_program(Rng& rng) { return ProgramGenerator(rng).program(); }

}  // namespace tessera
