#include "base/text.h"
#include "ops/nodes/nodes.h"
#include "ops/shape.h"

#include <algorithm>

/// TfIdfVectorizer: how often each of some known sequences of integers stands in a row.
namespace tessera::ops {
namespace {

/// Sequences of one length, one after another, and the output that each counts for.
struct Grams {
  std::int64_t length = 1;
  std::vector<double> elements;
  std::vector<std::int64_t> outputs;

  std::int64_t count() const { return static_cast<std::int64_t>(outputs.size()); }
};

Result<std::vector<Grams>> grams_of(const NodeView& view) {
  const auto pool = view.integers("pool_int64s"), starts = view.integers("ngram_counts"),
             outputs = view.integers("ngram_indexes");
  if (view.has_attribute("pool_strings")) return Error{"a pool of strings, expected integers"};
  std::vector<Grams> all;
  std::size_t number = 0;
  for (std::size_t n = 0; n < starts.size(); ++n) {
    Grams& grams = all.emplace_back();
    grams.length = static_cast<std::int64_t>(n) + 1;
    const auto size = static_cast<std::int64_t>(pool.size());
    const std::int64_t end = n + 1 < starts.size() ? starts[n + 1] : size;
    if (starts[n] < 0 || end < starts[n] || end > size || (end - starts[n]) % grams.length != 0)
      return Error{"ngram_counts " + to_text(starts) + " do not divide a pool of " +
                   std::to_string(size)};
    grams.elements.assign(pool.begin() + starts[n], pool.begin() + end);
    for (std::int64_t g = 0; g < (end - starts[n]) / grams.length; ++g, ++number) {
      if (number >= outputs.size() || outputs[number] < 0 || outputs[number] >= max_elements)
        return Error{"ngram_indexes " + to_text(outputs) + ", expected one for each sequence"};
      grams.outputs.push_back(outputs[number]);
    }
  }
  return all;
}

/// Rows of integers: [columns], or [rows, columns].
struct Rows {
  TensorId x;
  bool has_rows = false;
  std::int64_t columns = 1;

  Expr at(const ComputationBuilder& b, const Expr& column) const {
    const Expr value = has_rows ? b.read(x, {axis("n"), column}) : b.read(x, {column});
    return tessera::cast(DType::I64, value);
  }
};

/// How often each sequence stands in each row with `skip` - 1 elements between its own, [n, g].
TensorId counted(Definition& d, const Rows& rows, std::vector<Axis> axes, const Grams& grams,
                 std::int64_t skip) {
  const TensorId table =
      d.b.table("pool", {grams.count(), grams.length}, grams.elements, DType::I64);
  axes.push_back(spatial("g", grams.count()));
  axes.push_back(reduced("p", rows.columns - (grams.length - 1) * skip));
  Expr is_found = boolean(true);
  for (std::int64_t n = 0; n < grams.length; ++n)
    is_found = is_found && tessera::binary(BinaryOp::Equal, rows.at(d.b, axis("p") + n * skip),
                                           d.b.read(table, {axis("g"), n}));
  return d.b.stage("counted", axes, Reducer::Sum, select(is_found, real(1), real(0)));
}

/// The counts of each sequence at the output that it has.
Expr at_outputs(Definition& d, const TensorId& counts, const Grams& grams, std::int64_t width,
                const std::vector<Axis>& batch) {
  std::vector<double> places(static_cast<std::size_t>(width), -1);
  for (std::size_t g = 0; g < grams.outputs.size(); ++g)
    places[static_cast<std::size_t>(grams.outputs[g])] = static_cast<double>(g);
  const TensorId table = d.b.table("place", {width}, std::move(places), DType::I64);
  const Expr place = d.b.read(table, {axis("k")});
  std::vector<Expr> element = indices_of(batch);
  element.push_back(max(place, 0));
  return select(0 <= place, d.b.read(counts, std::move(element)), real(0));
}

/// TF: the count; IDF: a weight where there is a count; TFIDF: the weighted count.
Result<Expr> valued(Definition& d, const Expr& count, std::int64_t width) {
  const std::string mode = d.text("mode", "TF");
  if (mode == "TF") return count;
  std::vector<double> weights = d.reals("weights");
  if (weights.empty()) weights.assign(static_cast<std::size_t>(width), 1);
  if (static_cast<std::int64_t>(weights.size()) != width || (mode != "IDF" && mode != "TFIDF"))
    return Error{"mode " + mode + " with " + std::to_string(weights.size()) +
                 " weights, expected TF, IDF or TFIDF and " + std::to_string(width)};
  const Expr weight = d.b.read(d.b.table("weights", {width}, std::move(weights)), {axis("k")});
  return mode == "TFIDF" ? count * weight : select(real(0) < count, weight, real(0));
}

void tf_idf_vectorizer(Definition& d) {
  const Shape& shape = d.shape(0);
  const auto grams = grams_of(d);
  if (!grams) return d.refuse(grams.error().message);
  if (shape.empty() || shape.size() > 2 || is_float(dtype_of(d.type(0).element)))
    return d.refuse("shape " + to_text(shape) + ", expected one or two dimensions of integers");
  const Rows rows{d.input(0), shape.size() == 2, shape.back()};
  std::vector<Axis> axes;
  if (rows.has_rows) axes.push_back(spatial("n", shape[0]));
  std::int64_t width = 0;
  for (const std::int64_t output : d.integers("ngram_indexes")) width = std::max(width, output + 1);
  Expr sum = real(0);
  for (const Grams& group : *grams) {
    if (group.length < d.integer("min_gram_length", 1) ||
        group.length > d.integer("max_gram_length", 1) || group.count() == 0)
      continue;
    // a single element has none between its own, so that it counts once
    const std::int64_t skips = group.length == 1 ? 1 : d.integer("max_skip_count", 0) + 1;
    for (std::int64_t skip = 1; skip <= skips; ++skip)
      if ((group.length - 1) * skip < rows.columns)
        sum = sum + at_outputs(d, counted(d, rows, axes, group, skip), group, width, axes);
  }
  const auto value = valued(d, sum, width);
  if (!value) return d.refuse(value.error().message);
  axes.push_back(spatial("k", width));
  d.output(d.b.stage(d.node().op, axes, *value), ElementType::Float);
}

constexpr Op list[] = {
    {"", "TfIdfVectorizer", tf_idf_vectorizer},
};

}  // namespace

std::span<const Op> ngram_nodes() { return list; }

}  // namespace tessera::ops
