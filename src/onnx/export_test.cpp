#include "onnx/export.h"

#include "base/temporary_folder.h"
#include "onnx/import.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

Constant floats(Shape shape, const std::vector<float>& values,
                ElementType element = ElementType::Float) {
  auto data = std::make_shared<HostBuffer>(dtype_of(element), element_count(shape));
  for (std::size_t n = 0; n < values.size(); ++n)
    data->set(static_cast<std::int64_t>(n), values[n]);
  return {{element, std::move(shape)}, std::move(data)};
}

Node node(std::string op, std::vector<ValueId> inputs, std::vector<ValueId> outputs) {
  Node made;
  made.op = std::move(op);
  made.version = 13;
  made.name = outputs.front();
  made.inputs = std::move(inputs);
  made.outputs = std::move(outputs);
  return made;
}

/// Has every kind of attribute, several element types and a domain of its own.
Graph rich_graph() {
  auto inner = std::make_shared<Graph>();
  inner->name = "inner";
  inner->constants.emplace("k", floats({}, {3}));
  inner->nodes = {node("Add", {"x", "k"}, {"r"})};
  inner->outputs = {"r"};
  Graph graph;
  graph.name = "rich";
  graph.inputs = {{"x", {ElementType::Float, {1, 2}}}, {"c", {ElementType::Bool, {}}}};
  graph.constants.emplace("half", floats({2}, {0.5F, 2}, ElementType::Float16));
  graph.constants.emplace("bytes", floats({2}, {-1, 7}, ElementType::Int8));
  graph.constants.emplace("empty", floats({0}, {}, ElementType::Int64));
  graph.nodes = {node("Odd", {"x", "", "half"}, {"a", "b"}), node("If", {"c"}, {"y"})};
  graph.nodes[0].domain = "com.microsoft";
  graph.nodes[0].version = 1;
  graph.nodes[0].attributes = {
      {"i", std::int64_t{-1}},          {"f", 0.25},
      {"s", std::string("text")},       {"is", std::vector<std::int64_t>{1, 2}},
      {"fs", std::vector<double>{1.5}}, {"ss", std::vector<std::string>{"p", "q"}},
      {"t", floats({1}, {4})}};
  graph.nodes[1].attributes = {{"then_branch", std::shared_ptr<const Graph>(inner)}};
  graph.outputs = {"y", "a"};
  return graph;
}

void expect_same(const Graph& got, const Graph& want) {
  EXPECT_EQ(to_text(got), to_text(want));
  ASSERT_EQ(got.nodes.size(), want.nodes.size());
  for (std::size_t n = 0; n < got.nodes.size(); ++n) {
    EXPECT_EQ(got.nodes[n].version, want.nodes[n].version);
    EXPECT_EQ(got.nodes[n].name, want.nodes[n].name);
  }
}

TEST(Export, GivesWhatIsImportedAgain) {
  const Result<Imported> got = import_onnx(export_onnx(rich_graph()));
  ASSERT_TRUE(got) << got.error().message;
  expect_same(got->graph, rich_graph());
}

TEST(Export, IsForTheNewestVersionAmongNodes) {
  Graph graph = rich_graph();
  graph.nodes.push_back(node("Relu", {"x"}, {"z"}));
  graph.nodes.back().version = 17;
  const Result<Imported> got = import_onnx(export_onnx(graph));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->graph.nodes[1].version, 17);
}

TEST(Export, WritesLargeConstantsBesideTheModel) {
  const TemporaryFolder folder = *TemporaryFolder::make();
  ASSERT_TRUE(export_onnx_file(rich_graph(), folder / "small.onnx"));
  EXPECT_FALSE(std::filesystem::exists(folder / "small.onnx.data"));
  ASSERT_TRUE(export_onnx_file(rich_graph(), folder / "large.onnx", {.most_bytes_inside = 4}));
  EXPECT_EQ(std::filesystem::file_size(folder / "large.onnx.data"), 10);  // 2 * 2 + 2 * 1 + 4
  for (const char* name : {"small.onnx", "large.onnx"}) {
    const Result<Imported> got = import_onnx_file(folder / name);
    ASSERT_TRUE(got) << got.error().message;
    expect_same(got->graph, rich_graph());
  }
}

TEST(Export, NamesThePathThatCannotBeWritten) {
  EXPECT_EQ(export_onnx_file(rich_graph(), "/no/such/m.onnx").error().message,
            "/no/such/m.onnx: No such file or directory");
  EXPECT_EQ(
      export_onnx_file(rich_graph(), "/no/such/m.onnx", {.most_bytes_inside = 0}).error().message,
      "/no/such/m.onnx.data: No such file or directory");
}

}  // namespace
}  // namespace tessera
