#pragma once

#include "base/text.h"
#include "ir/interpret.h"
#include "ops/builder.h"
#include "tensor/host_buffer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>
#include <vector>

namespace tessera {

/// Calls `f` with every index of `shape`, row-major.
inline void for_each_index(const Shape& shape, const std::function<void(const Shape&)>& f) {
  Shape index(shape.size(), 0);
  for (std::int64_t n = 0; n < element_count(shape); ++n) {
    std::int64_t rest = n;
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) index[d] = rest % shape[d];
    f(index);
  }
}

inline std::int64_t position(const Shape& shape, const Shape& index) {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) at = at * shape[d] + index[d];
  return at;
}

/// The computation of a builder, evaluated on random operands, some of which may be given.
class Evaluated {
 public:
  using Given = std::map<TensorId, std::vector<double>>;

  explicit Evaluated(const ComputationBuilder& builder, const Given& given = {}) {
    const Result<Computation> finished = builder.finish("test");
    if (!finished) throw std::runtime_error(finished.error().message);
    computation_ = *finished;
    Rng rng(7);
    for (const Operand& operand : computation_.operands) {
      HostBuffer& buffer =
          operands_.emplace_back(operand.tensor.dtype, element_count(operand.tensor.shape));
      fill_random(buffer, rng);
      const auto values = given.find(operand.tensor.name);
      for (std::int64_t n = 0; values != given.end() && n < buffer.element_count(); ++n)
        buffer.set(n, values->second.at(static_cast<std::size_t>(n)));
    }
    Result<std::vector<HostBuffer>> outputs = evaluate(computation_, operands_);
    if (!outputs) throw std::runtime_error(outputs.error().message);
    result_ = std::move(outputs->front());
  }

  const Computation& computation() const { return computation_; }
  Shape shape() const { return find_tensor(computation_, computation_.outputs.front())->shape; }

  /// One element of an operand.
  double operator()(const TensorId& operand, const Shape& index) const {
    for (std::size_t n = 0; n < operands_.size(); ++n) {
      const Tensor& tensor = computation_.operands[n].tensor;
      if (tensor.name == operand) return operands_[n].get(position(tensor.shape, index));
    }
    throw std::runtime_error("no operand " + operand);
  }

  double result(const Shape& index) const { return result_.get(position(shape(), index)); }

  void expect_each(const std::function<double(const Shape&)>& want, double tolerance = 1e-5) const {
    for_each_index(shape(), [&](const Shape& at) {
      const double expected = want(at);
      EXPECT_NEAR(result(at), expected, tolerance * (1 + std::abs(expected)))
          << "at " << to_text(at);
    });
  }

 private:
  Computation computation_;
  std::vector<HostBuffer> operands_;
  HostBuffer result_;
};

/// The message with which `finish` refuses.
inline std::string refusal(const ComputationBuilder& builder) {
  const Result<Computation> finished = builder.finish("test");
  return finished ? "not refused" : finished.error().message;
}

}  // namespace tessera
