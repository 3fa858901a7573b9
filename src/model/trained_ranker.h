#pragma once

#include "base/result.h"
#include "feature/tokens.h"
#include "model/ranker.h"
#include "model/safetensors.h"
#include "schedule/space.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tessera {

/// What the rows of a Ranker are.
enum class Encoding : std::uint8_t { Tokens, Statements };

/// Of `tenset-mlp` and `gbdt` statements, of the others tokens.
Encoding encoding_of(std::string_view kind);
std::size_t width_of(Encoding encoding);
/// Models read the version that they have learned from.
std::int64_t version_of(Encoding encoding);

/// Schedules of one task as models read them.
class ScheduleEncoder {
 public:
  ScheduleEncoder(Task task, Encoding encoding);
  /// On so many threads. Refuses a schedule that does not apply.
  Result<Rows> encode(std::span<const EstimatedSchedule> schedules, std::size_t threads) const;

 private:
  Result<Rows> encode(std::span<const EstimatedSchedule> schedules) const;

  Task task_;
  Encoding encoding_;
  Program plain_;
  std::unique_ptr<const TokenEncoder> tokens_;
};

/// A Ranker that has learned, as it is kept in a file.
struct TrainedRanker {
  RankerShape shape;
  Tensors weights;
  /// How it came about, in words: data, seed, epochs, what it reached.
  std::map<std::string, std::string> facts = {};
  /// What keeps it from forgetting when it learns further; none of those that never shall.
  Tensors memory = {};
};

/// The shape and the version of its rows stand in the metadata, scales are a tensor.
Safetensors to_safetensors(const TrainedRanker& ranker);
/// Refuses files of other models, and of other versions of the rows.
Result<TrainedRanker> from_safetensors(Safetensors file);

/// Refuse with `PATH: reason`; an older file stays until the new one is whole.
Result<TrainedRanker> read_trained_ranker(const std::string& path);
Result<void> write_trained_ranker(const std::string& path, const TrainedRanker& ranker);

}  // namespace tessera
