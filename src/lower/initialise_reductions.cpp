#include "lower/initialise_reductions.h"

#include "ir/rewrite.h"

#include <optional>
#include <set>

namespace tessera {
namespace {

bool is_empty(const Stmt& s) {
  const Block* n = as<Block>(s);
  return n != nullptr && n->stmts.empty();
}

/// The spatial loops of `s` around stores to `tensor`, storing the identity; a loop body that
/// stores nothing to it becomes an empty block.
Stmt identity_nest(const Stmt& s, const TensorId& tensor, const std::string& suffix) {
  return match(
      *s,
      [&](const Loop& n) {
        Stmt body = identity_nest(n.body, tensor, suffix);
        if (is_empty(body)) return body;
        // Loops inside may be shorter in the last round; initialising belongs to the first.
        if (n.reduces == tensor) return substitute(body, {{n.axis, 0}});
        Loop out = n;
        out.axis = n.axis + suffix;
        out.body = substitute(body, {{n.axis, axis(out.axis)}});
        return Stmt(StmtNode{std::move(out)});
      },
      [&](const Block& n) {
        std::vector<Stmt> stmts;
        for (const Stmt& child : n.stmts) stmts.push_back(identity_nest(child, tensor, suffix));
        return block(std::move(stmts));
      },
      [&](const Store& n) {
        if (n.tensor != tensor || !n.reducer) return block({});
        return Stmt(StmtNode{
            Store{n.tensor, n.indices, identity(*n.reducer, n.value.dtype()), std::nullopt}});
      },
      [&](const Allocate& n) { return identity_nest(n.body, tensor, suffix); },
      [&](const If& n) {
        Stmt yes = identity_nest(n.yes, tensor, suffix);
        std::optional<Stmt> no;
        if (n.no) no = identity_nest(*n.no, tensor, suffix);
        if (is_empty(yes) && (!no || is_empty(*no))) return block({});
        return Stmt(StmtNode{If{n.condition, std::move(yes), std::move(no)}});
      },
      [&](const Prefetch&) { return block({}); });
}

Stmt initialised(const Stmt& s, std::set<TensorId> open) {
  if (const Loop* n = as<Loop>(s); n != nullptr && !n->reduces.empty()) {
    const TensorId tensor = n->reduces;
    Loop out = *n;
    out.reduces.clear();
    const bool is_outermost = open.insert(tensor).second;
    out.body = initialised(n->body, open);
    const Stmt loop(StmtNode{std::move(out)});
    return is_outermost ? block({identity_nest(s, tensor, ".init"), loop}) : loop;
  }
  if (const Store* n = as<Store>(s); n != nullptr && n->reducer && !open.contains(n->tensor))
    return Stmt(StmtNode{Store{n->tensor, n->indices, n->value, std::nullopt}});
  return map_children(
      s, [&](const Stmt& child) { return initialised(child, open); },
      [](const Expr& e) { return e; });
}

}  // namespace

Program initialise_reductions(const Program& program) {
  Program out = program;
  out.form = Form::Lowered;
  out.body = initialised(program.body, {});
  return out;
}

}  // namespace tessera
