#include "ops/tasks.h"

#include "ir/text.h"
#include "support/golden.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

std::string refusal_of(std::string_view spec) {
  const Result<Computation> task = parse_task_spec(spec);
  return task ? "not refused" : task.error().message;
}

TEST(TaskSpec, BuildsEveryFamily) {
  for (const char* spec :
       {"matmul:m=8,n=16,k=32", "matmul:m=8,n=16,k=32,ta=1,tb=1,batch=12,b=input,epilogue=gelu",
        "conv2d:n=1,c=64,h=56,w=56,o=64,k=3,s=1,p=1,d=1,g=1,epilogue=bias+add+relu",
        "conv2d:c=8,h=9,w=9,o=4,k=3,g=2", "depthwise:c=8,h=9,w=9,k=3,s=2,p=1,epilogue=bias+relu6",
        "maxpool:c=8,h=9,w=9,k=3,s=2,p=1", "avgpool:c=8,h=9,w=9,k=3", "softmax:rows=1536,cols=128",
        "layernorm:rows=128,cols=768", "rmsnorm:rows=128,cols=768", "gelu:rows=128,cols=768",
        "add:rows=4,cols=5", "transpose:rows=4,cols=5", "reduce:op=max,rows=4,cols=5,axis=0",
        "gather:rows=100,cols=8,count=3", "concat:rows=4,cols=5,parts=3,axis=0",
        "slice:rows=4,cols=5,start=1,end=4,step=2"}) {
    const Result<Computation> task = parse_task_spec(spec);
    ASSERT_TRUE(task) << spec << ": " << task.error().message;
    const Result<Computation> read = parse_computation(to_text(*task));
    ASSERT_TRUE(read) << spec << ": " << read.error().message;
    EXPECT_EQ(*read, *task) << spec;
  }
}

TEST(TaskSpec, HasConstantWeights) {
  expect_golden(
      to_text(*parse_task_spec("conv2d:c=64,h=56,w=56,o=32,k=3,s=2,p=1,epilogue=bias+relu")));
}

TEST(TaskSpec, RefusesUnknownWordsWithTheKnownOnes) {
  EXPECT_EQ(
      refusal_of("matmull:m=3"),
      "task matmull: no such family; known: matmul, conv2d, depthwise, maxpool, avgpool, softmax, "
      "layernorm, rmsnorm, add, transpose, reduce, gather, concat, slice, relu, relu6, gelu, "
      "gelu_tanh, "
      "silu, hardswish, sigmoid, tanh");
  EXPECT_EQ(refusal_of("softmax:rows=3,colums=4"), "softmax: no key colums; known: rows, cols");
  EXPECT_EQ(refusal_of("matmul:m=3,n=4,k=5,ta=0+1"), "matmul: ta=0+1; known: 0, 1");
  EXPECT_EQ(refusal_of("matmul:m=3,n=4,k=5,b=random"), "matmul: b=random; known: const, input");
  EXPECT_EQ(
      refusal_of("matmul:m=3,n=4,k=5,epilogue=bias+rellu"),
      "matmul: epilogue=bias+rellu; known: none, bias, add, relu, relu6, gelu, gelu_tanh, silu, "
      "hardswish, sigmoid, tanh");
}

TEST(TaskSpec, RefusesValuesThatMakeNoTask) {
  EXPECT_EQ(refusal_of("matmul:m=3,n=4"), "matmul: key k is missing");
  EXPECT_EQ(refusal_of("softmax"), "softmax: key rows is missing");
  EXPECT_EQ(refusal_of("matmul:m=3,m=4"), "matmul: key m is given twice");
  EXPECT_EQ(refusal_of("matmul:m=3x"), "matmul: m=3x is no integer up to 2^30");
  EXPECT_EQ(refusal_of("matmul:m"), "matmul: m= is no integer up to 2^30");
  EXPECT_EQ(refusal_of("matmul:m=9999999999"), "matmul: m=9999999999 is no integer up to 2^30");
  EXPECT_EQ(refusal_of("softmax:rows=0,cols=4"),
            "x: expected positive extents and at most 2^40 elements, got shape [0, 4]");
  EXPECT_EQ(refusal_of("conv2d:c=8,h=9,w=9,o=4,k=3,g=3"), "conv2d: g=3 does not divide c=8");
  EXPECT_EQ(refusal_of("concat:rows=4,cols=5,parts=100"), "concat: parts=100; expected at most 64");
}

TEST(TaskSpec, HelpNamesEveryKey) {
  EXPECT_NE(task_spec_help().find("slice:rows=,cols=,start=,end=,step=1,axis=1\n"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera
