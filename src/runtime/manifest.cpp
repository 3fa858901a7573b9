#include "runtime/manifest.h"

#include <nlohmann/json.hpp>

#include <array>

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;
using Where = BufferPlace::Where;

constexpr std::array<std::pair<Where, const char*>, 4> places = {{{Where::Arena, "arena"},
                                                                  {Where::Weights, "weights"},
                                                                  {Where::Input, "input"},
                                                                  {Where::Output, "output"}}};

template <typename T>
Json list_of(const std::vector<T>& values, Json (*json_of)(const T&)) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(json_of(value));
  return list;
}

Json json_of(const Port& port) {
  return {{"name", port.name}, {"element", to_text(port.element)}, {"shape", port.shape}};
}

Json json_of(const BufferPlace& place) {
  for (const auto& [where, name] : places)
    if (where == place.where) return Json::array({name, place.port, place.offset});
  return {};
}

Json json_of(const KernelCode& kernel) {
  return {{"symbol", kernel.symbol}, {"schedule", kernel.schedule}};
}

Json json_of(const KernelCall& call) {
  return {{"kernel", call.kernel},       {"buffers", list_of<BufferPlace>(call.buffers, json_of)},
          {"workspace", call.workspace}, {"title", call.title},
          {"flops", call.flops},         {"traffic_bytes", call.traffic_bytes}};
}

Json json_of(const ExecutionPlan& plan) {
  return {{"name", plan.name},
          {"inputs", list_of<Port>(plan.inputs, json_of)},
          {"outputs", list_of<Port>(plan.outputs, json_of)},
          {"kernels", list_of<KernelCode>(plan.kernels, json_of)},
          {"calls", list_of<KernelCall>(plan.calls, json_of)},
          {"arena_bytes", plan.arena_bytes},
          {"weights_bytes", plan.weights_bytes}};
}

/// A word of the manifest that is none of those expected.
class UnknownWord : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

const std::string& text(const Json& value) { return value.get_ref<const std::string&>(); }

/// Integers of a manifest are never negative; those beyond 63 bits become so, and are refused
/// later.
std::int64_t integer(const Json& value) {
  return static_cast<std::int64_t>(value.get_ref<const Json::number_unsigned_t&>());
}

template <typename Read>
auto read_list(const Json& value, const Read& read) {
  std::vector<std::decay_t<decltype(read(value))>> list;
  for (const Json& item : value.get_ref<const Json::array_t&>()) list.push_back(read(item));
  return list;
}

Port read_port(const Json& value) {
  const std::optional<ElementType> element = parse_element_type(text(value.at("element")));
  if (!element) throw UnknownWord("element type " + value.at("element").dump());
  return {text(value.at("name")), *element, read_list(value.at("shape"), integer)};
}

BufferPlace read_place(const Json& value) {
  for (const auto& [where, name] : places)
    if (text(value.at(0)) == name) return {where, integer(value.at(1)), integer(value.at(2))};
  throw UnknownWord("place " + value.at(0).dump());
}

KernelCode read_kernel(const Json& value) {
  return {text(value.at("symbol")), text(value.at("schedule"))};
}

KernelCall read_call(const Json& value) {
  return {integer(value.at("kernel")),     read_list(value.at("buffers"), read_place),
          integer(value.at("workspace")),  text(value.at("title")),
          value.at("flops").get<double>(), value.at("traffic_bytes").get<double>()};
}

ExecutionPlan read_plan(const Json& value) {
  return {text(value.at("name")),
          read_list(value.at("inputs"), read_port),
          read_list(value.at("outputs"), read_port),
          read_list(value.at("kernels"), read_kernel),
          read_list(value.at("calls"), read_call),
          integer(value.at("arena_bytes")),
          integer(value.at("weights_bytes"))};
}

Manifest read_whole(const Json& value) {
  const std::optional<Arch> arch = parse_arch(text(value.at("arch")));
  if (!arch) throw UnknownWord("architecture " + value.at("arch").dump());
  return {text(value.at("tool")), text(value.at("target")), *arch,
          read_list(value.at("features"), text), read_plan(value.at("plan"))};
}

}  // namespace

Result<std::string> to_json(const Manifest& manifest) {
  if (const Result<void> sound = verify(manifest.plan); !sound) return sound.error();
  const Json json = {{"tool", manifest.tool},
                     {"target", manifest.target},
                     {"arch", to_text(manifest.arch)},
                     {"features", manifest.features},
                     {"plan", json_of(manifest.plan)}};
  try {
    return json.dump();
  } catch (const Json::exception& problem) {
    return Error{std::string("manifest: ") + problem.what()};
  }
}

Result<Manifest> parse_manifest(std::string_view json) {
  try {
    Manifest manifest = read_whole(Json::parse(json));
    if (const Result<void> sound = verify(manifest.plan); !sound) return sound.error();
    return manifest;
  } catch (const UnknownWord& problem) {
    return Error{std::string("manifest: unknown ") + problem.what()};
  } catch (const Json::exception& problem) {
    return Error{std::string("manifest: ") + problem.what()};
  }
}

}  // namespace tessera
