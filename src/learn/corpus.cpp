#include "learn/corpus.h"

#include "extract/tasks.h"
#include "package/build.h"
#include "schedule/space.h"
#include "zoo/zoo.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace tessera {
namespace {

constexpr std::array<std::string_view, 5> held_out{"resnet50", "mobilenet_v2", "resnext50",
                                                   "bert_tiny", "bert_base"};

/// Longer runs would take the time of many short ones.
constexpr double most_flops = 2e9;

/// So many different ones among the first draws make a task worth learning from.
bool has_many_schedules(const Task& task) {
  constexpr int draws = 48;
  constexpr std::size_t many = 32;
  const Space space(task);
  Rng rng(1);
  std::set<Choices> seen;
  for (int n = 0; n < draws; ++n) seen.insert(draw(space, rng).choices);
  return seen.size() >= many;
}

std::vector<CorpusNetwork> all_networks() {
  std::vector<CorpusNetwork> all;
  for (const ZooEntry& entry : zoo()) {
    const std::string name(entry.name);
    all.push_back({.name = name,
                   .zoo_name = name,
                   .is_held_out = std::ranges::find(held_out, entry.name) != held_out.end()});
  }
  const auto vary = [&](const std::string& name, std::int64_t batch, std::int64_t pixels,
                        bool is_further = false) {
    all.push_back({.name = name + (batch > 1 ? " batch " + std::to_string(batch) : "") +
                           (pixels > 0 ? " pixels " + std::to_string(pixels) : ""),
                   .zoo_name = name,
                   .batch = batch,
                   .pixels = pixels,
                   .is_further = is_further});
  };
  vary("resnet18", 4, 0);
  vary("resnet18", 1, 160);
  vary("squeezenet", 2, 192);
  vary("efficientnet_b0", 1, 160);
  vary("inception_v1", 2, 0);
  vary("regnet_x_400mf", 2, 160);
  vary("densenet121", 1, 160);
  vary("efficientnet_b0", 2, 256);
  vary("squeezenet", 1, 288);
  vary("resnet18", 2, 288);
  for (const char* name :
       {"resnet18", "regnet_x_400mf", "efficientnet_b0", "densenet121", "squeezenet"})
    for (const std::int64_t pixels : {128, 192, 256}) vary(name, 1, pixels, true);
  for (const char* name : {"regnet_x_400mf", "efficientnet_b0", "squeezenet", "inception_v1"})
    vary(name, 4, 0, true);
  return all;
}

}  // namespace

const std::vector<CorpusNetwork>& corpus() {
  static const std::vector<CorpusNetwork> networks = all_networks();
  return networks;
}

Result<Graph> corpus_graph(const CorpusNetwork& network) {
  Result<Graph> graph = zoo_graph(network.zoo_name);
  if (!graph) return graph;
  for (GraphInput& input : graph->inputs) {
    Shape& shape = input.type.shape;
    if (network.batch > 1) shape[0] = network.batch;
    if (network.pixels > 0) shape[2] = shape[3] = network.pixels;
    if (const auto type = graph->types.find(input.name); type != graph->types.end())
      type->second = input.type;
  }
  return graph;
}

Result<std::vector<CorpusTask>> corpus_tasks(
    const Target& target, const CorpusSize& size,
    const std::function<void(std::string_view)>& progress) {
  std::map<Fingerprint, CorpusTask> known;
  std::vector<std::vector<Fingerprint>> of_networks;
  PriorDrafts drafts;
  for (const CorpusNetwork& one : corpus()) {
    std::vector<Fingerprint>& prints = of_networks.emplace_back();
    if (one.is_further && size.further == 0) continue;
    if (progress) progress(one.name);
    Result<Graph> graph = corpus_graph(one);
    if (!graph) return graph.error();
    const Result<Network> network = extract_network(*std::move(graph), target, drafts);
    if (!network) return Error{one.name + ": " + network.error().message};
    for (NetworkTask& part : tasks_of(*network, target)) {
      prints.push_back(fingerprint(part.task));
      CorpusTask& task = known[prints.back()];
      task.task = std::move(part.task);
      task.uses.push_back({one.name, std::ssize(part.calls)});
      task.is_held_out = task.is_held_out || one.is_held_out;
    }
  }
  std::vector<CorpusTask> chosen;
  std::set<Fingerprint> taken;
  const auto take = [&](const Fingerprint& print) {
    if (taken.insert(print).second) chosen.push_back(known.at(print));
  };
  std::size_t left = size.training + size.further;
  const auto take_turn = [&](std::size_t turn, bool of_further) {
    bool is_over = true;
    for (std::size_t n = 0; n < of_networks.size(); ++n) {
      const std::vector<Fingerprint>& prints = of_networks[n];
      if (corpus()[n].is_further != of_further || turn >= prints.size()) continue;
      is_over = false;
      const CorpusTask& task = known.at(prints[turn]);
      if (left == 0 || task.is_held_out || taken.contains(prints[turn])) continue;
      if (flops(task.task.computation) > most_flops || !has_many_schedules(task.task)) continue;
      take(prints[turn]);
      chosen.back().is_further = left-- <= size.further;
    }
    return !is_over;
  };
  for (const bool of_further : {false, true})
    for (std::size_t turn = 0; left > 0 && take_turn(turn, of_further);) ++turn;
  for (const auto& [print, task] : known)
    if (task.is_held_out) take(print);
  return chosen;
}

}  // namespace tessera
