#include "ir/rewrite.h"
#include "schedule/step.h"
#include "schedule/tree.h"

#include <algorithm>
#include <set>

namespace tessera {
namespace {

std::string named(const std::vector<AxisId>& axes) {
  std::string text;
  for (const AxisId& axis : axes) text += " " + axis;
  return text;
}

/// The perfectly nested loops from the first to the last of `axes`, or nothing.
std::vector<Loop> chain_of(const Program& program, const std::vector<AxisId>& axes) {
  for (const AxisId& first : axes) {
    std::set<AxisId> left(axes.begin(), axes.end());
    std::vector<Loop> chain;
    for (const Loop* loop = find_loop(program.body, first); loop != nullptr;
         loop = as<Loop>(loop->body)) {
      chain.push_back(*loop);
      left.erase(loop->axis);
      if (left.empty()) return chain;
    }
  }
  return {};
}

}  // namespace

Result<Program> apply(const Reorder& step, const Program& program) {
  const std::string subject = "reorder" + named(step.axes) + ": ";
  if (step.axes.size() < 2) return Error{subject + "needs two axes or more"};
  for (const AxisId& axis : step.axes)
    if (find_loop(program.body, axis) == nullptr) return Error{subject + "no axis " + axis};
  const std::set<AxisId> distinct(step.axes.begin(), step.axes.end());
  if (distinct.size() != step.axes.size()) return Error{subject + "an axis is named twice"};
  std::vector<Loop> chain = chain_of(program, step.axes);
  if (chain.empty()) return Error{subject + "the loops are not perfectly nested"};

  const AxisId first = chain.front().axis;
  const Stmt body = chain.back().body;
  const std::vector<Loop> before = chain;
  auto next = step.axes.begin();
  for (Loop& place : chain) {
    if (!distinct.contains(place.axis)) continue;
    place =
        *std::find_if(before.begin(), before.end(), [&](const Loop& l) { return l.axis == *next; });
    ++next;
  }
  for (std::size_t n = 0; n < chain.size(); ++n)
    for (std::size_t later = n + 1; later < chain.size(); ++later)
      if (axes_in(chain[n].extent).contains(chain[later].axis))
        return Error{subject + "the extent of " + chain[n].axis + " depends on " +
                     chain[later].axis};
  return with_loop(program, first, build(chain, body));
}

Result<Program> apply(const Jam& step, const Program& program) {
  Result<Program> split = apply(Split{step.axis, {step.factor}}, program);
  if (!split) return Error{"jam: " + split.error().message};
  const AxisId inner = step.axis + ".1";
  std::vector<AxisId> order;
  for (const Loop* loop = find_loop(split->body, inner); loop != nullptr;
       loop = as<Loop>(loop->body))
    order.push_back(loop->axis);
  if (order.size() > 1) {
    std::rotate(order.begin(), order.begin() + 1, order.end());
    split = apply(Reorder{order}, *split);
    if (!split) return Error{"jam: " + split.error().message};
  }
  split = apply(Unroll{inner}, *split);
  return split ? split : Error{"jam: " + split.error().message};
}

}  // namespace tessera
