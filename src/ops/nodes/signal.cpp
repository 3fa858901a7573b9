#include "base/text.h"
#include "ops/nodes/nodes.h"
#include "ops/shape.h"

#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace tessera::ops {
namespace {

using Values = Result<std::vector<Constant>>;

/// A sum of cosines of 0, 1, 2, .. turns over the window.
template <auto Coefficients>
Values window(const NodeView& view) {
  const auto size = view.integers(0, "size");
  if (!size) return size.error();
  const std::int64_t wanted = view.integer("output_datatype", 1);
  const std::optional<ElementType> element = element_type_of(wanted);
  if (size->size() != 1 || (*size)[0] < 1 || (*size)[0] > most_constant_elements || !element)
    return Error{"size " + to_text(*size) + " of element type " + std::to_string(wanted) +
                 ", expected one of 1 to 2^30 and a known type"};
  const std::int64_t count = (*size)[0];
  const auto period = static_cast<double>(view.integer("periodic", 1) != 0 ? count : count - 1);
  std::vector<double> values;
  for (std::int64_t n = 0; n < count; ++n) {
    const double turn = period == 0 ? 0 : 2 * std::numbers::pi * static_cast<double>(n) / period;
    double value = 0;
    for (std::size_t k = 0; k < Coefficients.size(); ++k)
      value += Coefficients[k] * std::cos(turn * static_cast<double>(k));
    values.push_back(value);
  }
  return std::vector{constant_of(*element, {count}, values)};
}

constexpr std::array hann = {0.5, -0.5};
constexpr std::array hamming = {25.0 / 46, -21.0 / 46};
constexpr std::array blackman = {0.42, -0.5, 0.08};

/// Triangles over the bins of a spectrum, evenly spaced on the mel scale 2595 log10(1 + f / 700).
Values mel_weight_matrix(const NodeView& view) {
  std::array<double, 5> given{};
  for (std::size_t n = 0; n < given.size(); ++n) {
    const auto value = view.reals(n, "parameters");
    if (!value) return value.error();
    if (value->size() != 1) return Error{"expected five scalars"};
    given[n] = (*value)[0];
  }
  const auto [bins, length, rate, lowest, highest] = given;
  const auto element = element_type_of(view.integer("output_datatype", 1));
  if (!element || !(bins >= 1 && bins <= 4096) || !(length >= 1 && length <= 1 << 20) ||
      !(rate > 0) || !(lowest <= highest) || !(lowest >= 0) || !(highest <= rate))
    return Error{
        "expected 1 to 4096 mel bins, a length of 1 to 2^20 and frequencies up to the "
        "sample rate"};
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const auto columns = static_cast<std::int64_t>(bins);
  const std::int64_t rows = static_cast<std::int64_t>(length) / 2 + 1;
  const double step = (mel(highest) - mel(lowest)) / (bins + 2);
  const auto edge = [&](std::int64_t n) {
    const double at = static_cast<double>(n) * step + mel(lowest);
    return static_cast<std::int64_t>(
        std::floor((length + 1) * 700 * (std::pow(10, at / 2595) - 1) / rate));
  };
  std::vector<double> values(static_cast<std::size_t>(rows * columns));
  const auto put = [&](std::int64_t row, std::int64_t column, double value) {
    if (row < rows) values[static_cast<std::size_t>(row * columns + column)] = value;
  };
  for (std::int64_t c = 0; c < columns; ++c) {
    const std::int64_t left = edge(c), middle = edge(c + 1), right = edge(c + 2);
    if (left == middle) put(middle, c, 1);
    for (std::int64_t r = left; r <= middle && left < middle; ++r)
      put(r, c, static_cast<double>(r - left) / static_cast<double>(middle - left));
    for (std::int64_t r = middle; r < right; ++r)
      put(r, c, static_cast<double>(right - r) / static_cast<double>(right - middle));
  }
  return std::vector{constant_of(*element, {rows, columns}, values)};
}

/// A discrete Fourier transform as one matrix. Complex numbers are pairs, so that a row is an
/// element and its part, and so is a column.
struct Transform {
  std::int64_t elements = 1;  // given
  std::int64_t parts = 1;     // of each: 1 when they are real
  std::int64_t length = 1;
  bool is_inverse = false;
  bool is_onesided = false;  // half of the spectrum of a real signal

  bool gives_real() const { return is_inverse && is_onesided; }
  std::int64_t results() const { return is_onesided && !is_inverse ? length / 2 + 1 : length; }
  std::int64_t result_parts() const { return gives_real() ? 1 : 2; }
  std::int64_t rows() const { return elements * parts; }
  std::int64_t columns() const { return results() * result_parts(); }
  /// What the element counts for: those of half a spectrum stand for their mirror images too.
  double share(std::int64_t n) const {
    if (n >= (gives_real() ? length / 2 + 1 : length)) return 0;
    const bool has_mirror = gives_real() && n != 0 && 2 * n != length;
    return (has_mirror ? 2.0 : 1.0) / (is_inverse ? static_cast<double>(length) : 1.0);
  }

