#include "model/trained_ranker.h"

#include "base/parallel_for.h"
#include "feature/statement_features.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace tessera {
namespace {

/// Schedules for which another thread is worth while.
constexpr std::size_t fewest_together = 64;

constexpr const char* format_name = "tessera ranker";
constexpr const char* scales_name = "scales";
const std::string memory_prefix = "memory.";
constexpr std::int64_t statement_version = 1;

using Metadata = std::map<std::string, std::string>;

/// Takes fields away, so that what is left are facts; remembers the first that is not there.
class Taker {
 public:
  explicit Taker(Metadata& metadata) : metadata_(metadata) {}

  std::string text(const std::string& name) {
    const auto found = metadata_.find(name);
    if (found == metadata_.end()) {
      refuse("no " + name + " in its metadata");
      return {};
    }
    std::string value = std::move(found->second);
    metadata_.erase(found);
    return value;
  }
  std::int64_t integer(const std::string& name) {
    const std::string value = text(name);
    std::int64_t number = 0;
    const char* const end = value.data() + value.size();
    if (const auto read = std::from_chars(value.data(), end, number);
        read.ec != std::errc() || read.ptr != end)
      refuse(name + " \"" + value + "\" in its metadata: expected an integer");
    return number;
  }
  void refuse(const std::string& reason) {
    if (!refusal) refusal = Error{reason};
  }

  std::optional<Error> refusal;

 private:
  Metadata& metadata_;
};

}  // namespace

Encoding encoding_of(std::string_view kind) {
  const bool reads_statements = kind == "tenset-mlp" || kind == "gbdt";
  return reads_statements ? Encoding::Statements : Encoding::Tokens;
}

std::int64_t version_of(Encoding encoding) {
  return encoding == Encoding::Tokens ? token_version : statement_version;
}

std::size_t width_of(Encoding encoding) {
  return encoding == Encoding::Tokens ? token_width : statement_width;
}

ScheduleEncoder::ScheduleEncoder(Task task, Encoding encoding)
    : task_(std::move(task)), encoding_(encoding), plain_(to_program(task_.computation)) {
  if (encoding == Encoding::Tokens) tokens_ = std::make_unique<const TokenEncoder>(task_);
}

Result<Rows> ScheduleEncoder::encode(std::span<const EstimatedSchedule> schedules) const {
  if (encoding_ == Encoding::Tokens) return tokens_->encode(schedules);
  Rows rows{.width = width_of(encoding_)};
  for (const EstimatedSchedule& one : schedules) {
    const Result<Program> program = tessera::apply(*one.schedule, plain_);
    if (!program) return program.error();
    append_statements(task_, *program, rows);
    rows.estimates.push_back(one.estimate.speed);
  }
  return rows;
}

Result<Rows> ScheduleEncoder::encode(std::span<const EstimatedSchedule> schedules,
                                     std::size_t threads) const {
  const std::size_t parts = std::clamp<std::size_t>(schedules.size() / fewest_together, 1, threads);
  std::vector<Result<Rows>> made(parts, Rows{.width = width_of(encoding_)});
  parallel_for(parts, parts, [&](std::size_t n) {
    const std::size_t first = n * schedules.size() / parts;
    const std::size_t end = (n + 1) * schedules.size() / parts;
    made[n] = encode(schedules.subspan(first, end - first));
  });
  for (std::size_t n = 1; n < parts; ++n) {
    if (!made[n]) return made[n];
    if (made.front()) made.front()->append(*made[n]);
  }
  return std::move(made.front());
}

Safetensors to_safetensors(const TrainedRanker& ranker) {
  const RankerShape& shape = ranker.shape;
  Safetensors file{.tensors = ranker.weights, .metadata = ranker.facts};
  for (const NamedTensor& tensor : ranker.memory)
    file.tensors.push_back({memory_prefix + tensor.name, tensor.shape, tensor.values});
  file.metadata["format"] = format_name;
  file.metadata["kind"] = shape.kind;
  file.metadata["rows_version"] = std::to_string(version_of(encoding_of(shape.kind)));
  file.metadata["model_width"] = std::to_string(shape.model_width);
  file.metadata["expand"] = std::to_string(shape.expand);
  file.metadata["states"] = std::to_string(shape.states);
  file.metadata["convolution"] = std::to_string(shape.convolution);
  file.metadata["blocks"] = std::to_string(shape.blocks);
  file.metadata["read_out"] = shape.read_out;
  file.metadata["estimate_weight"] = std::to_string(shape.estimate_weight);
  file.tensors.push_back({scales_name, {static_cast<std::int64_t>(shape.width)}, shape.scales});
  file.tensors.back().values.resize(shape.width, 1);
  return file;
}

Result<TrainedRanker> from_safetensors(Safetensors file) {
  Taker fields(file.metadata);
  if (fields.text("format") != format_name) return Error{"not the weights of a ranker"};
  RankerShape shape;
  shape.kind = fields.text("kind");
  const std::int64_t version = fields.integer("rows_version");
  shape.model_width = fields.integer("model_width");
  shape.expand = fields.integer("expand");
  shape.states = fields.integer("states");
  shape.convolution = fields.integer("convolution");
  shape.blocks = fields.integer("blocks");
  shape.read_out = fields.text("read_out");
  shape.estimate_weight = fields.integer("estimate_weight");
  if (fields.refusal) return *fields.refusal;
  const Encoding encoding = encoding_of(shape.kind);
  if (version != version_of(encoding))
    return Error{"reads version " + std::to_string(version) + " of " +
                 (encoding == Encoding::Tokens ? "tokens" : "statements") + ", this program has " +
                 std::to_string(version_of(encoding))};
  const auto scales = std::ranges::find(file.tensors, scales_name, &NamedTensor::name);
  if (scales == file.tensors.end() || scales->values.size() != width_of(encoding))
    return Error{"no scales of " + std::to_string(width_of(encoding)) + " columns"};
  shape.width = scales->values.size();
  shape.scales = std::move(scales->values);
  file.tensors.erase(scales);
  TrainedRanker ranker{.shape = std::move(shape), .weights = {}, .facts = std::move(file.metadata)};
  for (NamedTensor& tensor : file.tensors) {
    const bool is_memory = tensor.name.starts_with(memory_prefix);
    if (is_memory) tensor.name.erase(0, memory_prefix.size());
    (is_memory ? ranker.memory : ranker.weights).push_back(std::move(tensor));
  }
  return ranker;
}

Result<TrainedRanker> read_trained_ranker(const std::string& path) {
  Result<Safetensors> file = read_safetensors(path);
  if (!file) return file.error();
  Result<TrainedRanker> ranker = from_safetensors(*std::move(file));
  if (!ranker) return Error{path + ": " + ranker.error().message};
  return ranker;
}

Result<void> write_trained_ranker(const std::string& path, const TrainedRanker& ranker) {
  return write_safetensors(path, to_safetensors(ranker));
}

}  // namespace tessera
