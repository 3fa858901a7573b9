#pragma once

#include "base/result.h"
#include "graph/graph.h"
#include "schedule/schedule.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// A network that cost models are taught on, or judged by.
struct CorpusNetwork {
  std::string name;  // `resnet18`, `resnet18 batch 4`
  std::string zoo_name;
  std::int64_t batch = 1;
  std::int64_t pixels = 0;  // along each side of the image; 0 as published
  bool is_held_out = false;
  bool is_further = false;  // its tasks are taken after those of all others
};

/// All networks of the zoo, five of which are held out as those of TenSet are (resnet50,
/// mobilenet_v2, resnext50, bert_tiny, bert_base), and many of the others with another batch or
/// resolution.
const std::vector<CorpusNetwork>& corpus();
Result<Graph> corpus_graph(const CorpusNetwork& network);

/// A task and the networks that call it.
struct CorpusTask {
  struct Use {
    std::string network;
    std::int64_t calls = 0;
  };
  Task task;
  std::vector<Use> uses;
  bool is_held_out = false;  // occurs in a network that is
  bool is_further = false;   // fewer of its schedules are measured
};

/// How many tasks to learn from, at most.
struct CorpusSize {
  std::size_t training = 160;
  /// More of them, with fewer schedules each: another task teaches more than more schedules of one.
  std::size_t further = 600;
};

/// The tasks of the corpus on a target: all of the networks held out, and some that occur in none
/// of those, taken from one network after the other by turns, further networks last. Of these only
/// such as have many schedules and do not run too long. `progress` gets the name of each network.
Result<std::vector<CorpusTask>> corpus_tasks(
    const Target& target, const CorpusSize& size,
    const std::function<void(std::string_view)>& progress = {});

}  // namespace tessera
