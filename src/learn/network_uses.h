#pragma once

#include "base/result.h"
#include "learn/corpus.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Which tasks a network calls on a target, and how often: what tasks weigh when networks are
/// judged.
struct NetworkUses {
  std::string network;
  std::string target;
  bool is_held_out = false;
  std::map<std::string, std::int64_t> calls = {};  // by the fingerprint of the task
  friend bool operator==(const NetworkUses&, const NetworkUses&) = default;
};

std::vector<NetworkUses> uses_of(const std::vector<CorpusTask>& tasks, const Target& target);

std::string to_json(const std::vector<NetworkUses>& uses);
Result<std::vector<NetworkUses>> parse_network_uses(std::string_view json);

}  // namespace tessera
