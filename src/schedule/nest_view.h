#pragma once

#include "ir/bounds.h"
#include "ir/program.h"

#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// What the rules need to know of a plain nest.
struct ViewAxis {
  AxisId id;
  std::int64_t extent = 1;
  bool is_reduce = false;
};

/// How a nest touches a tensor: per dimension an affine form of its axes.
struct Access {
  Placed placed;
  bool is_constant = false;
  bool is_padded = false;  // read as select(inside, .., 0.0)
  std::vector<Affine> dims;

  /// Whether an axis occurs in some dimension, also inside `/` and `%`.
  bool depends_on(const AxisId& axis) const;
  /// Dimension whose index is `axis` plus terms without it, coefficient 1; nothing otherwise.
  std::optional<std::size_t> dim_of(const AxisId& axis) const;
  /// `g` when `axis` occurs only as `axis / g`: aligned runs of g iterations touch the same
  /// elements.
  std::optional<std::int64_t> block_of(const AxisId& axis) const;
  /// Distance in elements of neighbours along `axis` in memory; nothing when not linear, as along
  /// blocked channels.
  std::optional<std::int64_t> stride_of(const AxisId& axis) const;
};

struct NestView {
  TensorId tensor;
  std::vector<ViewAxis> axes;  // in loop order
  std::vector<Access> reads;   // one per tensor and distinct index
  Access write;
  bool has_reducer = false;
  double operations = 0;  // arithmetic per innermost point
  bool is_heavy = false;  // exp and its like

  const ViewAxis& axis(const AxisId& id) const;
  std::vector<ViewAxis> spatial() const;
  std::vector<ViewAxis> reduce() const;
  double points() const;
};

std::optional<NestView> view_of(const Program& program, const TensorId& tensor);

}  // namespace tessera
