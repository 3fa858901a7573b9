#include "feature/task_features.h"

#include "feature/expr_children.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace tessera::statement {
namespace {

enum class Tag : std::uint8_t {
  Max,
  Min,
  Add,
  Conv,
  Winograd,
  Depthwise,
  Dense,
  Softmax,
  BatchMatmul
};

bool reads_along(const Load& read, std::string_view axis) {
  return std::any_of(read.indices.begin(), read.indices.end(),
                     [&](const Expr& index) { return mentions_axis(index, axis); });
}

/// Whether `axis` stands in an index beside a spatial axis that the other factor does not have:
/// `y + r` is a window, but `o / 4 * 8 + c` a channel of a group.
bool slides(const Stage& stage, std::string_view axis, const Load& read, const Load& other) {
  return std::any_of(read.indices.begin(), read.indices.end(), [&](const Expr& index) {
    return mentions_axis(index, axis) &&
           std::any_of(stage.axes.begin(), stage.axes.end(), [&](const Axis& a) {
             return a.kind == AxisKind::Spatial && mentions_axis(index, a.name) &&
                    !reads_along(other, a.name);
           });
  });
}

/// The read of a factor, which may be padded.
const Load* factor_of(const Expr& e) {
  const Select* padded = as<Select>(e);
  return as<Load>(padded != nullptr ? padded->yes : e);
}

/// What kind of product a stage sums up, if it does.
std::optional<Tag> product_of(const Stage& stage) {
  const Binary* product = as<Binary>(stage.value);
  if (stage.reducer != Reducer::Sum || product == nullptr || product->op != BinaryOp::Mul)
    return std::nullopt;
  const Load* a = factor_of(product->a);
  const Load* b = factor_of(product->b);
  if (a == nullptr || b == nullptr) return std::nullopt;
  bool has_window = false, sums_channels = false, has_batch = false;
  for (const Axis& axis : stage.axes) {
    const bool in_both = reads_along(*a, axis.name) && reads_along(*b, axis.name);
    if (axis.kind == AxisKind::Spatial) {
      has_batch = has_batch || (in_both && axis.extent > 1);
      continue;
    }
    const bool is_window = slides(stage, axis.name, *a, *b) || slides(stage, axis.name, *b, *a);
    has_window = has_window || is_window;
    sums_channels = sums_channels || !is_window;
  }
  if (has_window) return has_batch && !sums_channels ? Tag::Depthwise : Tag::Conv;
  if (has_batch) return Tag::BatchMatmul;
  return stage.tensor.shape.size() == 4 ? Tag::Conv : Tag::Dense;
}

/// Tags that were found.
class Tags {
 public:
  void set(Tag tag, bool is_there = true) {
    if (is_there) found_[static_cast<std::size_t>(tag)] = 1;
  }
  void clear(Tag tag) { found_[static_cast<std::size_t>(tag)] = 0; }
  const std::array<float, task_width>& values() const { return found_; }

 private:
  std::array<float, task_width> found_ = {};
};

}  // namespace

std::array<float, task_width> task_features(const Task& task, const Program& program) {
  Tags tags;
  bool has_exp = false, sums = false, finds_max = false;
  for (const Stage& stage : task.computation.stages) {
    for_each<Binary>(stage.value, [&](const Binary& n) {
      if (!is_float(n.a.dtype())) return;
      tags.set(Tag::Max, n.op == BinaryOp::Max);
      tags.set(Tag::Min, n.op == BinaryOp::Min);
      tags.set(Tag::Add, n.op == BinaryOp::Add && !stage.reducer);
    });
    for_each<Unary>(stage.value,
                    [&](const Unary& n) { has_exp = has_exp || n.op == UnaryOp::Exp; });
    sums = sums || stage.reducer == Reducer::Sum;
    finds_max = finds_max || stage.reducer == Reducer::Max;
    tags.set(Tag::Min, stage.reducer == Reducer::Min);
    if (const std::optional<Tag> product = product_of(stage)) tags.set(*product);
  }
  tags.set(Tag::Max, finds_max);
  tags.set(Tag::Softmax, has_exp && sums && finds_max);
  // The transforms of Winograd bring a table.
  if (program.tables.size() > task.computation.tables.size()) {
    tags.set(Tag::Winograd);
    tags.clear(Tag::Conv);
  }
  return tags.values();
}

}  // namespace tessera::statement
