#include "zoo/zoo.h"

#include "ops/infer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace tessera {
namespace {

Graph graph_of(std::string_view name) {
  Result<Graph> graph = zoo_graph(name);
  EXPECT_TRUE(graph.has_value()) << name;
  return graph ? *std::move(graph) : Graph{};
}

std::int64_t count(const Graph& graph, std::string_view op) {
  return std::ranges::count(graph.nodes, op, &Node::op);
}

TEST(Zoo, HasAsManyParametersAsPublished) {
  const std::map<std::string_view, std::int64_t> published = {
      {"resnet18", 11'689'512},
      {"resnet50", 25'557'032},
      {"resnext50", 25'028'904},
      {"mobilenet_v2", 3'504'872},
      {"efficientnet_b0", 5'288'548},
      {"vgg16", 138'357'544},
      {"inception_v1", 6'998'552},
      {"squeezenet", 1'235'496},
      {"densenet121", 7'978'856},
      {"bert_tiny", 4'385'920},
      {"regnet_x_400mf", 5'495'976},
      {"bert_mini", 11'170'560},
      {"bert_small", 28'763'648},
      {"bert_base", 109'482'240},
      {"gpt2", 124'439'808},
      {"gpt2_decode", 124'439'808},
      {"vit_b16", 86'567'656},
      {"llama_block", 202'383'360},
      {"llama_block_decode", 202'383'360},
  };
  std::map<std::string_view, std::int64_t> counted;
  for (const ZooEntry& entry : zoo()) counted[entry.name] = entry.parameter_count;
  EXPECT_EQ(counted, published);
}

TEST(Zoo, IsBuiltOfTheLayersOfTheArchitecture) {
  const Graph resnet = graph_of("resnet50");
  EXPECT_EQ(count(resnet, "Conv"), 53);
  EXPECT_EQ(count(resnet, "BatchNormalization"), 53);
  EXPECT_EQ(count(resnet, "Add"), 16);
  const Graph inception = graph_of("inception_v1");
  EXPECT_EQ(count(inception, "Conv"), 57);
  EXPECT_EQ(count(inception, "LRN"), 2);
  EXPECT_EQ(count(inception, "Concat"), 9);
  const Graph dense = graph_of("densenet121");
  EXPECT_EQ(count(dense, "Conv"), 120);
  EXPECT_EQ(count(dense, "Concat"), 58);
  const Graph mobile = graph_of("mobilenet_v2");
  EXPECT_EQ(count(mobile, "Conv"), 52);
  EXPECT_EQ(count(mobile, "Add"), 10);
}

void expect_filled(const Graph& graph) {
  for (const auto& [id, constant] : graph.constants) {
    ASSERT_NE(constant.data, nullptr) << id;
    EXPECT_EQ(constant.data->element_count(), element_count(constant.type.shape)) << id;
  }
}

/// Every node is known, and outputs have the types that the network tells.
void expect_inferable(Graph graph) {
  const std::map<ValueId, ValueType> told = graph.types;
  const Inferred inferred = infer(std::move(graph));
  for (const NodeProblem& problem : inferred.problems) ADD_FAILURE() << to_text(problem);
  if (!inferred.problems.empty()) return;
  for (const ValueId& output : inferred.graph.outputs)
    EXPECT_EQ(inferred.graph.types.at(output), told.at(output)) << output;
}

TEST(Zoo, HasSoundGraphsOfKnownOperators) {
  for (const ZooEntry& entry : zoo()) {
    SCOPED_TRACE(entry.name);
    Graph graph = graph_of(entry.name);
    const Result<void> sound = verify(graph);
    EXPECT_TRUE(sound) << sound.error().message;
    EXPECT_EQ(graph.inputs, entry.inputs);
    expect_filled(graph);
    expect_inferable(std::move(graph));
  }
}

TEST(Zoo, DrawsTheSameWeightsEachTimeAndOthersForEachWeight) {
  const Graph graph = graph_of("squeezenet");
  const Graph again = graph_of("squeezenet");
  std::set<float> firsts;
  std::size_t weights = 0;
  for (const auto& [id, constant] : graph.constants) {
    const std::span<const float> values = constant.data->as<float>();
    EXPECT_TRUE(std::ranges::equal(values, again.constants.at(id).data->as<float>())) << id;
    firsts.insert(values[0]);
    ++weights;
  }
  EXPECT_EQ(firsts.size(), weights);
}

TEST(Zoo, RefusesUnknownNamesWithTheKnownOnes) {
  const Result<Graph> got = zoo_graph("alexnet");
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().message,
            "zoo:alexnet: no such network, expected one of resnet18, resnet50, resnext50, "
            "regnet_x_400mf, mobilenet_v2, efficientnet_b0, vgg16, inception_v1, squeezenet, "
            "densenet121, "
            "bert_tiny, bert_mini, bert_small, bert_base, gpt2, gpt2_decode, vit_b16, llama_block, "
            "llama_block_decode");
}

}  // namespace
}  // namespace tessera
