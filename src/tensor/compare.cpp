#include "tensor/compare.h"

#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {
namespace {

/// Absolute difference; infinite when only one is nan or infinite, or when infinities differ in
/// sign.
double difference(double got, double want) {
  if (got == want || (std::isnan(got) && std::isnan(want))) return 0;
  const double d = std::abs(got - want);
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

/// Error in units of what is allowed: above 1 is too much.
double excess(double error, double want, const Tolerance& tolerance) {
  if (error == 0) return 0;
  const double allowed = std::isinf(want) || std::isnan(want)
                             ? 0
                             : tolerance.absolute + tolerance.relative * std::abs(want);
  return error / allowed;
}

std::string element_text(const HostBuffer& buffer, std::int64_t element) {
  return is_float(buffer.dtype()) ? number_text(buffer.get(element))
                                  : std::to_string(buffer.get_integer(element));
}

}  // namespace

Comparison compare(const HostBuffer& got, const HostBuffer& want, const Tolerance& tolerance) {
  const auto shape_text = [](const HostBuffer& b) {
    return std::to_string(b.element_count()) + " elements of " + std::string(to_text(b.dtype()));
  };
  if (got.dtype() != want.dtype() || got.element_count() != want.element_count())
    return {.equal = false, .message = "got " + shape_text(got) + ", expected " + shape_text(want)};

  Comparison result;
  double worst = 0, scale = 0;
  for (std::int64_t i = 0; i < want.element_count(); ++i) {
    const double error = difference(got.get(i), want.get(i));
    double score = excess(error, want.get(i), tolerance);
    // Beyond 2^53 neighbouring integers are one double, so integers are compared as such.
    if (!is_float(want.dtype()))
      score =
          got.get_integer(i) == want.get_integer(i) ? 0 : std::numeric_limits<double>::infinity();
    result.max_error = std::max(result.max_error, error);
    if (std::isfinite(want.get(i))) scale = std::max(scale, std::abs(want.get(i)));
    if (score > worst) {
      worst = score;
      result.worst_element = i;
    }
  }
  result.max_relative_error = scale > 0 ? result.max_error / scale : result.max_error;
  result.equal = worst <= 1;
  if (!result.equal)
    result.message = "element " + std::to_string(result.worst_element) + ": got " +
                     element_text(got, result.worst_element) + ", expected " +
                     element_text(want, result.worst_element);
  return result;
}

}  // namespace tessera
