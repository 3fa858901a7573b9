#include "support/random_step.h"

#include "ir/rewrite.h"
#include "schedule/tree.h"

#include <algorithm>
#include <span>

namespace tessera {
namespace {

/// What a step can name.
class Names {
 public:
  Names(const Program& program, Rng& rng) : program_(program), rng_(rng) {
    for (const Param& param : program.params) placed_.push_back(param.placed);
    visit(program.body, [&](const Stmt& s) {
      if (const Loop* loop = as<Loop>(s)) axes_.push_back(loop->axis);
      if (const Allocate* n = as<Allocate>(s)) placed_.push_back(n->placed);
    });
    for (const TensorId& tensor : stored_in(program.body)) stages_.push_back(tensor);
  }

  AxisId axis() { return pick(axes_, "no_axis"); }
  TensorId stage() { return pick(stages_, "no_stage"); }
  const Placed& placed() { return placed_[index(placed_.size())]; }

  /// Some of the loops that `axis` is perfectly nested around, in any order.
  std::vector<AxisId> loops_from(const AxisId& axis) {
    std::vector<AxisId> chain;
    for (const Loop* loop = find_loop(program_.body, axis); loop != nullptr;
         loop = as<Loop>(loop->body))
      if (chain.empty() || rng_.chance(0.7))
        chain.insert(chain.begin() + static_cast<std::ptrdiff_t>(index(chain.size() + 1)),
                     loop->axis);
    return chain;
  }

  std::vector<AxisId> reduce_loops(const TensorId& tensor) {
    std::vector<AxisId> found;
    visit(program_.body, [&](const Stmt& s) {
      const Loop* loop = as<Loop>(s);
      if (loop != nullptr && loop->reduces == tensor && rng_.chance(0.6))
        found.push_back(loop->axis);
    });
    return found;
  }

  AxisId inside(const AxisId& axis) {
    const Loop* loop = find_loop(program_.body, axis);
    const Loop* next = loop == nullptr ? nullptr : as<Loop>(loop->body);
    return next == nullptr ? this->axis() : next->axis;
  }

 private:
  std::size_t index(std::size_t count) {
    return static_cast<std::size_t>(rng_.below(static_cast<std::int64_t>(count)));
  }
  std::string pick(const std::vector<std::string>& names, const char* otherwise) {
    return names.empty() ? otherwise : names[index(names.size())];
  }

  const Program& program_;
  Rng& rng_;
  std::vector<AxisId> axes_;
  std::vector<TensorId> stages_;
  std::vector<Placed> placed_;
};

Memory random_memory(Rng& rng) {
  constexpr Memory memories[] = {Memory::Stack, Memory::Stack, Memory::Register, Memory::Global};
  return rng.pick<Memory>(memories);
}

std::vector<std::int64_t> random_factors(Rng& rng) {
  std::vector<std::int64_t> factors{rng.between(1, 8)};
  if (rng.chance(0.3)) factors.push_back(rng.between(1, 4));
  return factors;
}

Step random_cache_read(Names& names, Rng& rng) {
  const Placed& placed = names.placed();
  Layout layout = row_major(placed.tensor.shape.size());
  if (rng.chance(0.3)) std::reverse(layout.terms.begin(), layout.terms.end());
  return CacheRead{placed.tensor.name, names.axis(), random_memory(rng), layout};
}

Step random_factor(Names& names) {
  const TensorId tensor = names.stage();
  return Factor{tensor, names.reduce_loops(tensor)};
}

}  // namespace

Layout random_layout(const Shape& shape, Rng& rng) {
  Layout layout;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto dim = static_cast<std::int64_t>(d);
    const std::int64_t block = rng.chance(0.4) ? rng.between(2, 8) : 0;
    const auto insert = [&](LayoutTerm term) {
      if (rng.chance(0.2)) term.pad = rng.between(1, 3);
      const std::int64_t at = rng.below(static_cast<std::int64_t>(layout.terms.size()) + 1);
      layout.terms.insert(layout.terms.begin() + at, term);
    };
    if (block != 0) insert({.dim = dim, .divide = block});
    insert({.dim = dim, .modulo = block});
  }
  if (rng.chance(0.3))
    for (std::size_t d = 0; d < shape.size(); ++d)
      layout.halo.push_back({.before = rng.below(3), .after = rng.below(3)});
  return layout;
}

Step random_step(const Program& program, Rng& rng) {
  Names names(program, rng);
  switch (rng.below(std::variant_size_v<Step>)) {
    case 0:
      return ChooseAlgorithm{names.stage(), static_cast<Algorithm>(rng.below(3))};
    case 1: {
      const Placed& placed = names.placed();
      return ChooseLayout{placed.tensor.name, random_layout(placed.tensor.shape, rng)};
    }
    case 2:
      return Inline{names.stage()};
    case 3:
      return CacheWrite{names.stage()};
    case 4:
      return random_cache_read(names, rng);
    case 5:
      return Split{names.axis(), random_factors(rng)};
    case 6: {
      const AxisId outer = names.axis();
      return Fuse{outer, names.inside(outer)};
    }
    case 7:
      return Reorder{names.loops_from(names.axis())};
    case 8:
      return ComputeAt{names.stage(), names.axis(), random_memory(rng)};
    case 9:
      return random_factor(names);
    case 10:
      return Vectorize{names.axis()};
    case 11:
      return Unroll{names.axis()};
    case 12:
      return Jam{names.axis(), rng.between(1, 6)};
    case 13:
      return Parallel{names.axis()};
    default:
      return PrefetchAhead{names.placed().tensor.name, names.axis(), rng.between(1, 8)};
  }
}

}  // namespace tessera
