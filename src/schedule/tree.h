#pragma once

#include "ir/bounds.h"
#include "ir/program.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// What steps need to find and change in the tree of a program.

/// The loop of that name, or null. Axis names are unique in a program.
const Loop* find_loop(const Stmt& root, const AxisId& axis);
/// The loops around the loop of that name, outermost first, itself not included.
LoopScope scope_of(const Stmt& root, const AxisId& axis);
/// `root` with the loop of that name replaced; the loop must exist.
Stmt replace_loop(const Stmt& root, const AxisId& axis, const std::function<Stmt(const Loop&)>& f);

/// The declaration of a tensor anywhere in the program, or null.
const Placed* find_placed(const Program& program, const TensorId& tensor);
/// The same with the declaration of `tensor` changed.
Program with_placed(const Program& program, const TensorId& tensor,
                    const std::function<Placed(Placed)>& f);
/// The tree without the `alloc` of a tensor, which nothing uses any more.
Stmt without_allocation(const Stmt& root, const TensorId& tensor);
bool is_output(const Program& program, const TensorId& tensor);

/// A stage's nest while it is still plain: perfectly nested serial loops around the one store of
/// its tensor, standing in a block or at the root.
struct Nest {
  std::vector<Loop> loops;  // outermost first; bodies are stale once changed
  Store store;
  Stmt root;  // the outermost statement, to find it again
};
std::optional<Nest> find_nest(const Program& program, const TensorId& tensor);
Stmt build(const std::vector<Loop>& loops, Stmt body);
/// The tree with one statement, found by identity, replaced; an empty block takes it away.
Stmt replace_stmt(const Stmt& root, const Stmt& old, const Stmt& by);

/// The name of two loops made one: `C.i.0` and `C.j.0` give `C.i.0_j.0`; what both begin with is
/// said once.
AxisId fused_name(const AxisId& outer, const AxisId& inner);
/// The name of a stage's axis in another stage: `T.k.0` of `T` gives `S.k.0` of `S`, and so does a
/// mere `k.0`.
AxisId renamed(const AxisId& axis, const TensorId& from, const TensorId& to);

/// A program with another body, simplified.
Program with_body(const Program& program, Stmt body);
/// A program with `by`, simplified, in place of a loop; the rest stays as it is.
Program with_loop(const Program& program, const AxisId& axis, const Stmt& by);

/// `name` if no tensor has it yet, else with the first free number behind it.
TensorId fresh_tensor(const Program& program, const TensorId& name);

/// The part of a tensor that some statement reads: per dimension a first index, in terms of axes
/// outside the statement, and the most elements from there; whether the first is known to lie
/// inside the tensor, which that of a guarded read need not; and how many elements are read now,
/// where one loop runs over just them.
struct Region {
  std::vector<Expr> first;
  Shape size;
  std::vector<bool> is_inside;
  std::vector<std::optional<Expr>> extent;
};
/// Of all loads of `tensor` in `body`, whose enclosing loops are `outer`.
Region read_region(const Stmt& body, const Tensor& tensor, const LoopScope& outer);

}  // namespace tessera
