#include "schedule/schedule.h"

#include "ir/text.h"
#include "schedule/space.h"
#include "support/documented.h"
#include "support/expect_step.h"
#include "support/random_step.h"
#include "support/random_task.h"
#include "support/small_tasks.h"

#include <gtest/gtest.h>

#include <set>

namespace tessera {
namespace {

constexpr std::string_view every_step = R"(algorithm C winograd4
layout B [1/16 0 1%16] halo 0:1:2
inline P
cache_write C
cache_read B C.j.0 stack [0 1+16]
split C.k [8 4]
fuse C.i C.j
reorder [C.k C.i]
compute_at C D.i.0 register
factor S [S.k.0 S.k.1]
vectorize C.j
unroll C.i.1
jam C.i 4
parallel C.i.0
prefetch B C.k 8
)";

std::string refusal(std::string_view text) {
  const Result<Schedule> schedule = parse_schedule(text);
  return schedule ? "accepted" : schedule.error().message;
}

void expect_round_trip(const Schedule& schedule) {
  const Result<Schedule> again = parse_schedule(to_text(schedule));
  ASSERT_TRUE(again) << again.error().message << "\n" << to_text(schedule);
  EXPECT_EQ(*again, schedule) << to_text(schedule);
}

TEST(ScheduleText, HoldsEveryStep) {
  const Result<Schedule> schedule = parse_schedule(every_step);
  ASSERT_TRUE(schedule) << schedule.error().message;
  EXPECT_EQ(to_text(*schedule), every_step);
  std::set<std::size_t> kinds;
  for (const Step& step : *schedule) kinds.insert(step.index());
  EXPECT_EQ(kinds.size(), std::variant_size_v<Step>);
}

TEST(ScheduleText, DocumentedGrammarHasEveryStep) {
  const std::string grammar = documented("SCHEDULE");
  const Schedule schedule = *parse_schedule(every_step);
  for (const Step& step : schedule) {
    const std::string text = to_text(step), name = text.substr(0, text.find(' '));
    EXPECT_NE(grammar.find("'" + name + "' "), std::string::npos) << name;
  }
}

TEST(ScheduleText, DocumentedExampleMakesTheDocumentedProgram) {
  const std::string text = documented("layout A");
  const Result<Schedule> schedule = parse_schedule(text);
  ASSERT_TRUE(schedule) << schedule.error().message;
  EXPECT_EQ(to_text(*schedule), text);
  const Result<Computation> matmul = parse_computation(
      "computation matmul\ninput A f32[128, 768]\nconstant B f32[768, 768]\n"
      "stage C f32[i:128, j:768] = sum[k:768] A[i, k] * B[k, j]\noutput C\n");
  ASSERT_TRUE(matmul) << matmul.error().message;
  EXPECT_EQ(to_text(scheduled(*matmul, *schedule)), documented("program matmul"));
}

TEST(ScheduleText, OfRandomStepsParsesBack) {
  Rng rng(1);
  const Program program = to_program(matmul_relu(8, 8, 8));
  Schedule schedule;
  for (int n = 0; n < 500; ++n) schedule.push_back(random_step(program, rng));
  expect_round_trip(schedule);
}

TEST(ScheduleText, OfDrawsParsesBack) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    const Space space({random_computation(rng), *parse_target("x86-avx2 cores=2")});
    expect_round_trip(draw(space, rng).draft.schedule);
  }
}

TEST(ScheduleText, SkipsBlanksAndComments) {
  const Result<Schedule> schedule =
      parse_schedule("\n  # the outer loop\nunroll   C.i # twice\n\n\tunroll C.j\n");
  ASSERT_TRUE(schedule) << schedule.error().message;
  EXPECT_EQ(to_text(*schedule), "unroll C.i\nunroll C.j\n");
}

TEST(ScheduleText, OfNoStepsIsEmpty) {
  EXPECT_EQ(to_text(Schedule{}), "");
  EXPECT_EQ(parse_schedule("")->size(), 0);
}

