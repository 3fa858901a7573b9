#include "cli/model_argument.h"

#include "onnx/export.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace tessera {
namespace {

TEST(ModelArgument, NamesANetworkOfTheZooOrAFile) {
  Result<Graph> named = read_model({.model = "zoo:squeezenet"});
  ASSERT_TRUE(named) << named.error().message;
  const std::string path = testing::TempDir() + "tessera_model_argument.onnx";
  ASSERT_TRUE(export_onnx_file(*named, path));
  const Result<Graph> read = read_model({.model = path});
  std::remove(path.c_str());
  ASSERT_TRUE(read) << read.error().message;
  named->types.erase("output");  // what a file says of outputs is not relied on
  EXPECT_EQ(to_text(*read), to_text(*named));
}

TEST(ModelArgument, RefusesWhatIsNeither) {
  EXPECT_TRUE(read_model({.model = "zoo:lenet"})
                  .error()
                  .message.starts_with("zoo:lenet: no such network, expected one of resnet18, "));
  EXPECT_TRUE(read_model({.model = "absent.onnx"}).error().message.starts_with("absent.onnx: "));
}

TEST(ModelArgument, RefusesShapesForTheZoo) {
  EXPECT_EQ(
      read_model({.model = "zoo:squeezenet", .shapes = {"input=2,3,224,224"}}).error().message,
      "--shape input=2,3,224,224: the shapes of zoo:squeezenet are fixed");
}

TEST(ModelArgument, RefusesMalformedShapes) {
  EXPECT_EQ(read_model({.model = "zoo:squeezenet", .shapes = {"2,3"}}).error().message,
            "--shape 2,3: expected NAME=1,3,224,224");
  EXPECT_EQ(read_model({.model = "zoo:squeezenet", .shapes = {"input=2,x"}}).error().message,
            "--shape input=2,x: expected extents of 1 or more, as in 1,3,224,224");
  EXPECT_EQ(read_model({.model = "zoo:squeezenet", .shapes = {"input=2,"}}).error().message,
            "--shape input=2,: expected extents of 1 or more, as in 1,3,224,224");
}

}  // namespace
}  // namespace tessera
