#include "backend/llvm/expect_agreement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace tessera {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

/// `expression` of X[..] and Y[..], written X and Y, on vectors, then once more on scalars.
std::string elementwise(const std::string& expression, std::size_t count) {
  const auto at = [&](const std::string& index) {
    std::string out;
    for (const char c : expression)
      out += c == 'X' ? "X[" + index + "]" : c == 'Y' ? "Y[" + index + "]" : std::string(1, c);
    return out;
  };
  const std::string n = std::to_string(count), head = "f32[" + n + "] layout [0]\n";
  return "program math lowered\ninput X " + head + "input Y " + head + "output V " + head +
         "output S " + head + "body\nfor i in " + std::to_string((count + 7) / 8) +
         " {\nfor v in min(8, " + n + " - i * 8) vector 8 {\nV[i * 8 + v] = " + at("i * 8 + v") +
         "\n}\n}\nfor i in " + n + " {\nS[i] = " + at("i") + "\n}\n";
}

using Points = std::vector<std::pair<double, double>>;

/// Within `absolute` plus `relative` of the exact value, on every target that runs here.
void expect_close(const std::string& expression, const Points& points,
                  const std::function<double(double, double)>& exact, double absolute,
                  double relative) {
  const Program program = parsed(elementwise(expression, points.size()));
  std::vector<HostBuffer> buffers = arguments_of(program);
  for (std::size_t i = 0; i < points.size(); ++i) {
    buffers[0].as<float>()[i] = static_cast<float>(points[i].first);
    buffers[1].as<float>()[i] = static_cast<float>(points[i].second);
  }
  HostBuffer want(DType::F32, static_cast<std::int64_t>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i)
    want.as<float>()[i] = static_cast<float>(exact(static_cast<double>(buffers[0].as<float>()[i]),
                                                   static_cast<double>(buffers[1].as<float>()[i])));
  const std::unique_ptr<Backend> backend = llvm_backend();
  for (const Target& target : presets()) {
    if (!backend->runs_here(target)) continue;
    Result<std::unique_ptr<Kernel>> kernel = backend->compile(program, target);
    ASSERT_TRUE(kernel) << kernel.error().message;
    run_fenced(**kernel, buffers);
    for (const std::size_t output : {2, 3}) {
      const Comparison comparison = compare(buffers[output], want, {absolute, relative});
      EXPECT_TRUE(comparison.equal)
          << target.name << " " << expression << " of "
          << points[static_cast<std::size_t>(comparison.worst_element)].first << ": "
          << comparison.message;
    }
  }
}

Points between(double low, double high, int count = 20011) {
  Points points;
  for (int i = 0; i < count; ++i) points.emplace_back(low + (high - low) * i / (count - 1), 0);
  return points;
}

auto of_x(double (*f)(double)) {
  return [f](double x, double) { return f(x); };
}

const Points specials = {{0, 0}, {-0.0, 0}, {infinity, 0}, {-infinity, 0}, {nan, 0}};

TEST(Math, Exp) {
  expect_close("exp(X)", between(-86.9, 88.7), of_x(std::exp), 0, 3e-7);
  expect_close("exp(X)", between(-1, 1), of_x(std::exp), 0, 3e-7);
  expect_close("exp(X)", between(-200, -86.9), of_x(std::exp), 2e-38, 1e-6);
  expect_close("exp(X)", between(89, 200), of_x(std::exp), 0, 0);
  expect_close("exp(X)", specials, of_x(std::exp), 0, 0);
}

TEST(Math, Log) {
  expect_close("log(X)", between(1e-6, 10), of_x(std::log), 1e-7, 3e-7);
  expect_close("log(X)", between(10, 1e30), of_x(std::log), 0, 3e-7);
  expect_close("log(X)", between(1e-45, 1e-37), of_x(std::log), 0, 3e-7);
  expect_close("log(X)", specials, of_x(std::log), 0, 0);
  expect_close("log(X)", {{-1, 0}, {1, 0}}, of_x(std::log), 0, 0);
}

TEST(Math, Erf) {
  expect_close("erf(X)", between(-5, 5), of_x(std::erf), 5e-7, 0);
  expect_close("erf(X)", specials, of_x(std::erf), 0, 0);
}

TEST(Math, Tanh) {
  expect_close("tanh(X)", between(-10, 10), of_x(std::tanh), 5e-7, 0);
  expect_close("tanh(X)", specials, of_x(std::tanh), 1e-7, 0);
}

TEST(Math, Sigmoid) {
  const auto exact = [](double x, double) { return 1 / (1 + std::exp(-x)); };
  expect_close("sigmoid(X)", between(-100, 100), exact, 3e-7, 0);
  expect_close("sigmoid(X)", specials, exact, 2e-38, 1e-7);
}

TEST(Math, SinAndCos) {
  for (const double reach : {4.0, 100.0, 1e4}) {
    expect_close("sin(X)", between(-reach, reach), of_x(std::sin), 3e-7, 0);
    expect_close("cos(X)", between(-reach, reach), of_x(std::cos), 3e-7, 0);
  }
  expect_close("sin(X)", specials, of_x(std::sin), 0, 0);
  expect_close("cos(X)", specials, of_x(std::cos), 0, 0);
}

TEST(Math, Pow) {
  const auto exact = [](double x, double y) { return std::pow(x, y); };
  Points points;
  for (double x = 0.03; x < 20; x *= 1.1)
    for (double y = -6; y <= 6; y += 0.25) points.emplace_back(x, y);
  for (double x = -9; x <= 9; x += 1.5)
    for (int y = -5; y <= 5; ++y) points.emplace_back(x, y);
  expect_close("pow(X, Y)", points, exact, 1e-30, 1e-5);
  expect_close("pow(X, Y)",
               {{-2, 0.5},
                {0, 0},
                {nan, 0},
                {1, nan},
                {0, 2},
                {0, -2},
                {-0.0, 3},
                {-0.0, -3},
                {infinity, 2},
                {infinity, -2},
                {-infinity, 3}},
               exact, 0, 0);
  expect_close("pow(X, 2.0)", between(-5, 5), [](double x, double) { return x * x; }, 0, 1e-7);
  expect_close("pow(X, 0.5)", between(0, 5), of_x(std::sqrt), 0, 1e-6);
}

TEST(Math, RootsAndRounding) {
  expect_close("sqrt(X)", between(0, 100), of_x(std::sqrt), 0, 1e-7);
  expect_close(
      "rsqrt(X)", between(0.01, 100), [](double x, double) { return 1 / std::sqrt(x); }, 0, 3e-7);
  expect_close("floor(X)", between(-10, 10, 81), of_x(std::floor), 0, 0);
  expect_close("ceil(X)", between(-10, 10, 81), of_x(std::ceil), 0, 0);
  expect_close("round(X)", between(-10, 10, 81), of_x(std::nearbyint), 0, 0);
  expect_close("abs(X)", between(-10, 10, 81), of_x(std::fabs), 0, 0);
}

TEST(Math, MaxOfNanAndAConstantIsNan) {
  expect_close(
      "max(X, 0.0)", specials, [](double x, double) { return std::isnan(x) ? x : std::fmax(x, 0); },
      0, 0);
  expect_close(
      "min(1.0, X)", specials, [](double x, double) { return std::isnan(x) ? x : std::fmin(x, 1); },
      0, 0);
}

}  // namespace
}  // namespace tessera