TEST(ScheduleText, RefusesWithTheLine) {
  EXPECT_EQ(refusal("unroll C.i\n\nspin C.j\n"),
            "line 3: expected the name of a step, found 'spin'");
  EXPECT_EQ(refusal("unroll C.i\nunroll\n"), "line 2: expected a name, found end of line");
  EXPECT_EQ(refusal("unroll C.i C.j\n"), "line 1: expected end of line, found 'C.j'");
  EXPECT_EQ(refusal("unrolled C.i\n"), "line 1: expected the name of a step, found 'unrolled'");
}

TEST(ScheduleText, RefusesFieldsOfTheWrongKind) {
  EXPECT_EQ(refusal("algorithm C fast\n"),
            "line 1: expected direct, winograd2 or winograd4, found 'fast'");
  EXPECT_EQ(refusal("compute_at C D.i shared\n"),
            "line 1: expected global, constant, stack or register, found 'shared'");
  EXPECT_EQ(refusal("split C.i 4\n"), "line 1: expected '[', found '4'");
  EXPECT_EQ(refusal("split C.i [4\n"), "line 1: expected an integer of 64 bits, found end of line");
  EXPECT_EQ(refusal("split C.i [99999999999999999999]\n"),
            "line 1: expected an integer of 64 bits, found '99999999999999999999'");
  EXPECT_EQ(refusal("reorder [C.i 3]\n"), "line 1: expected a name, found '3'");
  EXPECT_EQ(refusal("layout B 0 1\n"), "line 1: expected '[', found '0'");
  EXPECT_EQ(refusal("layout B [0 9]\n"), "line 1: dimension 9, expected 0 to 7");
  EXPECT_EQ(refusal("jam C.i many\n"), "line 1: expected an integer of 64 bits, found 'many'");
}

TEST(Schedule, StopsAtTheFirstRefusal) {
  expect_refusal(matmul(8, 8, 8), {Unroll{"C.i"}, Unroll{"C.x"}, Unroll{"C.y"}},
                 "unroll C.x: no such axis");
}

TEST(Schedule, RefusesALoweredProgram) {
  Program program = to_program(matmul(8, 8, 8));
  program.form = Form::Lowered;
  const Result<Program> got = tessera::apply(Step{Split{"C.i", {2}}}, program);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().message, "split C.i [2]: the program is lowered already");
}

TEST(Fingerprint, OfATaskIsTheSameEverywhere) {
  const Task task{matmul(8, 8, 8), *parse_target("x86-avx2")};
  EXPECT_EQ(to_text(fingerprint(task)), "ffcdc43e368c3ff52048d106c1518b40");
}

TEST(Fingerprint, OfATaskLeavesOutItsName) {
  Task task{matmul(8, 8, 8), *parse_target("x86-avx2")};
  const Fingerprint before = fingerprint(task);
  task.computation.name = "another";
  EXPECT_EQ(fingerprint(task), before);
}

TEST(TaskText, ReadsBack) {
  const Task task{matmul(8, 8, 8), *parse_target("x86-avx2 cores=2"), {{"B", row_major(2)}}};
  const Result<Task> got = parse_task(to_text(task), task.target);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(fingerprint(*got), fingerprint(task));
  EXPECT_EQ(to_text(*got), to_text(task));
  EXPECT_FALSE(parse_task("", task.target));
  EXPECT_FALSE(parse_task(to_text(task) + "unroll C.i\n", task.target));
}

TEST(Fingerprint, OfATaskTellsSizesAndTargetsApart) {
  std::set<Fingerprint> seen;
  for (const std::int64_t m : {8, 9})
    for (const char* target : {"x86-avx2", "x86-avx2 cores=2", "x86-avx512"})
      seen.insert(fingerprint(Task{matmul(m, 8, 8), *parse_target(target)}));
  EXPECT_EQ(seen.size(), 6);
}

}  // namespace
}  // namespace tessera
