#include "base/check.h"
#include "base/temporary_folder.h"
#include "cli/array_files.h"
#include "e2e/program.h"
#include "onnx/export.h"
#include "onnx/tensor_file.h"
#include "support/small_graph.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tessera {
namespace {

NamedArray floats(const std::string& name, const Shape& shape, const std::vector<float>& values) {
  NamedArray array{name, ElementType::Float, shape, {}};
  array.bytes.resize(values.size() * sizeof(float));
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

const NamedArray x = floats("x", {2, 2}, {1, -2, 3, -4});
const NamedArray b = floats("b", {2}, {1, 1});
const NamedArray y = floats("y", {2, 2}, {2, 0, 4, 0});

/// `y = Relu(x + b)` as a file, with room for others.
class Run : public testing::Test {
 protected:
  Run() {
    const Graph graph = SmallGraph()
                            .input("x", {2, 2})
                            .input("b", {2})
                            .node("Add", {"x", "b"}, "sum")
                            .node("Relu", {"sum"}, "y")
                            .output("y")
                            .inferred();
    check(export_onnx_file(graph, model_).has_value(), "a model");
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string command(const std::string& arguments) const {
    return "run " + model_.string() + " " + arguments;
  }
  std::string archive(const std::vector<NamedArray>& arrays) const {
    check(write_npz(path("given.npz"), arrays).has_value(), "an archive");
    return path("given.npz");
  }
  void tensor(const std::string& name, const NamedArray& array) const {
    const auto data = std::make_shared<HostBuffer>(
        decode(array.element, element_count(array.shape), array.bytes));
    check(
        write_tensor_file(path(name), array.name, {{array.element, array.shape}, data}).has_value(),
        "a tensor file");
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  std::filesystem::path model_ = folder_ / "model.onnx";
};

TEST_F(Run, TakesAndGivesArchives) {
  EXPECT_EQ(printed(command("--input " + archive({b, x}) + " --output " + path("out.npz"))),
            "y float[2, 2]: min 0, max 4, mean 1.5\n");
  EXPECT_EQ(*read_npz(path("out.npz")), std::vector{y});
}

TEST_F(Run, TakesAndGivesTensors) {
  tensor("x.pb", x);
  tensor("b.pb", b);
  printed(command("--input x=" + path("x.pb") + " --input b=" + path("b.pb") + " --output " +
                  path("out")));
  const Result<Constant> got = read_tensor_file(folder_.path() / "out" / "output_0.pb");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->data->get(2), 4);
}

TEST_F(Run, RunsPackages) {
  printed("compile " + model_.string() + " -o " + path("model.tessera"));
  EXPECT_EQ(printed("run " + path("model.tessera") + " --input " + archive({x, b})),
            "y float[2, 2]: min 0, max 4, mean 1.5\n");
}

TEST_F(Run, FillsInputsBySeed) {
  const std::string seven = printed(command("--seed 7"));
  EXPECT_EQ(printed(command("--seed 7")), seven);
  EXPECT_NE(printed(command("--seed 8")), seven);
}

TEST_F(Run, ComparesWithTestSets) {
  tensor("input_0.pb", x);
  tensor("input_1.pb", b);
  const std::string data = "--data " + folder_.path().string();
  EXPECT_EQ(printed(command(data)), "y float[2, 2]: min 0, max 4, mean 1.5\n");
  tensor("output_0.pb", y);
  EXPECT_EQ(printed(command(data)),
            "y float[2, 2]: min 0, max 4, mean 1.5, largest error 0 absolute, 0 relative\n");
  tensor("output_0.pb", floats("y", {2, 2}, {2, 0, 5, 0}));
  const Ended ended = tessera_program(command(data));
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.text,
            "y float[2, 2]: min 0, max 4, mean 1.5, largest error 1 absolute, 0.2 relative\n"
            "tessera: output \"y\": element 2: got 4, expected 5\n");
  EXPECT_NE(printed(command(data + " --tolerance 1 --json")).find("\"max_relative_error\": 0.2"),
            std::string::npos);
}

TEST_F(Run, RefusesTestSetsOfOtherNetworks) {
  tensor("input_0.pb", x);
  const std::string data = "--data " + folder_.path().string();
  expect_refusal(command(data),
                 "input \"b\": " + path("input_1.pb") + ": No such file or directory");
  tensor("input_1.pb", x);
  expect_refusal(command(data), "input \"b\": expected float[2], given float[2, 2]");
  tensor("input_1.pb", b);
  tensor("input_2.pb", b);
  expect_refusal(command(data), path("input_2.pb") + ": the network has 2 inputs");
  std::filesystem::remove(path("input_2.pb"));
  tensor("output_0.pb", b);
  expect_refusal(command(data), "output \"y\": got float[2, 2], expected float[2]");
}

TEST_F(Run, RefusesWrongInputs) {
  NamedArray integers{"x", ElementType::Int32, {2, 2}, {}};
  integers.bytes.resize(16);
  expect_refusal(command("--input " + archive({x})),
                 "input \"b\": expected float[2], given nothing");
  expect_refusal(command("--input " + archive({integers, b})),
                 "input \"x\": expected float[2, 2], given int32[2, 2]");
  expect_refusal(command("--input " + archive({floats("x", {4}, {1, 2, 3, 4}), b})),
                 "input \"x\": expected float[2, 2], given float[4]");
  expect_refusal(command("--input " + archive({x, b, y})),
                 "array \"y\": no such input, expected one of x, b");
  tensor("b.pb", b);
  expect_refusal(command("--input " + archive({x, b}) + " --input b=" + path("b.pb")),
                 "input \"b\": given twice");
}

TEST_F(Run, RefusesFilesThatAreNone) {
  expect_refusal(command("--input nowhere.npz"), "nowhere.npz: No such file");
  expect_refusal(command("--input x=nowhere.pb"), "nowhere.pb: No such file or directory");
  expect_refusal(command("--input z=nowhere.pb"),
                 "--input z=nowhere.pb: no such input, expected one of x, b");
  expect_refusal(command("--input x.txt"), "--input x.txt: expected FILE.npz or NAME=FILE.pb");
  const File text("text", ".npz");
  expect_refusal(command("--input " + text.path()), text.path() + ": Not a zip archive");
  expect_refusal(command("--output y.pb"),
                 "--output y.pb: expected FILE.npz, or a folder for output_N.pb");
}

TEST_F(Run, TakesOneFileForEachOption) {
  EXPECT_NE(printed("run --input " + archive({x, b}) + " " + model_.string()), "");
  expect_refusal(command("--input x.npz --data ."), "--input excludes --data; see tessera --help");
}

}  // namespace
}  // namespace tessera
