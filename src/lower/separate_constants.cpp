#include "lower/separate_constants.h"

#include "ir/rewrite.h"

#include <algorithm>
#include <set>
#include <vector>

namespace tessera {
namespace {

/// The allocations around the body, outermost first, and the statements inside.
struct Opened {
  std::vector<Placed> allocations;
  std::vector<Stmt> stmts;
};

Opened opened(const Stmt& body) {
  Opened out;
  Stmt s = body;
  while (const Allocate* n = as<Allocate>(s)) {
    out.allocations.push_back(n->placed);
    s = n->body;
  }
  if (const Block* n = as<Block>(s))
    out.stmts = n->stmts;
  else
    out.stmts = {s};
  return out;
}

Stmt closed(const std::vector<Placed>& allocations, std::vector<Stmt> stmts) {
  Stmt body = block(std::move(stmts));
  for (auto a = allocations.rbegin(); a != allocations.rend(); ++a)
    body = Stmt(StmtNode{Allocate{*a, std::move(body)}});
  return body;
}

}  // namespace

Separated separate_constants(const Program& program) {
  std::set<TensorId> constants;
  for (const Param& param : program.params)
    if (param.role == Role::Constant) constants.insert(param.placed.tensor.name);
  for (const Table& table : program.tables) constants.insert(table.tensor.name);

  const Opened body = opened(program.body);
  std::set<TensorId> derived;
  std::vector<Stmt> early, late;
  for (const Stmt& s : body.stmts) {
    std::set<TensorId> known = constants;
    for (const TensorId& t : stored_in(s)) known.insert(t);
    const std::vector<Load> loads = loads_in(s);
    const bool is_constant =
        std::all_of(loads.begin(), loads.end(),
                    [&](const Load& l) { return known.contains(l.tensor); }) &&
        std::none_of(program.params.begin(), program.params.end(), [&](const Param& p) {
          return p.role == Role::Output && stored_in(s).contains(p.placed.tensor.name);
        });
    (is_constant ? early : late).push_back(s);
    if (!is_constant) continue;
    for (const TensorId& t : stored_in(s)) {
      constants.insert(t);
      derived.insert(t);
    }
  }
  if (early.empty()) return {.main = program, .prepare = std::nullopt};

  // A derived tensor that only the early part reads stays an allocation there.
  std::set<TensorId> read_late;
  for (const Stmt& s : late)
    for (const Load& l : loads_in(s)) read_late.insert(l.tensor);
  Program main = program, prepare = program;
  prepare.name += "_prepare";
  std::erase_if(prepare.params, [](const Param& p) { return p.role != Role::Constant; });
  std::vector<Placed> early_allocations, late_allocations;
  auto first_output = std::find_if(main.params.begin(), main.params.end(),
                                   [](const Param& p) { return p.role == Role::Output; });
  for (Placed placed : body.allocations) {
    const TensorId& name = placed.tensor.name;
    if (derived.contains(name)) placed.memory = Memory::Global;  // while it is being computed
    if (!derived.contains(name)) {
      late_allocations.push_back(placed);
    } else if (!read_late.contains(name)) {
      early_allocations.push_back(placed);
    } else {
      prepare.params.push_back({.role = Role::Output, .placed = placed});
      Placed constant = placed;
      constant.memory = Memory::Constant;
      first_output =
          main.params.insert(first_output, {.role = Role::Constant, .placed = constant}) + 1;
    }
  }
  main.body = closed(late_allocations, late);
  prepare.body = closed(early_allocations, early);
  return {.main = std::move(main), .prepare = std::move(prepare)};
}

}  // namespace tessera
