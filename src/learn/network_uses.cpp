#include "learn/network_uses.h"

#include "base/hash.h"
#include "record/json_fields.h"

#include <algorithm>

namespace tessera {

std::vector<NetworkUses> uses_of(const std::vector<CorpusTask>& tasks, const Target& target) {
  std::vector<NetworkUses> all;
  for (const CorpusNetwork& network : corpus())
    all.push_back(
        {.network = network.name, .target = to_text(target), .is_held_out = network.is_held_out});
  for (const CorpusTask& task : tasks)
    for (const CorpusTask::Use& use : task.uses)
      std::ranges::find(all, use.network, &NetworkUses::network)
          ->calls[to_text(fingerprint(task.task))] += use.calls;
  return all;
}

std::string to_json(const std::vector<NetworkUses>& uses) {
  JsonFields::Json document = {{"format", "tessera networks"},
                               {"format_version", 1},
                               {"networks", JsonFields::Json::array()}};
  for (const NetworkUses& one : uses)
    document["networks"].push_back({{"network", one.network},
                                    {"target", one.target},
                                    {"split", one.is_held_out ? "held_out" : "training"},
                                    {"calls", one.calls}});
  return document.dump(1) + "\n";
}

Result<std::vector<NetworkUses>> parse_network_uses(std::string_view json) {
  JsonFields fields(json);
  if (fields.text("format") != "tessera networks") return Error{"not a list of networks"};
  if (const std::int64_t version = fields.integer("format_version"); version != 1)
    return Error{"format " + std::to_string(version) + ", this version knows 1"};
  std::vector<NetworkUses> all;
  for (const JsonFields::Json& object : fields.objects("networks")) {
    JsonFields of_network(object);
    NetworkUses one{.network = of_network.text("network"), .target = of_network.text("target")};
    const std::string split = of_network.text("split");
    if (split != "held_out" && split != "training")
      return Error{"split \"" + split + "\": expected held_out or training"};
    one.is_held_out = split == "held_out";
    one.calls = of_network.counts("calls");
    if (const std::optional<Error> refusal = of_network.refusal()) return *refusal;
    for (const auto& [task, calls] : one.calls)
      if (!is_fingerprint(task) || calls < 1)
        return Error{"calls: expected fingerprints of tasks, each with a positive number"};
    all.push_back(std::move(one));
  }
  if (const std::optional<Error> refusal = fields.refusal()) return *refusal;
  return all;
}

}  // namespace tessera
