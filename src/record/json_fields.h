#pragma once

#include "base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// The value of the text; discarded when it is not JSON or nested deeper than any of ours, so that
/// whatever walks it needs little stack.
nlohmann::ordered_json parse_json(std::string_view text);

/// Takes the fields of one JSON object. A field that is absent or of another kind gives an empty
/// value, and `refusal` tells of the first such.
class JsonFields {
 public:
  using Json = nlohmann::ordered_json;

  explicit JsonFields(std::string_view text);
  explicit JsonFields(Json object);

  std::string text(const std::string& name);
  double number(const std::string& name);
  std::int64_t integer(const std::string& name);
  std::vector<double> numbers(const std::string& name);
  std::vector<std::int64_t> integers(const std::string& name);
  std::vector<Json> objects(const std::string& name);
  /// An object whose values are integers.
  std::map<std::string, std::int64_t> counts(const std::string& name);
  std::optional<double> optional_number(const std::string& name);
  std::optional<std::string> optional_text(const std::string& name);

  void refuse(const std::string& message);
  /// The first problem; a field that nobody took is one. The last call.
  std::optional<Error> refusal();

 private:
  const Json* find(const std::string& name);
  /// The field, when it is there and `is_expected`.
  template <typename Expected>
  const Json* take(const std::string& name, const char* what, const Expected& is_expected);

  Json object_;
  std::set<std::string> taken_;
  std::optional<Error> refusal_;
};

}  // namespace tessera
