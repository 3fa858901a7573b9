#include "e2e/program.h"
#include "onnx/export.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tessera {
namespace {

const std::string matmul = "matmul:m=32,n=48,k=40";

TEST(Program, TellsItsVersion) { EXPECT_TRUE(printed("--version").starts_with("tessera ")); }

TEST(Program, RefusesOnOneLineWithCode2) {
  for (const char* arguments : {"", "nonsense", "devices --nonsense", "--nonsense", "show",
                                "demo --repeats 0", "zoo list x"}) {
    const Ended ended = tessera_program(arguments);
    EXPECT_EQ(ended.code, 2) << arguments;
    EXPECT_TRUE(ended.text.starts_with("tessera: ")) << ended.text;
    EXPECT_EQ(ended.text.find('\n'), ended.text.size() - 1) << ended.text;
  }
}

TEST(Program, HelpsEachVerbWithAnExample) {
  for (const std::string verb : {"demo", "inspect", "tune", "compile", "run", "bench", "profile",
                                 "report", "show", "zoo list", "db stats", "devices", "doctor"}) {
    const std::string text = printed(verb + " --help");
    EXPECT_NE(text.find("Example: tessera " + verb), std::string::npos) << text;
    EXPECT_NE(text.find("--json"), std::string::npos) << text;
  }
}

TEST(Program, ShowsTheHostAndThePresets) {
  const std::string text = printed("devices");
  EXPECT_TRUE(text.starts_with("host: ")) << text;
  EXPECT_NE(text.find("riscv64-v256"), std::string::npos) << text;
}

TEST(Program, ListsTheZoo) {
  const std::string text = printed("zoo list");
  EXPECT_TRUE(text.starts_with("name ")) << text;
  EXPECT_NE(text.find("bert_base           input_ids int64[1, 128] and 2 more"), std::string::npos)
      << text;
  expect_refusal("zoo", "zoo: no verb given, expected list or export");
}

TEST(Program, WritesJson) {
  EXPECT_TRUE(printed("zoo list --json").starts_with("[\n  {\n    \"name\": \"resnet18\""));
  EXPECT_TRUE(printed("devices --json").starts_with("{\n  \"host\": {"));
  EXPECT_TRUE(printed("doctor --json").starts_with("[\n  {\n    \"name\": \"tessera\""));
  EXPECT_TRUE(printed("show --json --emit=schedule --target=x86-avx2 " + matmul)
                  .starts_with("{\n  \"subject\": \"" + matmul +
                               "\",\n  \"target\": \"x86-avx2\",\n  \"emit\": \"schedule\",\n"
                               "  \"text\": \"cache_write matmul\\n"));
}

TEST(Demo, TimesEachTaskNextToThePeak) {
  const std::string text = printed("demo --repeats 1");
  for (const char* row : {"\nmultiply-adds", "\nmatmul", "direct  ", "winograd  "})
    EXPECT_NE(text.find(row), std::string::npos) << text;
}

TEST(Show, PrintsEveryStationOfATaskAndOfItsFiles) {
  const File computation(printed("show --emit=computation " + matmul));
  const File schedule(printed("show --emit=schedule " + matmul));
  const File program(printed("show --emit=program " + matmul));
  const File lowered(printed("show --emit=lowered " + matmul));
  const std::string of_schedule = schedule.path() + " --task=" + computation.path();
  const std::string with_schedule = matmul + " --schedule=" + schedule.path();
  const auto expect_same = [](const std::string& emit, const std::vector<std::string>& subjects) {
    const std::string want = printed("show --emit=" + emit + " " + matmul);
    for (const std::string& subject : subjects)
      EXPECT_EQ(printed("show --emit=" + emit + " " + subject), want) << subject;
  };
  expect_same("computation", {computation.path()});
  expect_same("schedule", {computation.path(), of_schedule, with_schedule});
  expect_same("program", {of_schedule, with_schedule, program.path()});
  expect_same("lowered", {of_schedule, program.path(), lowered.path()});
  expect_same("llvm", {program.path(), lowered.path()});
  expect_same("asm", {of_schedule, lowered.path()});
}

TEST(Show, PrintsByDefaultTheProgram) {
  EXPECT_EQ(printed("show " + matmul), printed("show --emit=program " + matmul));
  const std::string lowered = printed("show --emit=lowered " + matmul);
  EXPECT_EQ(printed("show " + File(lowered).path()), lowered);
}

TEST(Show, PutsWhatPreparesConstantsAfterTheLoweredProgram) {
  const File schedule("algorithm conv winograd2\n");
  const std::string text =
      printed("show conv2d:c=8,h=8,w=8,o=8,k=3,p=1 --emit=lowered --schedule=" + schedule.path());
  EXPECT_NE(text.find("\nprogram conv2d_prepare lowered\n"), std::string::npos) << text;
  EXPECT_EQ(printed("show " + File(text).path()), text);
  const File with_more(text + "oops\n");
  expect_refusal("show " + with_more.path(),
                 with_more.path() + ":" + std::to_string(1 + std::ranges::count(text, '\n')) +
                     ": expected '[', found end of line");
}

TEST(Show, DrawsASchedule) {
  EXPECT_EQ(printed("show --schedule=random:7 " + matmul),
            printed("show --schedule=random:7 " + matmul));
}

TEST(Show, RefusesUnknownNames) {
  expect_refusal(
      "show --emit=tokens " + matmul,
      "--emit=tokens: expected one of computation, schedule, program, lowered, llvm, asm");
  expect_refusal("show --target=z80 " + matmul,
                 "target 'z80': unknown, expected one of native, x86-sse42, x86-avx, x86-avx2, "
                 "x86-avx512, aarch64-neon, aarch64-sve256, riscv64-v128, riscv64-v256");
  expect_refusal("show --schedule=random:x " + matmul,
                 "--schedule=random:x: expected random: and a seed of 0 or more");
  expect_refusal("show matmul:m=8,n=8", "matmul: key k is missing");
}

TEST(Show, RefusesMissingFiles) {
  expect_refusal("show nowhere.txt",
                 "nowhere.txt: No such file or directory; expected a file or a task such as "
                 "matmul:m=128,n=768,k=768");
  expect_refusal("show --schedule=nowhere.txt " + matmul, "nowhere.txt: No such file or directory");
}

TEST(Show, RefusesMalformedTextWithItsLine) {
  const auto expect_message = [](const std::string& text, const std::string& message) {
    const File file(text);
    expect_refusal("show " + file.path() + " --task=" + matmul, file.path() + message);
  };
  expect_message("# a comment\nnonsense\n",
                 ":2: expected 'computation', 'program' or the name of a step, found 'nonsense'");
  expect_message("computation c\ninput A f32[4\n", ":2: expected ',', found end of line");
  expect_message("computation c\noutput A\n", ": output A: no stage of that name");
  expect_message("program p raised\n", ":1: no form raised");
  expect_message("\nsplit matmul.i 8\n", ":2: expected '[', found '8'");
}

TEST(Show, RefusesIllegalStepsWithTheirLine) {
  const File file("split matmul.i [8]\n\n# no such axis\nunroll matmul.q\n");
  const std::string message = file.path() + ":4: unroll matmul.q: no such axis";
  for (const std::string emit : {"schedule", "program", "asm"}) {
    expect_refusal("show --emit=" + emit + " " + file.path() + " --task=" + matmul, message);
    expect_refusal("show --emit=" + emit + " " + matmul + " --schedule=" + file.path(), message);
  }
}

TEST(Show, RefusesSchedulesThatNeedMoreRegistersThanTheTargetHas) {
  const File schedule(
      "cache_write matmul\nsplit matmul.i [32]\ncompute_at matmul.tile matmul.i.0 register\n"
      "unroll matmul.tile.i\nunroll matmul.tile.j\n");
  const std::string task = " --task=" + matmul;
  const std::string message =
      "program matmul: register tensors need 192 vector registers, x86-avx2 has 16";
  for (const std::string emit : {"lowered", "llvm", "asm"})
    expect_refusal("show --target=x86-avx2 --emit=" + emit + " " + schedule.path() + task, message);
}

TEST(Show, RefusesLoweredProgramsThatNeedMoreRegistersThanTheTargetHas) {
  const File lowered(
      "program p lowered\noutput C f32[1024] layout [0]\nbody\n"
      "alloc t f32[1024] register layout [0] {\n"
      "for i in 1024 unroll {\nt[i] = 0.0\n}\n}\n");
  expect_refusal("show --target=x86-avx2 --emit=asm " + lowered.path(),
                 "program p: register tensors need 128 vector registers, x86-avx2 has 16");
}

TEST(Show, RefusesOptionsThatDoNotGoWithTheSubject) {
  const File schedule("cache_write matmul\n");
  const File lowered(printed("show --emit=lowered " + matmul));
  expect_refusal("show " + schedule.path(),
                 schedule.path() + ": a schedule, expected --task with what it is for");
  expect_refusal("show " + schedule.path() + " --task=" + lowered.path(),
                 "--task=" + lowered.path() + ": expected a task or a file with a computation");
  expect_refusal("show --task=x " + matmul,
                 "--task=x: " + matmul + " needs none, expected a file with a schedule");
  expect_refusal("show --schedule=default " + lowered.path(),
                 "--schedule=default: " + lowered.path() +
                     " has one already, expected a task or a computation");
  expect_refusal(
      "show --emit=program " + lowered.path(),
      "--emit=program: " + lowered.path() + " is past that, expected one of lowered, llvm, asm");
}

TEST(Show, RefusesFilesOfSeveralProgramsThatDoNotBelongTogether) {
  const std::string program = printed("show " + matmul);
  const File file(program + program);
  expect_refusal("show " + file.path(),
                 file.path() + ": 2 programs, expected one, or a lowered one and then its prepare");
}

/// `y = Relu(x)`, then `z = Magic(y)` of an operator that nobody knows, as a file.
File model(bool is_whole) {
  const auto node = [](const char* op, const char* input, const char* output) {
    Node made;
    made.name = made.op = op;
    made.version = 13;
    made.inputs = {input};
    made.outputs = {output};
    return made;
  };
  Graph graph;
  graph.inputs = {{"x", {ElementType::Float, {2, 3}}}};
  graph.nodes = {node("Relu", "x", "y")};
  if (!is_whole) graph.nodes.push_back(node("Magic", "y", "z"));
  graph.outputs = {is_whole ? "y" : "z"};
  return File(export_onnx(graph));
}

TEST(Inspect, TellsWhatANetworkIsMadeOf) {
  EXPECT_EQ(printed("inspect " + model(true).path()),
            "input      x float[2, 3]\n"
            "output     y float[2, 3]\n"
            "nodes      1\n"
            "        1  Relu of operator set 13\n"
            "parameters 0\n"
            "flops      6\n");
  const std::string text = printed("inspect zoo:squeezenet");
  EXPECT_NE(text.find("Conv of operator set"), std::string::npos) << text;
  EXPECT_NE(text.find("parameters 1.2"), std::string::npos) << text;
}

TEST(Inspect, ListsWhatCannotBeCompiledAndRefuses) {
  const File file = model(false);
  const Ended ended = tessera_program("inspect " + file.path());
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.text,
            "input      x float[2, 3]\n"
            "output     z of unknown type\n"
            "nodes      2\n"
            "        1  Magic of operator set 13\n"
            "        1  Relu of operator set 13\n"
            "parameters 0\n"
            "unsupported Magic \"Magic\" of operator set 13 on float[2, 3]: the operator is not "
            "known\n"
            "tessera: " +
                file.path() + ": 1 unsupported node\n");
}

TEST(Inspect, RefusesWhatIsNoModelAndWrongShapes) {
  expect_refusal("inspect nowhere.onnx", "nowhere.onnx: No such file or directory");
  const File text("text");
  expect_refusal(
      "inspect " + text.path(),
      text.path() + ": not an ONNX model: damaged, cut off, nested too deeply or larger than 2 GB");
  const File file = model(true);
  expect_refusal("inspect " + file.path() + " --shape x=2,4",
                 file.path() + ": --shape x=[2, 4]: the model says [2, 3]");
  expect_refusal("inspect " + file.path() + " --shape x", "--shape x: expected NAME=1,3,224,224");
}

}  // namespace
}  // namespace tessera
