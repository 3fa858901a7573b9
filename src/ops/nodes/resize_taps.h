#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::ops {

/// How one dimension of an image is resized, in the words of ONNX's Resize.
struct ResizeMethod {
  std::string mode = "nearest";                 // nearest, linear, cubic
  std::string coordinates = "half_pixel";       // the coordinate_transformation_mode
  std::string rounding = "round_prefer_floor";  // the nearest_mode
  double cubic_a = -0.75;
  bool excludes_outside = false;
  bool is_antialiased = false;
};

/// From `from` to `to` elements. `scale` is to / from unless it was given.
struct ResizedExtent {
  std::int64_t from = 1, to = 1;
  double scale = 1;
  double length = 1;                  // `to`; with its fraction when a scale was given
  double roi_start = 0, roi_end = 1;  // for tf_crop_and_resize
};

/// Where each element of a resized dimension comes from: element o is the sum over t of
/// weight[o * count + t] times the element at index[o * count + t].
struct ResizeTaps {
  std::size_t count = 1;  // per element
  std::vector<std::int64_t> index;
  std::vector<double> weight;
  std::vector<bool> is_outside;  // per element: the coordinate lies beyond the dimension

  /// Every element is the one at the same place.
  bool is_identity() const;
};

Result<ResizeTaps> resize_taps(const ResizeMethod& method, const ResizedExtent& extent);

}  // namespace tessera::ops
