#include "record/json_fields.h"

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

using Json = JsonFields::Json;

/// Not beyond what 64 bits with a sign hold.
bool is_integer(const Json& value) {
  return value.is_number_integer() &&
         (!value.is_number_unsigned() || value.get<std::int64_t>() >= 0);
}

bool is_number(const Json& value) { return value.is_number(); }
bool is_text(const Json& value) { return value.is_string(); }

template <typename Expected>
auto list_of(const Expected& is_expected) {
  return [is_expected](const Json& value) {
    return value.is_array() && std::all_of(value.begin(), value.end(), is_expected);
  };
}

}  // namespace

Json parse_json(std::string_view text) {
  constexpr int deepest = 16;
  bool is_deep = false;
  const auto is_kept = [&](int depth, Json::parse_event_t, const Json&) {
    is_deep = is_deep || depth > deepest;
    return depth <= deepest;
  };
  Json value = Json::parse(text, is_kept, false);  // without exceptions
  return is_deep ? Json(Json::value_t::discarded) : value;
}

JsonFields::JsonFields(std::string_view text) : JsonFields(parse_json(text)) {}

JsonFields::JsonFields(Json object) : object_(std::move(object)) {
  if (object_.is_discarded())
    refuse("not JSON, or nested too deeply");
  else if (!object_.is_object())
    refuse("not an object of JSON");
}

void JsonFields::refuse(const std::string& message) {
  if (!refusal_) refusal_ = Error{message};
}

const Json* JsonFields::find(const std::string& name) {
  if (!object_.is_object()) return nullptr;
  const auto field = object_.find(name);
  if (field == object_.end()) return nullptr;
  taken_.insert(name);
  return &*field;
}

template <typename Expected>
const Json* JsonFields::take(const std::string& name, const char* what,
                             const Expected& is_expected) {
  const Json* field = find(name);
  if (field == nullptr)
    refuse("no field \"" + name + "\"");
  else if (!is_expected(*field))
    refuse("field \"" + name + "\": expected " + what);
  else
    return field;
  return nullptr;
}

std::string JsonFields::text(const std::string& name) {
  const Json* field = take(name, "text", is_text);
  return field == nullptr ? std::string() : field->get<std::string>();
}

double JsonFields::number(const std::string& name) {
  const Json* field = take(name, "a number", is_number);
  return field == nullptr ? 0 : field->get<double>();
}

std::int64_t JsonFields::integer(const std::string& name) {
  const Json* field = take(name, "an integer of 64 bits", is_integer);
  return field == nullptr ? 0 : field->get<std::int64_t>();
}

std::vector<double> JsonFields::numbers(const std::string& name) {
  const Json* field = take(name, "a list of numbers", list_of(is_number));
  return field == nullptr ? std::vector<double>() : field->get<std::vector<double>>();
}

std::vector<std::int64_t> JsonFields::integers(const std::string& name) {
  const Json* field = take(name, "a list of integers of 64 bits", list_of(is_integer));
  return field == nullptr ? std::vector<std::int64_t>() : field->get<std::vector<std::int64_t>>();
}

std::vector<Json> JsonFields::objects(const std::string& name) {
  const auto is_object = [](const Json& value) { return value.is_object(); };
  const Json* field = take(name, "a list of objects", list_of(is_object));
  return field == nullptr ? std::vector<Json>() : std::vector<Json>(field->begin(), field->end());
}

std::map<std::string, std::int64_t> JsonFields::counts(const std::string& name) {
  const Json* field = take(name, "an object of integers of 64 bits", [](const Json& value) {
    return value.is_object() && std::all_of(value.begin(), value.end(), is_integer);
  });
  return field == nullptr ? std::map<std::string, std::int64_t>()
                          : field->get<std::map<std::string, std::int64_t>>();
}

std::optional<double> JsonFields::optional_number(const std::string& name) {
  if (find(name) == nullptr) return std::nullopt;
  return number(name);
}

std::optional<std::string> JsonFields::optional_text(const std::string& name) {
  if (find(name) == nullptr) return std::nullopt;
  return text(name);
}

std::optional<Error> JsonFields::refusal() {
  if (!object_.is_object()) return refusal_;
  for (const auto& [name, value] : object_.items())
    if (!taken_.contains(name)) refuse("unknown field \"" + name + "\"");
  return refusal_;
}

}  // namespace tessera
