#include "base/text.h"
#include "ops/nodes/nodes.h"
#include "ops/shape.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

/// Operators that write elements at computed places, seen from the result: each of its elements
/// looks for the updates that hit it. When the places are known, the looking is done here.
namespace tessera::ops {
namespace {

struct ScatterReduction {
  std::string_view name;
  std::optional<Reducer> reducer;  // none: the last update wins
  std::string_view combine, reduce;
  double identity = 0;

  bool is_ordered() const { return reducer == Reducer::Max || reducer == Reducer::Min; }
};

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr ScatterReduction reductions[] = {
    {"none", std::nullopt, "", ""},
    {"add", Reducer::Sum, "Add", "ReduceSum", 0},
    {"mul", Reducer::Prod, "Mul", "ReduceProd", 1},
    {"max", Reducer::Max, "Max", "ReduceMax", -infinity},
    {"min", Reducer::Min, "Min", "ReduceMin", infinity},
};

Result<ScatterReduction> reduction_of(const NodeView& view) {
  const std::string name = view.text("reduction", "none");
  for (const ScatterReduction& reduction : reductions)
    if (reduction.name == name) return reduction;
  return Error{"reduction " + name + ", expected none, add, mul, max or min"};
}

/// Which updates hit which elements.
struct Hits {
  std::vector<Axis> places;   // the dimensions of the result that decide
  std::vector<Axis> updates;  // reduce axes over all updates
  Expr is_hit = boolean(false);
  Expr number = 0;  // of an update
  /// The element of the update of a given number that goes to a place.
  std::function<Expr(const Expr&)> update;
};

std::vector<Axis> joined(std::vector<Axis> a, const std::vector<Axis>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void scatter(Definition& d, const Hits& hits) {
  const auto reduction = reduction_of(d);
  if (!reduction) return d.refuse(reduction.error().message);
  const TensorId x = d.input(0);
  const std::vector<Axis> axes = spatial_axes(d.shape(0));
  const Expr before = d.b.read(x, indices_of(axes));
  if (reduction->reducer) {
    const Reducer reducer = *reduction->reducer;
    if (d.type(0).element == ElementType::UInt64 && reduction->is_ordered())
      return d.refuse("a reduction " + std::string(reduction->name) + " of uint64");
    const TensorId update =
        d.b.stage("update", joined(axes, hits.updates), reducer,
                  select(hits.is_hit, hits.update(hits.number), identity(reducer, d.b.dtype(x))));
    return d.output(
        d.b.stage(d.node().op, axes, combine(reducer, before, d.b.read(update, indices_of(axes)))));
  }
  const TensorId last = d.b.stage("last", joined(hits.places, hits.updates), Reducer::Max,
                                  select(hits.is_hit, hits.number, -1));
  const Expr winner = d.b.read(last, indices_of(hits.places));
  d.output(d.b.stage(d.node().op, axes, select(0 <= winner, hits.update(max(winner, 0)), before)));
}

Result<void> verify_dtypes(const NodeView& view) {
  const DType x = dtype_of(view.type(0).element), indices = dtype_of(view.type(1).element),
              updates = dtype_of(view.type(2).element);
  if (indices != DType::I64 && indices != DType::I32)
    return Error{"indices are " + std::string(to_text(view.type(1).element)) +
                 ", expected integers"};
  if (x != updates) return Error{dtypes_differ(x, updates)};
  return {};
}

void scatter_elements(Definition& d) {
  const Shape &shape = d.shape(0), &picks = d.shape(1);
  const auto dim = dimension(d.integer("axis", 0), shape.size());
  if (!dim) return d.refuse(dim.error().message);
  if (const auto sound = verify_dtypes(d); !sound) return d.refuse(sound.error().message);
  bool fits = shape.size() == picks.size() && d.shape(2) == picks;
  for (std::size_t n = 0; n < shape.size() && fits; ++n) fits = n == *dim || picks[n] <= shape[n];
  if (!fits)
    return d.refuse("indices of shape " + to_text(picks) + " and updates of shape " +
                    to_text(d.shape(2)) + " into " + to_text(shape));
  Hits hits;
  hits.places = spatial_axes(shape);
  hits.updates = {reduced("u", picks[*dim])};
  hits.number = axis("u");
  std::vector<Expr> at = indices_of(hits.places);
  const Expr place = at[*dim];
  Expr is_inside = boolean(true);
  for (std::size_t n = 0; n < shape.size(); ++n)
    if (n != *dim) is_inside = is_inside && at[n] < picks[n];
  at[*dim] = hits.number;
  const Expr index = wrapped_index(d.b.read(d.input(1), at), shape[*dim]);
  hits.is_hit = select(is_inside, tessera::binary(BinaryOp::Equal, index, place), boolean(false));
  hits.update = [&d, at, dim = *dim](const Expr& number) mutable {
    at[dim] = number;
    return d.b.read(d.input(2), at);
  };
  scatter(d, hits);
}

/// Refuses unless the indices name places in the leading dimensions and the updates are what
/// stands there.
Result<void> verify_nd(const NodeView& view) {
  const Shape &shape = view.shape(0), &picks = view.shape(1);
  const std::string shown = "indices of shape " + to_text(picks) + " and updates of shape " +
                            to_text(view.shape(2)) + " into " + to_text(shape);
  if (const auto sound = verify_dtypes(view); !sound) return sound;
  if (picks.empty() || picks.back() < 1 || picks.back() > static_cast<std::int64_t>(shape.size()))
    return Error{shown};
  Shape expected(picks.begin(), picks.end() - 1);
  expected.insert(expected.end(), shape.begin() + picks.back(), shape.end());
  if (view.shape(2) != expected) return Error{shown};
  return {};
}

/// With indices known only when the network runs.
void scatter_nd_unknown(Definition& d) {
  const Shape &shape = d.shape(0), &picks = d.shape(1);
  const std::vector<Axis> axes = spatial_axes(shape);
  const std::vector<Expr> at = indices_of(axes);
  Hits hits;
  hits.places.assign(axes.begin(), axes.begin() + picks.back());
  std::vector<Expr> update;
  for (std::size_t n = 0; n + 1 < picks.size(); ++n) {
    hits.updates.push_back(reduced("u" + std::to_string(n), picks[n]));
    update.push_back(axis(hits.updates.back().name));
    hits.number = hits.number * picks[n] + update.back();
  }
  hits.is_hit = boolean(true);
  for (std::int64_t n = 0; n < picks.back(); ++n) {
    std::vector<Expr> pick = update;
    pick.emplace_back(n);
    const auto dim = static_cast<std::size_t>(n);
    const Expr index = wrapped_index(d.b.read(d.input(1), std::move(pick)), shape[dim]);
    hits.is_hit = hits.is_hit && tessera::binary(BinaryOp::Equal, index, at[dim]);
  }
  const std::vector<Expr> rest(at.begin() + picks.back(), at.end());
  const Shape counts(picks.begin(), picks.end() - 1);
  hits.update = [&d, rest, counts](const Expr& number) {
    std::vector<Expr> element(counts.size(), 0);
    std::int64_t stride = 1;
    for (std::size_t n = counts.size(); n-- > 0; stride *= counts[n])
      element[n] = number / stride % counts[n];
    element.insert(element.end(), rest.begin(), rest.end());
    return d.b.read(d.input(2), std::move(element));
  };
  scatter(d, hits);
}

/// The updates that hit each row: a row is what one update writes.
using RowHits = std::vector<std::vector<std::int64_t>>;

RowHits hits_of(const Shape& shape, const Shape& picks, const HostBuffer& indices) {
  const auto leading = static_cast<std::size_t>(picks.back());
  RowHits rows(
      static_cast<std::size_t>(element_count({shape.begin(), shape.begin() + picks.back()})));
  for (std::int64_t u = 0; u < indices.element_count() / picks.back(); ++u) {
    std::int64_t row = 0;
    for (std::size_t n = 0; n < leading; ++n) {
      const std::int64_t index =
          indices.get_integer(u * picks.back() + static_cast<std::int64_t>(n));
      const std::int64_t wrapped = index < 0 ? index + shape[n] : index;
      row = row * shape[n] + std::clamp<std::int64_t>(wrapped, 0, shape[n] - 1);
    }
    rows[static_cast<std::size_t>(row)].push_back(u);
  }
  return rows;
}

/// `[rows, most]`: which update is the n-th that hits a row, and whether there is one.
struct RowTable {
  std::vector<std::int64_t> update, is_hit;
  std::int64_t rows = 0, most = 1;
};

RowTable table_of(const RowHits& hits, bool only_last) {
  RowTable table;
  table.rows = static_cast<std::int64_t>(hits.size());
  for (const auto& row : hits)
    if (!only_last) table.most = std::max(table.most, static_cast<std::int64_t>(row.size()));
  for (const auto& row : hits)
    for (std::int64_t n = 0; n < table.most; ++n) {
      const bool is_hit = n < static_cast<std::int64_t>(row.size());
      const std::size_t which = only_last ? row.size() - 1 : static_cast<std::size_t>(n);
      table.is_hit.push_back(is_hit ? 1 : 0);
      table.update.push_back(is_hit ? row[which] : 0);
    }
  return table;
}

/// Beyond so many rows the table of what hits each would be larger than the search for it.
constexpr std::int64_t most_rows = 1 << 20;

void scatter_nd(Expansion& e) {
  if (const auto sound = verify_nd(e); !sound) return e.refuse(sound.error().message);
  const auto reduction = reduction_of(e);
  if (!reduction) return e.refuse(reduction.error().message);
  const Constant* indices = e.view().constant(1);
  const std::int64_t rows =
      element_count({e.shape(0).begin(), e.shape(0).begin() + e.shape(1).back()});
  if (indices == nullptr || rows > most_rows) {
    e.output(e.add("ScatterND", {e.input(0), e.input(1), e.input(2)},
                   {{"reduction", std::string(reduction->name)}}));
    e.nodes.back().domain = own_domain;
    return;
  }
  if (e.type(0).element == ElementType::UInt64 && reduction->is_ordered())
    return e.refuse("a reduction " + std::string(reduction->name) + " of uint64");
  const Shape &shape = e.shape(0), &picks = e.shape(1);
  const bool only_last = !reduction->reducer;
  const RowTable table = table_of(hits_of(shape, picks, *indices->data), only_last);
  const std::int64_t length = element_count({shape.begin() + picks.back(), shape.end()});
  const ValueId x = e.add("Reshape", {e.input(0), e.integers({table.rows, length})});
  const ValueId updates = e.add("Reshape", {e.input(2), e.integers({-1, length})});
  const ValueId picked_updates =
      e.add("Gather", {updates, e.constant(constant_of(ElementType::Int64,
                                                       {table.rows * table.most}, table.update))});
  const ValueId is_hit =
      e.constant(constant_of(ElementType::Bool, {table.rows * table.most, 1}, table.is_hit));
  const ElementType element = e.type(0).element;
  ValueId y;
  if (only_last) {
    y = e.add("Where", {is_hit, picked_updates, x});
  } else {
    const ValueId identity = e.constant(element, {}, {reduction->identity});
    const ValueId each = e.add("Where", {is_hit, picked_updates, identity});
    const ValueId apart = e.add("Reshape", {each, e.integers({table.rows, table.most, length})});
    const ValueId all = e.add(reduction->reduce, {apart, e.integers({1})}, {{"keepdims", 0}});
    y = e.add(reduction->combine, {x, all});
  }
  e.output(e.add("Reshape", {y, e.integers(shape)}));
}

/// A cache [batch, .., time, ..] with an update written from a given time on in each batch.
void tensor_scatter(Definition& d) {
  const Shape &shape = d.shape(0), &update = d.shape(1);
  const auto time = dimension(d.integer("axis", -2), shape.size());
  if (!time) return d.refuse(time.error().message);
  Shape expected = shape;
  if (update.size() == shape.size()) expected[*time] = std::min(update[*time], shape[*time]);
  if (update != expected || *time == 0)
    return d.refuse("an update of shape " + to_text(update) + " for a cache of shape " +
                    to_text(shape) + " along dimension " + std::to_string(*time));
  if (d.type(0).element != d.type(1).element)
    return d.refuse("an update of " + to_text(d.type(1)) + " for a cache of " + to_text(d.type(0)));
  const std::vector<Axis> axes = spatial_axes(shape);
  const std::vector<Expr> at = indices_of(axes);
  const Expr first =
      d.has_elements(2) ? tessera::cast(DType::I64, d.b.read(d.input(2), {at[0]})) : Expr(0);
  Expr since = at[*time] - first;
  if (d.text("mode", "linear") == "circular") since = since % shape[*time];
  std::vector<Expr> from = at;
  from[*time] = since;
  d.output(d.b.stage(d.node().op, axes,
                     select(0 <= since && since < update[*time], d.b.read(d.input(1), from),
                            d.b.read(d.input(0), at))));
}

constexpr Op list[] = {
    {"", "Scatter", scatter_elements, 3},     {"", "ScatterElements", scatter_elements, 3},
    {"", "ScatterND", scatter_nd, 3},         {own_domain, "ScatterND", scatter_nd_unknown, 3},
    {"", "TensorScatter", tensor_scatter, 2},
};

}  // namespace

std::span<const Op> scatter_nodes() { return list; }

}  // namespace tessera::ops
