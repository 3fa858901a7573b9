#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace tessera {

/// Why something was refused: one line that names the subject, the values and the expectation,
/// lower case, without a full stop.
struct Error {
  std::string message;
  friend bool operator==(const Error&, const Error&) = default;
};

/// A `T`, or the reason there is none. For refusals that a user or a candidate can cause; broken
/// invariants of our own are `check`.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}  // NOLINT: implicit so that `return value;` reads
  Result(Error error)
      : state_(std::move(error)) {}  // NOLINT: implicit so that `return Error{..};` reads

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }

  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value, or the reason of the refusal.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error)
      : error_(std::move(error)) {}  // NOLINT: implicit so that `return Error{..};` reads

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace tessera