  Constant matrix() const {
    std::vector<double> values;
    for (std::int64_t row = 0; row < rows(); ++row)
      for (std::int64_t column = 0; column < columns(); ++column) {
        const std::int64_t n = row / parts, k = column / result_parts();
        const double turn = static_cast<double>(n * k % length) / static_cast<double>(length);
        const double angle = (is_inverse ? 2 : -2) * std::numbers::pi * turn;
        const bool is_imaginary = row % parts == 1, to_imaginary = column % result_parts() == 1;
        const double factor = is_imaginary == to_imaginary ? std::cos(angle) : std::sin(angle);
        values.push_back(share(n) * (is_imaginary && !to_imaginary ? -factor : factor));
      }
    return constant_of(ElementType::Float, {rows(), columns()}, values);
  }
};

constexpr std::int64_t most_matrix_elements = std::int64_t{1} << 26;

Result<void> verify(const Transform& t) {
  if ((t.parts != 1 && t.parts != 2) || t.length < 1)
    return Error{"expected a last dimension of 1 or 2 and a positive length, got " +
                 std::to_string(t.parts) + " and " + std::to_string(t.length)};
  if (t.rows() > most_matrix_elements / t.columns())
    return Error{"a transform of length " + std::to_string(t.length) +
                 ", expected a matrix of at most 2^26 elements"};
  return {};
}

/// A known scalar, or a default when it is absent.
Result<std::int64_t> scalar(const NodeView& view, std::size_t n, std::string_view what,
                            std::int64_t otherwise) {
  if (!view.has_input(n)) return otherwise;
  const auto value = view.integers(n, what);
  if (!value) return value.error();
  if (value->size() != 1) return Error{"expected one " + std::string(what)};
  return (*value)[0];
}

void dft(Expansion& e) {
  Shape shape = e.shape(0);
  const auto named =
      e.version() < 20 ? Result<std::int64_t>(e.integer("axis", 1)) : scalar(e, 2, "axis", -2);
  if (!named) return e.refuse(named.error().message);
  const auto dim = dimension(*named, shape.size());
  if (!dim || *dim + 1 == shape.size())
    return e.refuse("axis " + std::to_string(*named) + " of shape " + to_text(shape) +
                    ", expected one before the last");
  Transform t{.elements = shape[*dim],
              .parts = shape.back(),
              .is_inverse = e.integer("inverse", 0) != 0,
              .is_onesided = e.integer("onesided", 0) != 0};
  const auto length =
      scalar(e, 1, "dft_length", t.gives_real() ? 2 * (t.elements - 1) : t.elements);
  if (!length) return e.refuse(length.error().message);
  t.length = *length;
  if (const auto sound = verify(t); !sound) return e.refuse(sound.error().message);

  std::vector<std::int64_t> order(shape.size());  // the transformed dimension next to the last
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[*dim], order[shape.size() - 2]);
  std::swap(shape[*dim], shape[shape.size() - 2]);
  Shape flat(shape.begin(), shape.end() - 1), result = shape;
  flat.back() = t.rows();
  result[shape.size() - 2] = t.results();
  result.back() = t.result_parts();
  const ValueId moved = e.add("Transpose", {e.input(0)}, {{"perm", order}});
  const ValueId rows = e.add("Reshape", {moved, e.integers(flat)});
  const ValueId product = e.add("MatMul", {rows, e.constant(t.matrix())});
  const ValueId pairs = e.add("Reshape", {product, e.integers(result)});
  e.output(e.add("Transpose", {pairs}, {{"perm", order}}));
}

/// Transforms of overlapping frames of a signal [batch, time, parts].
void stft(Expansion& e) {
  const Shape& shape = e.shape(0);
  if (shape.size() != 3) return e.refuse("shape " + to_text(shape) + ", expected three dimensions");
  const auto step = scalar(e, 1, "frame_step", 1);
  if (!step) return e.refuse(step.error().message);
  const bool has_window = e.has_elements(2);
  if (has_window && e.shape(2).size() != 1)
    return e.refuse("window of shape " + to_text(e.shape(2)) + ", expected one dimension");
  const auto length = scalar(e, 3, "frame_length", has_window ? e.shape(2)[0] : shape[1]);
  if (!length) return e.refuse(length.error().message);
  if (*step < 1 || *length < 1 || *length > shape[1] ||
      (has_window && e.shape(2) != Shape{*length}))
    return e.refuse("frames of " + std::to_string(*length) + " every " + std::to_string(*step) +
                    " of a signal of " + std::to_string(shape[1]));
  const Transform t{.elements = *length,
                    .parts = shape[2],
                    .length = *length,
                    .is_onesided = e.integer("onesided", 1) != 0 && shape[2] == 1};
  if (const auto sound = verify(t); !sound) return e.refuse(sound.error().message);
  const std::int64_t frames = (shape[1] - *length) / *step + 1;
  if (frames > most_matrix_elements / *length)
    return e.refuse(std::to_string(frames) + " frames of " + std::to_string(*length) +
                    ", expected at most 2^26 elements");
  std::vector<std::int64_t> places;
  for (std::int64_t n = 0; n < frames * *length; ++n)
    places.push_back(n / *length * *step + n % *length);
  ValueId x =
      e.add("Gather",
            {e.input(0), e.constant(constant_of(ElementType::Int64, {frames, *length}, places))},
            {{"axis", 1}});
  if (has_window) x = e.add("Mul", {x, e.add("Reshape", {e.input(2), e.integers({*length, 1})})});
  const ValueId rows = e.add("Reshape", {x, e.integers({shape[0], frames, t.rows()})});
  const ValueId product = e.add("MatMul", {rows, e.constant(t.matrix())});
  e.output(e.add("Reshape", {product, e.integers({shape[0], frames, t.results(), 2})}));
}

constexpr Op list[] = {
    {"", "HannWindow", window<hann>},
    {"", "HammingWindow", window<hamming>},
    {"", "BlackmanWindow", window<blackman>},
    {"", "MelWeightMatrix", mel_weight_matrix, 5},
    {"", "DFT", dft},
    {"", "STFT", stft, 2},
};

}  // namespace

std::span<const Op> signal_nodes() { return list; }

}  // namespace tessera::ops
