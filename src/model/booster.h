#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Rows of numbers as XGBoost holds them; NaN stands for nothing.
class BoosterRows {
 public:
  BoosterRows(std::span<const float> values, std::size_t rows);
  ~BoosterRows();
  BoosterRows(const BoosterRows&) = delete;
  BoosterRows& operator=(const BoosterRows&) = delete;

  void set_labels(std::span<const float> labels);
  void set_weights(std::span<const float> weights);
  std::size_t size() const { return size_; }
  void* handle() const { return handle_; }

 private:
  void* handle_ = nullptr;
  std::size_t size_ = 0;
};

/// Trees that XGBoost has grown.
class Booster {
 public:
  using Parameters = std::map<std::string, std::string>;
  /// The first and second derivatives of the loss by each row's output.
  using Slopes = std::function<void(std::span<const float> outputs, std::span<float> first,
                                    std::span<float> second)>;

  /// Grows `trees` for the labels of the rows, by the objective that the parameters name.
  Booster(const BoosterRows& rows, const Parameters& parameters, int trees);
  /// Grows `trees` for a loss of its own.
  Booster(const BoosterRows& rows, const Parameters& parameters, int trees, const Slopes& slopes);
  Booster(Booster&& other) noexcept;
  Booster& operator=(Booster&& other) noexcept;
  ~Booster();

  std::vector<float> predict(const BoosterRows& rows) const;

  void set_fact(const std::string& name, const std::string& value);
  /// Empty when there is no such fact.
  std::string fact(const std::string& name) const;

  std::string to_bytes() const;
  static Result<Booster> parse(std::string_view bytes);

 private:
  Booster() = default;
  void* handle_ = nullptr;
};

}  // namespace tessera
