#include "feature/task_features.h"

#include "feature/statement_features.h"
#include "ops/tasks.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

/// The names of what is found in a task, after the schedule.
std::vector<std::string> tags_of(std::string_view spec, const Schedule& schedule = {}) {
  const Task task{*parse_task_spec(spec), *parse_target("x86-avx2")};
  const Program program = *tessera::apply(schedule, to_program(task.computation));
  const std::array<float, 10> values = statement::task_features(task, program);
  const std::vector<std::string> columns = statement_columns();
  std::vector<std::string> tags;
  for (std::size_t n = 0; n < values.size(); ++n)
    if (values[n] != 0) tags.push_back(columns[164 + n].substr(5));
  return tags;
}

using Names = std::vector<std::string>;

TEST(TaskFeatures, TellProductsApart) {
  EXPECT_EQ(tags_of("matmul:m=8,n=8,k=8"), Names{"dense"});
  EXPECT_EQ(tags_of("matmul:m=8,n=8,k=8,batch=4"), Names{"batch_matmul"});
  EXPECT_EQ(tags_of("conv2d:c=8,h=8,w=8,o=8,k=3,p=1"), Names{"conv2d"});
  EXPECT_EQ(tags_of("conv2d:c=8,h=8,w=8,o=8,k=1"), Names{"conv2d"});
  EXPECT_EQ(tags_of("conv2d:c=8,h=8,w=8,o=8,k=3,p=1,g=2"), Names{"conv2d"});
  EXPECT_EQ(tags_of("depthwise:c=8,h=8,w=8,k=3,p=1"), Names{"depthwise_conv2d"});
}

TEST(TaskFeatures, KnowEpiloguesAndSoftmax) {
  EXPECT_EQ(tags_of("matmul:m=8,n=8,k=8,epilogue=bias+relu6"),
            (Names{"max", "min", "add", "dense"}));
  EXPECT_EQ(tags_of("softmax:rows=8,cols=8"), (Names{"max", "softmax"}));
  EXPECT_EQ(tags_of("maxpool:c=8,h=8,w=8,k=2,s=2"), Names{"max"});
}

TEST(TaskFeatures, KnowThatAScheduleChoseWinograd) {
  EXPECT_EQ(tags_of("conv2d:c=8,h=8,w=8,o=8,k=3,p=1",
                    {ChooseAlgorithm{.stage = "conv", .algorithm = Algorithm::Winograd2}}),
            Names{"conv2d_winograd"});
}

}  // namespace
}  // namespace tessera
