#include "onnx/import.h"

#include "base/file.h"
#include "base/temporary_folder.h"
#include "onnx/sample_models.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <google/protobuf/unknown_field_set.h>
#include <limits>

namespace tessera {
namespace {

using onnx::AttributeProto;
using onnx::GraphProto;
using onnx::ModelProto;
using onnx::NodeProto;
using onnx::TensorProto;

Graph imported(const ModelProto& model, const ImportOptions& options = {}) {
  Result<Imported> got = import_onnx(model.SerializeAsString(), options);
  EXPECT_TRUE(got) << got.error().message;
  return got ? std::move(got->graph) : Graph();
}

std::string refusal(const ModelProto& model, const ImportOptions& options = {}) {
  const Result<Imported> got = import_onnx(model.SerializeAsString(), options);
  return got ? "accepted" : got.error().message;
}

GraphProto& graph_of(ModelProto& model) { return *model.mutable_graph(); }

TEST(Import, GivesInputsConstantsNodesAndOutputs) {
  EXPECT_EQ(to_text(imported(small_model())),
            "graph test\n"
            "input x float[2, 3]\n"
            "constant w float[3] = 1 -2 0.5\n"
            "sum = Add(x, w)\n"
            "y = Relu(sum)\n"
            "output y\n");
}

TEST(Import, TakesInitialisersThatAreInputsAsConstants) {
  ModelProto model = small_model();
  add_input(model, "w", {"3"});
  EXPECT_EQ(to_text(imported(model)), to_text(imported(small_model())));
}

TEST(Import, GivesNodesTheVersionOfTheirOperatorSet) {
  ModelProto model = small_model();
  model.mutable_opset_import(0)->set_domain("ai.onnx");
  onnx::OperatorSetIdProto& more = *model.add_opset_import();
  more.set_domain("com.microsoft");
  more.set_version(1);
  graph_of(model).mutable_node(1)->set_domain("com.microsoft");
  const Graph graph = imported(model);
  EXPECT_EQ(graph.nodes[0].domain, "");
  EXPECT_EQ(graph.nodes[0].version, 13);
  EXPECT_EQ(graph.nodes[1].domain, "com.microsoft");
  EXPECT_EQ(graph.nodes[1].version, 1);
}

TEST(Import, TakesVersionOneWhereTheModelNamesNone) {
  ModelProto model = small_model();
  model.clear_opset_import();
  EXPECT_EQ(imported(model).nodes[0].version, 1);
}

TEST(Import, NamesNodesAfterTheirFirstOutput) {
  ModelProto model = small_model();
  graph_of(model).mutable_node(0)->set_name("given");
  const Graph graph = imported(model);
  EXPECT_EQ(graph.nodes[0].name, "given");
  EXPECT_EQ(graph.nodes[1].name, "y");
}

TEST(Import, PutsNodesInOrder) {
  ModelProto model = small_model();
  graph_of(model).mutable_node()->SwapElements(0, 1);
  EXPECT_EQ(to_text(imported(model)), to_text(imported(small_model())));
}

TEST(Import, ReadsEveryKindOfAttribute) {
  ModelProto model = small_model();
  NodeProto& node = *graph_of(model).mutable_node(1);
  add_attribute(node, "i", AttributeProto::INT).set_i(-3);
  add_attribute(node, "f", AttributeProto::FLOAT).set_f(0.5F);
  add_attribute(node, "s", AttributeProto::STRING).set_s("text");
  add_attribute(node, "is", AttributeProto::INTS).add_ints(4);
  add_attribute(node, "fs", AttributeProto::FLOATS).add_floats(2);
  add_attribute(node, "ss", AttributeProto::STRINGS).add_strings("a");
  *add_attribute(node, "t", AttributeProto::TENSOR).mutable_t() = graph_of(model).initializer(0);
  add_attribute(node, "none", AttributeProto::INTS);
  add_attribute(node, "old", AttributeProto::UNDEFINED).set_i(7);
  EXPECT_TRUE(to_text(imported(model))
                  .find("Relu(sum) f=0.5 fs=[2] i=-3 is=[4] none=[] old=7 s=\"text\" ss=[\"a\"] "
                        "t=float[3] = 1 -2 0.5\n") != std::string::npos);
}

/// `y = If(c) { Relu(x) } else { x }`, with a graph that reads what stands around it.
ModelProto model_with_branches() {
  ModelProto model = empty_model();
  add_input(model, "c", {}, TensorProto::BOOL);
  add_input(model, "x", {"2"});
  NodeProto& node = add_node(graph_of(model), "If", {"c"}, {"y"});
  GraphProto& yes = *add_attribute(node, "then_branch", AttributeProto::GRAPH).mutable_g();
  add_node(yes, "Relu", {"x"}, {"r"});
  yes.add_output()->set_name("r");
  GraphProto& no = *add_attribute(node, "else_branch", AttributeProto::GRAPH).mutable_g();
  no.add_output()->set_name("x");
  add_output(model, "y");
  return model;
}

TEST(Import, ReadsGraphsThatReadWhatStandsAroundThem) {
  const Graph graph = imported(model_with_branches());
  const auto& yes =
      std::get<std::shared_ptr<const Graph>>(graph.nodes.at(0).attributes.at("then_branch"));
  EXPECT_EQ(to_text(*yes), "graph network\nr = Relu(x)\noutput r\n");
  EXPECT_EQ(reads_of(graph.nodes[0]), (std::set<ValueId>{"c", "x"}));
}

TEST(Import, RefusesAnInnerCycle) {
  ModelProto model = model_with_branches();
  GraphProto& yes = *graph_of(model).mutable_node(0)->mutable_attribute(0)->mutable_g();
  yes.mutable_node(0)->set_input(0, "r");
  EXPECT_EQ(refusal(model),
            "If \"y\": attribute \"then_branch\" Relu \"r\" reads what nothing defines, or what "
            "depends on itself");
}

/// `inner(a) = Softmax(a * a)` along an attribute, called twice, once by another function.
ModelProto model_with_functions() {
  ModelProto model = empty_model();
  onnx::FunctionProto& inner = *model.add_functions();
  inner.set_domain("own");
  inner.set_name("inner");
  inner.add_input("a");
  inner.add_output("b");
  inner.add_opset_import()->set_version(17);
  add_node(inner, "Mul", {"a", "a"}, {"t"});
  NodeProto& last = add_node(inner, "Softmax", {"t"}, {"b"});
  add_attribute(last, "axis", AttributeProto::INT).set_ref_attr_name("along");
  onnx::FunctionProto& outer = *model.add_functions();
  outer.set_domain("own");
  outer.set_name("outer");
  outer.add_input("p");
  outer.add_output("q");
  outer.add_opset_import()->set_version(17);
  add_node(outer, "inner", {"p"}, {"m"}).set_domain("own");
  add_node(outer, "Relu", {"m"}, {"q"});

  onnx::OperatorSetIdProto& own = *model.add_opset_import();
  own.set_domain("own");
  own.set_version(1);
  add_input(model, "x", {"2"});
  add_node(graph_of(model), "outer", {"x"}, {"h"}).set_domain("own");
  NodeProto& call = add_node(graph_of(model), "inner", {"h"}, {"y"});
  call.set_domain("own");
  add_attribute(call, "along", AttributeProto::INT).set_i(0);
  add_output(model, "y");
  return model;
}

TEST(Import, ReplacesCallsOfFunctionsByTheirNodes) {
  const Graph graph = imported(model_with_functions());
  EXPECT_EQ(to_text(graph),
            "graph test\n"
            "input x float[2]\n"
            "h/m/t = Mul(x, x)\n"
            "h/m = Softmax(h/m/t)\n"
            "h = Relu(h/m)\n"
            "y/t = Mul(h, h)\n"
            "y = Softmax(y/t) axis=0\n"
            "output y\n");
  EXPECT_EQ(graph.nodes[0].version, 17);
}

TEST(Import, GivesFunctionsTheirDefaults) {
  ModelProto model = model_with_functions();
  AttributeProto along;
  along.set_name("along");
  along.set_type(AttributeProto::INT);
  along.set_i(-1);
  model.mutable_functions(0)->mutable_unknown_fields()->AddLengthDelimited(
      11, along.SerializeAsString());
  const std::string text = to_text(imported(model));
  EXPECT_NE(text.find("h/m = Softmax(h/m/t) axis=-1\n"), std::string::npos);
  EXPECT_NE(text.find("y = Softmax(y/t) axis=0\n"), std::string::npos);
}

TEST(Import, RefusesFunctionsThatNeverEnd) {
  ModelProto model = model_with_functions();
  add_node(*model.mutable_functions(0), "outer", {"a"}, {"u"}).set_domain("own");
  EXPECT_EQ(refusal(model), "own.outer \"h/m/u\": function outer calls itself");
}

TEST(Import, RefusesFunctionsThatExpandToTooMuch) {
  ModelProto model = empty_model();
  constexpr int depth = 30;
  for (int n = 0; n < depth; ++n) {
    onnx::FunctionProto& function = *model.add_functions();
    function.set_name("f" + std::to_string(n));
    function.set_domain("own");
    function.add_input("a");
    function.add_output("b");
    for (const char* out : {"t", "b"})
      add_node(function, "f" + std::to_string(n + 1), {"a"}, {out}).set_domain("own");
  }
  add_input(model, "x", {"2"});
  add_node(graph_of(model), "f0", {"x"}, {"y"}).set_domain("own");
  model.mutable_functions(depth - 1)->clear_node();
  EXPECT_EQ(refusal(model),
            "functions of the model expand to more than 67108864 bytes beyond its size");
}

struct Refused {
  std::function<void(ModelProto&)> change;
  std::string message;
};

TEST(Import, RefusesIllFormedModels) {
  const std::vector<Refused> cases = {
      {[](ModelProto& m) { m.clear_graph(); }, "not an ONNX model: it has no graph"},
      {[](ModelProto& m) { graph_of(m).mutable_node(0)->set_input(1, "y"); },
       "Add \"sum\" reads what nothing defines, or what depends on itself"},
      {[](ModelProto& m) { graph_of(m).mutable_node(0)->set_output(0, "y"); },
       "Relu \"y\" reads what nothing defines, or what depends on itself"},
      {[](ModelProto& m) { add_node(graph_of(m), "Relu", {"x"}, {"y"}); },
       "Relu \"y\": value \"y\" is defined twice"},
      {[](ModelProto& m) { add_input(m, "x", {"1"}); }, "value \"x\" is defined twice"},
      {[](ModelProto& m) { add_weights(m, "w", {1}, {1}); }, "initialiser \"w\" is defined twice"},
      {[](ModelProto& m) { add_output(m, "z"); }, "output \"z\" is defined by nothing"},
      {[](ModelProto& m) { graph_of(m).mutable_node(1)->set_domain("other"); },
       "other.Relu \"y\": the model names no version of operator set \"other\""},
      {[](ModelProto& m) { graph_of(m).mutable_node(1)->set_domain("tessera"); },
       "tessera.Relu \"y\": operators of domain \"tessera\" are not for models"},
      {[](ModelProto& m) { graph_of(m).add_sparse_initializer()->mutable_values()->set_name("s"); },
       "initialiser \"s\" is a sparse tensor, which is not supported"},
  };
  for (const Refused& refused : cases) {
    ModelProto model = small_model();
    refused.change(model);
    EXPECT_EQ(refusal(model), refused.message);
  }
}

TEST(Import, RefusesIllTypedAttributes) {
  const auto refusal_of = [](const std::function<void(NodeProto&)>& change) {
    ModelProto model = small_model();
    change(*graph_of(model).mutable_node(1));
    return refusal(model);
  };
  EXPECT_EQ(refusal_of([](NodeProto& n) { add_attribute(n, "a", AttributeProto::INT).set_f(1); }),
            "Relu \"y\": attribute \"a\" holds a float, but its type says an int");
  EXPECT_EQ(refusal_of([](NodeProto& n) { add_attribute(n, "a", AttributeProto::UNDEFINED); }),
            "Relu \"y\": attribute \"a\" has neither a type nor a value");
  EXPECT_EQ(refusal_of([](NodeProto& n) {
              add_attribute(n, "a", AttributeProto::SPARSE_TENSOR).mutable_sparse_tensor();
            }),
            "Relu \"y\": attribute \"a\" holds a sparse tensor, which is not supported");
  EXPECT_EQ(refusal_of([](NodeProto& n) { add_attribute(n, "axis", AttributeProto::INTS); }),
            "Relu \"y\": attribute \"axis\" is not an int");
  EXPECT_EQ(refusal_of([](NodeProto& n) {
              add_attribute(n, "a", AttributeProto::INT);
              add_attribute(n, "a", AttributeProto::INT);
            }),
            "Relu \"y\": attribute \"a\" is given twice");
  EXPECT_EQ(refusal_of([](NodeProto& n) {
              add_attribute(n, "a", AttributeProto::INT).set_ref_attr_name("b");
            }),
            "Relu \"y\": attribute \"a\" stands for that of a function, outside one");
}

TEST(Import, RefusesUnsoundWeights) {
  const auto refusal_of = [](const std::function<void(TensorProto&)>& change) {
    ModelProto model = small_model();
    change(*graph_of(model).mutable_initializer(0));
    return refusal(model);
  };
  EXPECT_EQ(refusal_of([](TensorProto& t) { t.set_dims(0, 4); }),
            "initialiser \"w\": holds 12 bytes, expected 16 for float[4]");
  EXPECT_EQ(refusal_of([](TensorProto& t) { t.set_raw_data("abc"); }),
            "initialiser \"w\": holds 3 bytes, expected 12 for float[3]");
  EXPECT_EQ(refusal_of([](TensorProto& t) { t.set_dims(0, std::int64_t{1} << 60); }),
            "initialiser \"w\": shape [1152921504606846976]: more than 2^48 elements");
  EXPECT_EQ(refusal_of([](TensorProto& t) { t.set_dims(0, -3); }),
            "initialiser \"w\": shape [-3]: extent -3 is below 1");
  EXPECT_EQ(refusal_of([](TensorProto& t) { t.set_data_type(TensorProto::STRING); }),
            "initialiser \"w\": elements of type string are not supported");
  EXPECT_EQ(refusal_of([](TensorProto& t) { t.set_data_type(99); }),
            "initialiser \"w\": elements of type number 99 are not supported");
  EXPECT_EQ(refusal_of([](TensorProto& t) { t.set_float_data(1, NAN); }),
            "initialiser \"w\": holds nan, expected numbers");
}

TEST(Import, RefusesWhatIsNoModel) {
  const std::string bytes = small_model().SerializeAsString();
  const std::string message =
      "not an ONNX model: damaged, cut off, nested too deeply or larger than 2 GB";
  EXPECT_EQ(import_onnx(std::string_view(bytes).substr(0, bytes.size() - 5)).error().message,
            message);
  EXPECT_EQ(import_onnx("plain text").error().message, message);
  EXPECT_EQ(import_onnx("").error().message, "not an ONNX model: it has no graph");
  ModelProto without_outputs = small_model();
  graph_of(without_outputs).clear_output();
  EXPECT_EQ(refusal(without_outputs), "the graph has no outputs");
  EXPECT_EQ(import_onnx_file("/no/such.onnx").error().message,
            "/no/such.onnx: No such file or directory");
}

TEST(Import, RefusesInputsThatAreNoTensorsOfNumbers) {
  ModelProto model = small_model();
  graph_of(model).mutable_input(0)->mutable_type()->mutable_sequence_type();
  EXPECT_EQ(refusal(model), "input \"x\" is a sequence, expected a tensor");
  graph_of(model).mutable_input(0)->mutable_type()->mutable_optional_type();
  EXPECT_EQ(refusal(model), "input \"x\" is an optional, expected a tensor");
  graph_of(model).mutable_input(0)->mutable_type()->mutable_map_type();
  EXPECT_EQ(refusal(model), "input \"x\" is a map, expected a tensor");
  graph_of(model).mutable_input(0)->mutable_type()->mutable_sparse_tensor_type();
  EXPECT_EQ(refusal(model), "input \"x\" is a sparse tensor, expected a tensor");
  graph_of(model).mutable_input(0)->clear_type();
  EXPECT_EQ(refusal(model), "input \"x\" is of no known type, expected a tensor");
  graph_of(model).mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(8);
  EXPECT_EQ(refusal(model), "input \"x\" elements of type string are not supported");
}

Shape shape_of(const ModelProto& model, const ImportOptions& options = {}) {
  return imported(model, options).inputs.at(0).type.shape;
}

TEST(ImportShapes, TakesAnUnknownFirstDimensionAsOneWithANotice) {
  for (const char* first : {"batch", ""}) {
    const Result<Imported> got =
        import_onnx(model_of_input({first, "3", "8"}).SerializeAsString(), {});
    ASSERT_TRUE(got);
    EXPECT_EQ(got->graph.inputs[0].type.shape, (Shape{1, 3, 8}));
    ASSERT_EQ(got->notices.size(), 1);
    EXPECT_EQ(got->notices[0], "input \"x\" [" + std::string(*first == 0 ? "?" : first) +
                                   ", 3, 8]: the first dimension is taken as 1; "
                                   "--shape x=N,3,8 gives another");
  }
}

TEST(ImportShapes, RefusesOtherUnknownDimensionsAndSaysWhatToGive) {
  EXPECT_EQ(refusal(model_of_input({"batch", "seq", "8"})),
            "input \"x\" has shape [batch, seq, 8], in which seq is not known; "
            "give --shape x=N,N,8");
  ModelProto model = model_of_input({});
  graph_of(model).mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  EXPECT_EQ(refusal(model), "input \"x\" has no shape; give --shape x=N,...");
}

TEST(ImportShapes, TakesAShapeThatIsGiven) {
  EXPECT_EQ(shape_of(model_of_input({"batch", "seq", "8"}), {.shapes = {{"x", {2, 5, 8}}}}),
            (Shape{2, 5, 8}));
  ModelProto model = model_of_input({});
  graph_of(model).mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  EXPECT_EQ(shape_of(model, {.shapes = {{"x", {4}}}}), (Shape{4}));
}

TEST(ImportShapes, GivesDimensionsOfOneNameOneExtent) {
  ModelProto model = model_of_input({"n", "seq"});
  add_input(model, "mask", {"seq", "n"});
  const Graph graph = imported(model, {.shapes = {{"mask", {7, 2}}}});
  EXPECT_EQ(graph.inputs[0].type.shape, (Shape{2, 7}));
  EXPECT_EQ(refusal(model, {.shapes = {{"x", {2, 6}}, {"mask", {7, 2}}}}),
            "--shape mask=[7, 2]: dimension seq is 6 elsewhere");
}

TEST(ImportShapes, RefusesWrongShapes) {
  const ModelProto model = model_of_input({"n", "3"});
  const auto refusal_of = [&](const std::string& name, Shape shape) {
    return refusal(model, {.shapes = {{name, std::move(shape)}}});
  };
  EXPECT_EQ(refusal_of("z", {1, 3}), "--shape z: no such input, expected one of x");
  EXPECT_EQ(refusal_of("x", {1, 4}), "--shape x=[1, 4]: the model says [n, 3]");
  EXPECT_EQ(refusal_of("x", {1, 3, 1}), "--shape x=[1, 3, 1]: the model says [n, 3]");
  EXPECT_EQ(refusal_of("x", {0, 3}), "--shape x=[0, 3]: shape [0, 3]: extent 0 is below 1");
}

/// The small model with its weights in `location`.
ModelProto model_with_data_at(const std::string& location, const std::string& offset = "0",
                              const std::string& length = "12") {
  ModelProto model = small_model();
  TensorProto& weights = *graph_of(model).mutable_initializer(0);
  weights.clear_float_data();
  weights.set_data_location(TensorProto::EXTERNAL);
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
           {"location", location}, {"offset", offset}, {"length", length}}) {
    onnx::StringStringEntryProto& entry = *weights.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
  return model;
}

std::string weights_bytes() {
  const std::vector<float> values = {1, -2, 0.5F};
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

TEST(ImportExternalData, ReadsAFileBesideTheModel) {
  const TemporaryFolder folder = *TemporaryFolder::make();
  std::filesystem::create_directory(folder / "data");
  ASSERT_TRUE(write_file(folder / "data/w", "pad" + weights_bytes()));
  ASSERT_TRUE(write_file(folder / "m.onnx", model_with_data_at("data/w", "3").SerializeAsString()));
  const Result<Imported> got = import_onnx_file(folder / "m.onnx");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(to_text(got->graph), to_text(imported(small_model())));
}

TEST(ImportExternalData, RefusesWhatLiesOutside) {
  const TemporaryFolder folder = *TemporaryFolder::make();
  std::filesystem::create_directory(folder / "model");
  ASSERT_TRUE(write_file(folder / "outside", weights_bytes()));
  std::filesystem::create_symlink("../outside", folder / "model/link");
  const auto refusal_of = [&](const std::string& location) {
    return refusal(model_with_data_at(location), {.folder = folder / "model"});
  };
  const std::string start = "initialiser \"w\": external data ";
  EXPECT_EQ(refusal_of("../outside"),
            start + "\"../outside\": expected a path inside the folder of the model");
  EXPECT_EQ(refusal_of("/etc/passwd"),
            start + "\"/etc/passwd\": expected a path inside the folder of the model");
  EXPECT_EQ(refusal_of(""), start + "\"\": expected a path inside the folder of the model");
  EXPECT_EQ(refusal_of("link"), start + "\"link\": a link leads out of the folder of the model");
  EXPECT_EQ(refusal_of("."), start + "\".\": expected a file");
  EXPECT_EQ(refusal_of("none"), start + "\"none\": No such file or directory");
  EXPECT_EQ(refusal(model_with_data_at("w")),
            start + "\"w\": the model was given without the folder it lies in");
}

TEST(ImportExternalData, RefusesOtherSizes) {
  const TemporaryFolder folder = *TemporaryFolder::make();
  ASSERT_TRUE(write_file(folder / "w", weights_bytes()));
  const auto refusal_of = [&](const std::string& offset, const std::string& length) {
    return refusal(model_with_data_at("w", offset, length), {.folder = folder.path()});
  };
  const std::string start = "initialiser \"w\": external data";
  EXPECT_EQ(refusal_of("1", "12"), start + " \"w\": has 12 bytes, expected 12 from 1 on");
  EXPECT_EQ(refusal_of("0", "8"), start + " \"w\": 8 bytes, expected 12");
  EXPECT_EQ(refusal_of("-1", "12"), start + ": offset is \"-1\", expected a number of bytes");
}

}  // namespace
}  // namespace tessera
