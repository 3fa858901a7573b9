#pragma once

#include "tensor/host_buffer.h"

#include <string>

namespace tessera {

/// How far two results may differ: |got - want| <= absolute + relative * |want|. Integers and
/// booleans must be equal; nan equals nan; infinities must agree in sign.
struct Tolerance {
  double absolute = 1e-5;
  double relative = 1e-4;
};

struct Comparison {
  bool equal = true;
  double max_error = 0;  // largest absolute difference
  double max_relative_error =
      0;  // the same in units of the largest finite |want|, if that is not 0
  std::int64_t worst_element = 0;
  /// `element 17: got 1.5, expected 2` for the worst element, empty when equal.
  std::string message;
};

/// Elements beyond the shorter buffer make it unequal.
Comparison compare(const HostBuffer& got, const HostBuffer& want, const Tolerance& tolerance);

}  // namespace tessera
