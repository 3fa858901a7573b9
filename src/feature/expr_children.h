#pragma once

#include "ir/expr.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace tessera::statement {

/// Calls `f` on each direct child of `e`, copying nothing.
template <typename F>
void for_each_child(const Expr& e, const F& f) {
  match(
      *e, [](const Integer&) {}, [](const Real&) {}, [](const AxisRef&) {},
      [&](const Unary& n) { f(n.a); },
      [&](const Binary& n) {
        f(n.a);
        f(n.b);
      },
      [&](const Select& n) {
        f(n.condition);
        f(n.yes);
        f(n.no);
      },
      [&](const Cast& n) { f(n.a); },
      [&](const Load& n) { std::for_each(n.indices.begin(), n.indices.end(), std::ref(f)); });
}

/// Calls `f` on each `T` in `e`, parents first.
template <typename T, typename F>
void for_each(const Expr& e, const F& f) {
  if (const T* found = as<T>(e)) f(*found);
  for_each_child(e, [&](const Expr& child) { for_each<T>(child, f); });
}

/// Whether `holds` is true of each `T` in `e`; looks no further than the first of which it is not.
template <typename T, typename P>
bool all_of(const Expr& e, const P& holds) {
  if (const T* found = as<T>(e); found != nullptr && !holds(*found)) return false;
  bool all = true;
  for_each_child(e, [&](const Expr& child) { all = all && all_of<T>(child, holds); });
  return all;
}

inline bool mentions_axis(const Expr& e, std::string_view axis) {
  return !all_of<AxisRef>(e, [&](const AxisRef& n) { return n.axis != axis; });
}

}  // namespace tessera::statement
