#include "base/file.h"
#include "base/temporary_folder.h"
#include "e2e/program.h"
#include "onnx/sample_models.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

namespace tessera {
namespace {

using onnx::ModelProto;
using onnx::TensorProto;

constexpr std::int64_t huge = std::int64_t{1} << 60;

/// A folder with a model and what else a test puts there.
class BadModel : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  void write(const std::string& name, const std::string& bytes) const {
    ASSERT_TRUE(write_file(path(name), bytes));
  }

  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      names.insert(entry.path().filename().string());
    return names;
  }

  /// Compiling ends with this message after the path of the model, and makes no file.
  void expect_refused(const std::string& bytes, const std::string& message,
                      const std::string& options = "") const {
    write("model.onnx", bytes);
    const std::set<std::string> before = files();
    const std::string model = path("model.onnx");
    expect_refusal("compile " + model + " -o " + path("model.tessera") + options,
                   model + ": " + message);
    EXPECT_EQ(files(), before);
  }
  void expect_refused(const ModelProto& model, const std::string& message,
                      const std::string& options = "") const {
    expect_refused(model.SerializeAsString(), message, options);
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
};

/// `y = op(x, w)` on x float[2, 3] and what `change` makes of w float[3].
template <typename Change>
ModelProto model_with_weights(const Change& change) {
  ModelProto model = small_model();
  change(*model.mutable_graph()->mutable_initializer(0));
  return model;
}

/// `y = If(true, If(true, .. Relu(x)))`.
ModelProto nested_model(int depth) {
  ModelProto model = empty_model();
  onnx::GraphProto* graph = model.mutable_graph();
  for (int n = 0; n < depth; ++n) {
    onnx::NodeProto& node = add_node(*graph, "If", {"condition"}, {"y"});
    onnx::AttributeProto& other = add_attribute(node, "else_branch", onnx::AttributeProto::GRAPH);
    add_node(*other.mutable_g(), "Neg", {"x"}, {"y"});
    other.mutable_g()->add_output()->set_name("y");
    graph->add_output()->set_name("y");
    graph = add_attribute(node, "then_branch", onnx::AttributeProto::GRAPH).mutable_g();
  }
  add_node(*graph, "Relu", {"x"}, {"y"});
  graph->add_output()->set_name("y");
  add_input(model, "x", {"2", "3"});
  TensorProto& condition = *model.mutable_graph()->add_initializer();
  condition.set_name("condition");
  condition.set_data_type(TensorProto::BOOL);
  condition.add_int32_data(1);
  return model;
}

TEST_F(BadModel, IsRefusedWhenDamaged) {
  const std::string bytes = small_model().SerializeAsString();
  const std::string message =
      "not an ONNX model: damaged, cut off, nested too deeply or larger than 2 GB";
  for (const std::size_t size : {std::size_t{1}, bytes.size() / 2, bytes.size() - 5})
    expect_refused(bytes.substr(0, size), message);
  expect_refused("", "not an ONNX model: it has no graph");
  ModelProto without_outputs = small_model();
  without_outputs.mutable_graph()->clear_output();
  expect_refused(without_outputs, "the graph has no outputs");
}

TEST_F(BadModel, IsRefusedWhenCyclic) {
  ModelProto model = small_model();
  model.mutable_graph()->mutable_node(0)->set_name("sum");
  model.mutable_graph()->mutable_node(0)->set_input(1, "y");
  expect_refused(model, "Add \"sum\" reads what nothing defines, or what depends on itself");
}

TEST_F(BadModel, IsRefusedWhenTypesDoNotGoTogether) {
  ModelProto model = model_with_weights([](TensorProto& w) {
    w.clear_float_data();
    w.set_data_type(TensorProto::INT64);
    for (int n = 0; n < 3; ++n) w.add_int64_data(n);
  });
  expect_refused(
      model,
      "1 unsupported node; Add \"sum\" of operator set 13 on float[2, 3], int64[3]: dtypes "
      "f32 and i64 differ");
  model = small_model();
  add_attribute(*model.mutable_graph()->mutable_node(1), "alpha", onnx::AttributeProto::STRINGS);
  model.mutable_graph()->mutable_node(1)->set_op_type("LeakyRelu");
  expect_refused(model, "LeakyRelu \"y\": attribute \"alpha\" is not a float");
}

TEST_F(BadModel, IsRefusedAtOnceWhenItClaimsToBeHuge) {
  const std::string claim = std::to_string(huge);
  expect_refused(model_of_input({claim}),
                 "input \"x\" shape [" + claim + "]: more than 2^48 elements");
  expect_refused(model_with_weights([](TensorProto& w) { w.set_dims(0, huge); }),
                 "initialiser \"w\": shape [" + claim + "]: more than 2^48 elements");
  ModelProto filled = small_model();
  TensorProto& shape = *filled.mutable_graph()->mutable_initializer(0);
  shape.clear_float_data();
  shape.set_data_type(TensorProto::INT64);
  shape.set_dims(0, 1);
  shape.add_int64_data(huge);
  filled.mutable_graph()->mutable_node(0)->mutable_input()->Clear();
  filled.mutable_graph()->mutable_node(0)->add_input("w");
  filled.mutable_graph()->mutable_node(0)->set_op_type("ConstantOfShape");
  expect_refused(
      filled,
      "1 unsupported node; ConstantOfShape \"sum\" of operator set 13 on int64[1]: shape [" +
          claim + "], expected extents of at least 0 and at most 2^27 elements");
}

TEST_F(BadModel, IsRefusedWhenConstantsWouldGrowBeyondMemory) {
  ModelProto model = empty_model();
  constexpr int count = 1 << 17;
  add_input(model, "x", {"1"});
  add_weights(model, "column", {count, 1}, std::vector<float>(count, 1));
  add_weights(model, "row", {1, count}, std::vector<float>(count, 1));
  add_node(*model.mutable_graph(), "MatMul", {"column", "row"}, {"product"}).set_name("outer");
  add_node(*model.mutable_graph(), "Add", {"x", "product"}, {"y"});
  add_output(model, "y");
  expect_refused(
      model, "MatMul \"outer\": its value and those of constants before it take more than 2 GB");
}

TEST_F(BadModel, IsRefusedWhenTheMachineCannotHoldIt) {
  write("model.onnx", model_of_input({std::to_string(std::int64_t{1} << 40)}).SerializeAsString());
  expect_refusal("run " + path("model.onnx"), "out of memory");
}

TEST_F(BadModel, IsRefusedWhenNestedTooDeeply) {
  expect_refused(nested_model(200),
                 "not an ONNX model: damaged, cut off, nested too deeply or larger than 2 GB");
  write("model.onnx", nested_model(20).SerializeAsString());
  EXPECT_NE(printed("compile " + path("model.onnx") + " -o " + path("model.tessera")), "");
}

TEST_F(BadModel, IsRefusedWhenAnAttributeIsOutOfRange) {
  ModelProto model = small_model();
  onnx::NodeProto& node = *model.mutable_graph()->mutable_node(1);
  node.set_op_type("Softmax");
  add_attribute(node, "axis", onnx::AttributeProto::INT).set_i(huge);
  expect_refused(model,
                 "1 unsupported node; Softmax \"y\" of operator set 13 on float[2, 3]: Softmax: no "
                 "dimension 1152921504606846976 in rank 2");
}

TEST_F(BadModel, IsRefusedWhenItsWeightsAreNoNumbers) {
  expect_refused(model_with_weights([](TensorProto& w) { w.set_float_data(1, NAN); }),
                 "initialiser \"w\": holds nan, expected numbers");
}

TEST_F(BadModel, IsRefusedWithShapesThatDoNotFit) {
  const ModelProto model = model_of_input({"N", "3"});
  expect_refused(model, "--shape z: no such input, expected one of x", " --shape z=1,3");
  expect_refused(model, "--shape x=[1, 3, 3]: the model says [N, 3]", " --shape x=1,3,3");
  expect_refused(model, "--shape x=[1, 4]: the model says [N, 3]", " --shape x=1,4");
  for (const std::string shape :
       {"-1,3", "0,3", "a,b", "1,", "1,,3", "1;3", "99999999999999999999"})
    expect_refusal("compile " + path("model.onnx") + " --shape 'x=" + shape + "'",
                   "--shape x=" + shape + ": expected extents of 1 or more, as in 1,3,224,224");
}

class BadExternalData : public BadModel {
 protected:
  /// The message when the weights lie at `location`, and there are `entries` besides.
  void expect_refused_at(
      const std::string& location, const std::string& message,
      const std::vector<std::pair<std::string, std::string>>& entries = {}) const {
    expect_refused(model_with_weights([&](TensorProto& w) {
                     w.clear_float_data();
                     w.set_data_location(TensorProto::EXTERNAL);
                     const auto add = [&](const std::string& key, const std::string& value) {
                       onnx::StringStringEntryProto& entry = *w.add_external_data();
                       entry.set_key(key);
                       entry.set_value(value);
                     };
                     add("location", location);
                     for (const auto& [key, value] : entries) add(key, value);
                   }),
                   "initialiser \"w\": external data \"" + location + "\": " + message);
  }
};

TEST_F(BadExternalData, IsRefusedOutsideTheFolderOfTheModel) {
  const TemporaryFolder elsewhere = *TemporaryFolder::make();
  ASSERT_TRUE(write_file(elsewhere / "w", std::string(12, '\0')));
  const std::string inside = "expected a path inside the folder of the model";
  const std::string name = elsewhere.path().filename().string();
  expect_refused_at("../" + name + "/w", inside);
  expect_refused_at("sub/../../" + name + "/w", inside);
  expect_refused_at((elsewhere / "w").string(), inside);
  expect_refused_at("/dev/zero", inside);
  std::filesystem::create_symlink(elsewhere / "w", path("file_link"));
  expect_refused_at("file_link", "a link leads out of the folder of the model");
  std::filesystem::create_directory_symlink(elsewhere.path(), path("folder_link"));
  expect_refused_at("folder_link/w", "a link leads out of the folder of the model");
}

TEST_F(BadExternalData, IsRefusedWhenCutShortOrAbsent) {
  write("short", std::string(8, '\0'));
  expect_refused_at("short", "has 8 bytes, expected 12 from 0 on");
  expect_refused_at("nowhere", "No such file or directory");
  expect_refused_at(".", "expected a file");
  write("whole", std::string(12, '\0'));
  expect_refused_at("whole", "has 12 bytes, expected 12 from 4 on", {{"offset", "4"}});
  expect_refused_at("whole", "8 bytes, expected 12", {{"length", "8"}});
}

/// Compiles a sound model to places that do not take it.
class BadOutput : public BadModel {
 protected:
  BadOutput() { write("model.onnx", small_model().SerializeAsString()); }
  std::string compile_to(const std::string& output) const {
    return "compile " + path("model.onnx") + " -o " + output;
  }
};

TEST_F(BadOutput, IsRefusedBeforeAnythingIsCompiled) {
  expect_refusal(compile_to("/no/such/folder/x.tessera"),
                 "/no/such/folder/x.tessera: No such file or directory");
  expect_refusal(compile_to("/dev/full"), "/dev/full: not a file that could be replaced");
  expect_refusal(compile_to(folder_.path().string()),
                 folder_.path().string() + ": not a file that could be replaced");
}

TEST_F(BadOutput, IsLeftAsItWasWhenTheDiskIsFull) {
  write("model.tessera", "before");
  const Ended ended =
      run_shell("ulimit -f 4; " TESSERA_PROGRAM " " + compile_to(path("model.tessera")));
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.text,
            "tessera: " + path("model.onnx") + ": " + path("model.tessera") + ": File too large\n");
  EXPECT_EQ(*read_file(path("model.tessera")), "before");
  EXPECT_EQ(files(), (std::set<std::string>{"model.onnx", "model.tessera"}));
}

TEST_F(BadOutput, IsToldOfWhenItIsStdout) {
  EXPECT_EQ(run_shell(TESSERA_PROGRAM " zoo list >/dev/full").text,
            "tessera: stdout: No space left on device\n");
  EXPECT_EQ(run_shell(TESSERA_PROGRAM " zoo list >/dev/full").code, 2);
}

TEST_F(BadOutput, IsWholeOrAbsentAfterAProcessWasKilled) {
  const std::string package = path("model.tessera");
  for (const std::string seconds : {"0.02", "0.1", "0.5", "1"}) {
    run_shell("timeout -s KILL " + seconds + " " TESSERA_PROGRAM " compile zoo:resnet18 -o " +
              package);
    if (files().contains("model.tessera")) {
      EXPECT_NE(printed("show " + package), "");
      std::filesystem::remove(package);
    }
    EXPECT_EQ(files(), std::set<std::string>{"model.onnx"}) << seconds;
  }
}

}  // namespace
}  // namespace tessera
