#include "learn/teach_model.h"

#include "base/check.h"
#include "base/stopwatch.h"
#include "learn/knowledge_base.h"
#include "model/statement_trees.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace tessera {
namespace {

std::vector<const ScheduleList*> lists_for(const Dataset& data, Purpose purpose,
                                           const std::vector<std::string>& targets) {
  std::vector<const ScheduleList*> chosen;
  for (const ScheduleList& list : data.lists) {
    const bool is_asked =
        targets.empty() || std::ranges::find(targets, list.task.target.name) != targets.end();
    if (list.purpose == purpose && is_asked) chosen.push_back(&list);
  }
  return chosen;
}

/// What a checkpoint must agree in to be gone on with.
std::string key_of(const Lecture& lecture, const EncodedDataset& data) {
  const RankerShape& shape = lecture.shape;
  const TrainingOptions& options = lecture.options;
  std::ostringstream key;
  key << shape.kind << ' ' << shape.model_width << ' ' << shape.expand << ' ' << shape.states << ' '
      << shape.convolution << ' ' << shape.blocks << ' ' << shape.read_out << " estimate "
      << shape.estimate_weight << " data " << data.fingerprint << " seed " << options.seed
      << " epochs " << options.epochs << " rate " << options.learning_rate << " lists "
      << options.list_size << 'x' << options.lists_per_step << " threads " << lecture.threads;
  for (const std::string& target : lecture.targets) key << ' ' << target;
  return key.str();
}

std::map<std::string, std::string> facts_of(const Lecture& lecture, const EncodedDataset& data,
                                            const Taught& taught) {
  std::map<std::string, std::string> facts = {{"data", data.fingerprint},
                                              {"seed", std::to_string(lecture.options.seed)},
                                              {"lists", std::to_string(taught.lists)},
                                              {"programs", std::to_string(taught.programs)}};
  for (const std::string& target : lecture.targets) facts["targets"] += target + " ";
  if (taught.progress.epoch == 0) return facts;
  facts["epochs"] = std::to_string(taught.progress.epoch);
  facts["best_epoch"] = std::to_string(taught.progress.best_epoch);
  facts["validation_quality"] = std::to_string(taught.progress.best_quality);
  return facts;
}

/// All lists as one.
EncodedList joined(const std::vector<EncodedList>& lists) {
  EncodedList all{.list = nullptr, .rows = {.width = lists.front().rows.width}, .labels = {}};
  for (const EncodedList& one : lists) {
    all.rows.append(one.rows);
    all.labels.insert(all.labels.end(), one.labels.begin(), one.labels.end());
  }
  return all;
}

Result<Taught> teach_trees(const Lecture& lecture, const EncodedDataset& data, Taught taught,
                           const std::string& path) {
  const EncodedList all = joined(data.training);
  StatementTrees trees =
      StatementTrees::grow(all.rows, all.labels, lecture.options.seed, lecture.threads);
  if (const auto done = trees.write(path, facts_of(lecture, data, taught)); !done)
    return done.error();
  return taught;
}

/// Protected for all targets, so that others can be learned from here on.
Result<KnowledgeBase> with_memory(KnowledgeBase base, const Lecture& lecture,
                                  const EncodedDataset& data) {
  std::map<std::string, std::vector<const EncodedList*>> of_targets;
  for (const EncodedList& list : data.training)
    of_targets[to_text(list.list->task.target)].push_back(&list);
  for (const auto& [target, lists] : of_targets) {
    Result<KnowledgeBase> next =
        protected_for(std::move(base), lists, {target, hardware_of(*lists.front(), target_row)},
                      {.seed = lecture.options.seed, .threads = lecture.threads});
    if (!next) return next.error();
    base = *std::move(next);
  }
  return base;
}

Result<Taught> teach_ranker(const Lecture& lecture, const EncodedDataset& data, Taught taught,
                            const std::string& path,
                            const std::function<void(const TrainingProgress&)>& progress) {
  RankerShape shape = lecture.shape;
  shape.width = data.training.front().rows.width;
  shape.scales = scales_of(data.training);
  Result<std::unique_ptr<Ranker>> ranker =
      make_ranker(shape, lecture.options.seed, lecture.threads);
  if (!ranker) return ranker.error();
  taught.parameters = (*ranker)->parameter_count();
  const Result<TrainingProgress> done =
      teach(**ranker, data.training, data.validation, lecture.options, path + ".checkpoint",
            key_of(lecture, data), progress);
  if (!done) return done.error();
  if (lecture.options.is_stopped && lecture.options.is_stopped())
    return Error{"stopped after epoch " + std::to_string(done->epoch) +
                 "; run it again and it goes on"};
  taught.progress = *done;
  Result<KnowledgeBase> base = KnowledgeBase{.shape = shape, .weights = (*ranker)->weights()};
  if (shape.kind == "mamba") base = with_memory(*std::move(base), lecture, data);
  if (!base) return base.error();
  const auto written =
      write_trained_ranker(path, to_trained(*base, facts_of(lecture, data, taught)));
  if (!written) return written.error();
  return taught;
}

}  // namespace

std::int64_t usual_epochs(std::string_view kind) {
  if (kind == "tlp") return 6;
  return kind == "mamba" ? 16 : 30;
}

Result<EncodedDataset> encode_for(const Lecture& lecture, const Dataset& data) {
  const Stopwatch stopwatch;
  EncodedDataset encoded{.training = {},
                         .validation = {},
                         .encoding = encoding_of(lecture.shape.kind),
                         .fingerprint = data.fingerprint};
  const auto lists = [&](Purpose purpose) {
    return encode(lists_for(data, purpose, lecture.targets), encoded.encoding,
                  static_cast<std::size_t>(lecture.threads));
  };
  Result<std::vector<EncodedList>> training = lists(Purpose::Training);
  if (!training) return training.error();
  Result<std::vector<EncodedList>> validation = lists(Purpose::Validation);
  if (!validation) return validation.error();
  if (training->empty() || validation->empty())
    return Error{"too few lists: " + std::to_string(training->size()) + " to learn from, " +
                 std::to_string(validation->size()) + " to stop by"};
  encoded.training = *std::move(training);
  encoded.validation = *std::move(validation);
  encoded.seconds = stopwatch.seconds();
  return encoded;
}

Result<Taught> teach_model(const Lecture& asked, const EncodedDataset& data,
                           const std::string& path,
                           const std::function<void(const TrainingProgress&)>& progress) {
  check(data.encoding == encoding_of(asked.shape.kind), "the encoding of the model");
  const Stopwatch stopwatch;
  Lecture lecture = asked;
  if (lecture.options.epochs == 0) lecture.options.epochs = usual_epochs(lecture.shape.kind);
  Taught taught{.lists = data.training.size()};
  for (const EncodedList& list : data.training) taught.programs += list.rows.size();
  Result<Taught> done = lecture.shape.kind == "gbdt"
                            ? teach_trees(lecture, data, taught, path)
                            : teach_ranker(lecture, data, taught, path, progress);
  if (done) done->seconds = data.seconds + stopwatch.seconds();
  return done;
}

}  // namespace tessera
