#include "backend/llvm/registers.h"

#include <map>
#include <optional>
#include <set>

namespace tessera::codegen {
namespace {

/// Walks the accesses of one tensor as they will be emitted: unrolled loops iteration by iteration.
class Survey {
 public:
  Survey(const Allocate& allocate, IndexSpace space)
      : tensor_(allocate.placed.tensor.name),
        space_(std::move(space)),
        outer_terms_(space_.term_count()) {}

  RegisterPlan plan(const Stmt& body) {
    walk(body);
    if (has_scalars_ && has_masks_) plan_.keeps_masked_lanes = true;
    return plan_;
  }

 private:
  struct Vector {
    int term = 0;
    std::int64_t lanes = 0;
    std::optional<Index> extent;  // absent when all lanes run
  };

  void walk(const Stmt& s) {
    visit_exprs_here(s);
    match(
        *s, [&](const Loop& n) { loop(n); },
        [&](const Block& n) {
          for (const Stmt& child : n.stmts) walk(child);
        },
        [&](const Store& n) {
          if (n.tensor == tensor_) access(n.indices.front());
        },
        [&](const Allocate& n) { walk(n.body); },
        [&](const If& n) {
          walk(n.yes);
          if (n.no) walk(*n.no);
        },
        [](const Prefetch&) {});
  }

  void visit_exprs_here(const Stmt& s) {
    const auto look = [&](const Expr& e) {
      if (const Load* load = as<Load>(e); load != nullptr && load->tensor == tensor_)
        access(load->indices.front());
    };
    if (const Loop* n = as<Loop>(s)) visit(n->extent, look);
    if (const If* n = as<If>(s)) visit(n->condition, look);
    if (const Store* n = as<Store>(s)) {
      visit(n->value, look);
      visit(n->indices.front(), look);
    }
  }

  void loop(const Loop& n) {
    const Index extent = space_.index(n.extent);
    const Range range = space_.range(extent);
    if (n.kind == LoopKind::Vector && n.lanes > 1 && runs_in_lockstep(n)) {
      const std::optional<Vector> outer = vector_;
      vector_ = Vector{space_.bind(n.axis, {0, n.lanes - 1}, 0, true), n.lanes, std::nullopt};
      if (range.low < n.lanes) vector_->extent = extent;
      walk(n.body);
      vector_ = outer;
    } else if (n.kind == LoopKind::Unroll || n.kind == LoopKind::Vector) {
      for (std::int64_t i = 0; i < range.high && range.high < Range::unknown; ++i) {
        space_.bind(n.axis, Index{.constant = i, .terms = {}});
        walk(n.body);
      }
    } else {
      const int parallel = n.kind == LoopKind::Parallel ? 1 : 0;
      space_.bind(n.axis, {0, range.high - 1}, 0, false);
      parallel_depth_ += parallel;
      walk(n.body);
      parallel_depth_ -= parallel;
    }
    space_.unbind(n.axis);
  }

  void access(const Expr& expr) {
    const Index offset = space_.index(expr);
    const std::int64_t stride = vector_ ? offset.coefficient(vector_->term) : 0;
    const std::size_t expected_terms = stride == 0 ? 0 : 1;
    // A parallel body is another function; values do not reach it.
    if (offset.terms.size() != expected_terms || parallel_depth_ > 0) {
      plan_.in_memory = true;
    } else if (stride == 0) {
      has_scalars_ = true;
    } else {
      vector_access(offset.constant, stride);
    }
  }

  void vector_access(std::int64_t offset, std::int64_t stride) {
    if (plan_.lanes == 1) plan_.lanes = vector_->lanes;
    if (stride != 1 || plan_.lanes != vector_->lanes || offset % vector_->lanes != 0) {
      plan_.in_memory = true;
      return;
    }
    has_masks_ = has_masks_ || vector_->extent.has_value();
    const auto [known, is_new] = extents_.emplace(offset, vector_->extent);
    if (!is_new && known->second != vector_->extent) plan_.keeps_masked_lanes = true;
    if (vector_->extent && changes_inside(*vector_->extent)) plan_.keeps_masked_lanes = true;
  }

  bool changes_inside(const Index& extent) const {
    for (const auto& [number, factor] : extent.terms) {
      const Term& term = space_.term(number);
      if (term.opaque || (term.axis && number >= outer_terms_)) return true;
      if (term.op && (changes_inside(term.a) || changes_inside(term.b))) return true;
    }
    return false;
  }

  const TensorId tensor_;
  IndexSpace space_;
  const int outer_terms_;  // terms below that number were bound outside the allocation
  RegisterPlan plan_;
  std::optional<Vector> vector_;
  int parallel_depth_ = 0;
  bool has_scalars_ = false;
  bool has_masks_ = false;
  std::map<std::int64_t, std::optional<Index>> extents_;  // of the accesses, by offset
};

}  // namespace

RegisterPlan plan_registers(const Allocate& allocate, IndexSpace space) {
  return Survey(allocate, std::move(space)).plan(allocate.body);
}

bool runs_in_lockstep(const Loop& loop) {
  bool lockstep = true;
  std::set<TensorId> privates;
  visit(loop.body, [&](const Stmt& s) {
    if (const Loop* inner = as<Loop>(s)) {
      const bool is_plain = inner->kind == LoopKind::Serial || inner->kind == LoopKind::Unroll;
      const bool is_even =
          !axes_in(inner->extent).contains(loop.axis) && loads_in(inner->extent).empty();
      lockstep = lockstep && is_plain && is_even;
    } else if (const Allocate* local = as<Allocate>(s)) {
      lockstep = lockstep && local->placed.memory == Memory::Register;
      privates.insert(local->placed.tensor.name);
    }
  });
  if (!lockstep || privates.empty()) return lockstep;
  const auto picks_by_lane = [&](const TensorId& tensor, const Expr& offset) {
    return privates.contains(tensor) && axes_in(offset).contains(loop.axis);
  };
  for (const Load& load : loads_in(loop.body))
    lockstep = lockstep && !picks_by_lane(load.tensor, load.indices.front());
  visit(loop.body, [&](const Stmt& s) {
    if (const Store* store = as<Store>(s))
      lockstep = lockstep && !picks_by_lane(store->tensor, store->indices.front());
  });
  return lockstep;
}

}  // namespace tessera::codegen
