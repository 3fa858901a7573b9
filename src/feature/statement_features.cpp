#include "feature/statement_features.h"

#include "base/check.h"
#include "feature/expr_children.h"
#include "feature/statement_row.h"
#include "feature/task_features.h"

namespace tessera {
namespace {

using namespace statement;

template <typename F>
void for_each_store(const Stmt& s, const F& f) {
  match(
      *s, [&](const Loop& n) { for_each_store(n.body, f); },
      [&](const Block& n) {
        for (const Stmt& child : n.stmts) for_each_store(child, f);
      },
      [&](const Store& n) { f(n); }, [&](const Allocate& n) { for_each_store(n.body, f); },
      [&](const If& n) {
        for_each_store(n.yes, f);
        if (n.no) for_each_store(*n.no, f);
      },
      [](const Prefetch&) {});
}

/// Goes through a program and appends a row for each store.
class Statements {
 public:
  Statements(const Task& task, const Program& program, Rows& rows)
      : tensors_(program), task_(task_features(task, program)), rows_(rows) {
    visit_root(program.body);
  }

 private:
  void visit_root(const Stmt& s);
  bool is_done_early(const Stmt& nest) const;
  void visit(const Stmt& s);
  void visit(const Loop& loop);
  void visit(const Store& store);

  UsedTensors tensors_;
  OpenLoops loops_;
  std::array<float, task_width> task_;
  Rows& rows_;
};

/// The nests that stand in the allocations and the block around all.
void Statements::visit_root(const Stmt& s) {
  if (const Allocate* n = as<Allocate>(s)) {
    tensors_.allocate(n->placed, 0);
    return visit_root(n->body);
  }
  if (const Block* n = as<Block>(s)) {
    for (const Stmt& nest : n->stmts) visit_root(nest);
    return;
  }
  if (is_done_early(s))
    for_each_store(s, [&](const Store& n) { tensors_.mark_constant(n.tensor); });
  else
    visit(s);
}

/// Whether a nest reads only constants, and what it allocates itself.
bool Statements::is_done_early(const Stmt& nest) const {
  const auto is_known = [&](const Load& read) {
    const UsedTensor* tensor = tensors_.find(read.tensor);
    return tensor == nullptr || tensor->is_constant;
  };
  bool is_early = true;
  for_each_store(nest, [&](const Store& store) {
    if (!is_early) return;
    const UsedTensor* stored = tensors_.find(store.tensor);
    is_early = (stored == nullptr || !stored->is_output) && all_of<Load>(store.value, is_known);
  });
  return is_early;
}

void Statements::visit(const Stmt& s) {
  match(
      *s, [&](const Loop& n) { visit(n); },
      [&](const Block& n) {
        for (const Stmt& child : n.stmts) visit(child);
      },
      [&](const Store& n) { visit(n); },
      [&](const Allocate& n) {
        tensors_.allocate(n.placed, loops_.depth());
        visit(n.body);
      },
      [&](const If& n) {
        visit(n.yes);
        if (n.no) visit(*n.no);
      },
      [](const Prefetch&) {});
}

void Statements::visit(const Loop& loop) {
  const std::optional<Range> extent = loops_.range_from(0, loop.extent);
  check(extent.has_value(), "a bounded extent");
  if (extent->max <= 1) return visit(loop.body);
  loops_.enter(loop, extent->max);
  visit(loop.body);
  loops_.leave();
}

void Statements::visit(const Store& store) {
  const std::vector<TensorUse> uses = uses_of(store, tensors_, loops_);
  for (std::size_t level = 0; level < loops_.depth(); ++level)
    for (const TensorUse& use : uses)
      loops_[level].touches.push_back({.tensor = use.tensor,
                                       .kind = use.kind,
                                       .elements = use.elements[level + 1],
                                       .bytes = use.bytes_from(level + 1)});
  append_row(store, tensors_, loops_, uses, rows_.values);
  rows_.values.insert(rows_.values.end(), task_.begin(), task_.end());
}

}  // namespace

void append_statements(const Task& task, const Program& program, Rows& rows) {
  check(rows.width == statement_width, "rows as wide as statements");
  check(program.form == Form::Scheduled, "a scheduled program");
  Statements(task, program, rows);
  check(rows.values.size() % statement_width == 0, "whole rows");
  rows.starts.push_back(rows.values.size() / statement_width);
}

}  // namespace tessera
