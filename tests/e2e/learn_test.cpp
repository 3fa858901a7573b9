// Teaching and judging from the command line, on a small data set whose times are the prior's.
#include "base/file.h"
#include "base/temporary_folder.h"
#include "e2e/program.h"
#include "learn/network_uses.h"
#include "ops/tasks.h"
#include "record/exchange.h"
#include "schedule/space.h"
#include "search/seeds.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace tessera {
namespace {

class Learning : public testing::Test {
 protected:
  Learning() {
    RecordStore store = *RecordStore::open(at("store.db"));
    NetworkUses held{.network = "held", .target = to_text(target_), .is_held_out = true};
    for (int n = 0; n < 24; ++n) {
      const std::string spec = "matmul:m=" + std::to_string(16 + 8 * n) + ",n=64,k=96";
      const Task task{*parse_task_spec(spec), target_};
      if (n < 3) held.calls[to_text(fingerprint(task))] = n + 1;
      EXPECT_TRUE(store.add(std::vector{entry_of(task)}, records_of(task)));
    }
    EXPECT_TRUE(export_records(store, data_, {}, "test"));
    EXPECT_TRUE(write_file(data_ + "/networks.json", to_json({held})));
  }

  static std::vector<Record> records_of(const Task& task) {
    std::vector<Record> records;
    const Space space(task);
    Rng rng(3);
    for (int n = 0; n < 12; ++n) {
      const Space::Chain chain = draw(space, rng);
      records.push_back({.task = to_text(fingerprint(task)),
                         .target = to_text(task.target),
                         .schedule = to_text(chain.draft.schedule),
                         .choices = to_text(chain.names),
                         .origin = "random",
                         .measurement = {.seconds = {1e-9 * chain.draft.estimate.cycles}},
                         .version = "test"});
    }
    return records;
  }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  std::string train(const std::string& model, const std::string& output) const {
    return "train --threads 1 --epochs 2 --data " + data_ + " --model " + model + " -o " + output;
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  const std::string data_ = at("data");
  const Target target_ = *parse_target("x86-avx2 cores=2");
};

TEST_F(Learning, TeachesEachModelAndJudgesIt) {
  const auto facts = nlohmann::json::parse(
      printed(train("mamba", at("mamba.safetensors")) + " --json 2>/dev/null"));
  EXPECT_EQ(facts.at("epochs"), 2);
  EXPECT_LE(facts.at("parameters"), 100'000);
  EXPECT_TRUE(std::filesystem::exists(at("mamba.safetensors")));
  EXPECT_FALSE(std::filesystem::exists(at("mamba.safetensors.checkpoint")));
  const auto judged = nlohmann::json::parse(
      printed("eval model --json --seeds 1 --epochs 2 --threads 1 --data " + data_ + " --work " +
              at("work") + " --models mamba,tlp,tenset-mlp,gbdt,prior,random 2>/dev/null"));
  ASSERT_EQ(judged.at("rows").size(), 6U);
  for (const auto& row : judged.at("rows")) {
    EXPECT_GT(row.at("top1").at("mean"), 0) << row;
    EXPECT_LE(row.at("top1").at("mean"), row.at("top5").at("mean")) << row;
    if (row.at("model") == "prior") {
      EXPECT_EQ(row.at("top1").at("mean"), 1) << "times are the prior's";
    }
  }
  const std::string verb = "eval model --json --threads 1 --data " + data_ + " --weights ";
  const auto given =
      nlohmann::json::parse(printed(verb + at("mamba.safetensors") + " --work " + at("given")));
  ASSERT_EQ(given.at("rows").size(), 1U) << "nothing else is judged";
  EXPECT_EQ(given.at("rows")[0].at("model"), at("mamba.safetensors"));
  EXPECT_TRUE(std::filesystem::is_empty(at("given"))) << "nothing was learned";
  expect_refusal(verb + at("none"), at("none") + ": No such file or directory");
}

TEST_F(Learning, TeachesAMambaFurther) {
  const std::string base = at("base.safetensors"), next = at("next.safetensors");
  printed(train("mamba", base) + " 2>/dev/null");
  const std::string further = "train --threads 1 --distilling-steps 2 --data " + data_ + " --from ";
  const auto facts = nlohmann::json::parse(printed(
      further + base + " --target x86-avx2 --share 0.5 --json -o " + next + " 2>/dev/null"));
  EXPECT_EQ(facts.at("known"), nlohmann::json::array({to_text(target_)}));
  EXPECT_TRUE(std::filesystem::exists(next));
  expect_refusal(further + base + " --target x86-sse42 -o " + at("w"),
                 "target x86-sse42: none of the data");
  expect_refusal(further + base + " --model tlp --target x86-avx2 -o " + at("w"),
                 "--from: of mamba alone, not of tlp");
  expect_refusal(further + at("none") + " --target x86-avx2 -o " + at("w"),
                 at("none") + ": No such file or directory");
  EXPECT_FALSE(std::filesystem::exists(at("w")));
}

TEST_F(Learning, JudgesWaysOfPicking) {
  const std::string verb = "eval sampler --seeds 1 --steps 2 --budgets 20,50 --threads 1 --data " +
                           data_ + " --work " + at("work");
  const auto judged =
      nlohmann::json::parse(printed(verb + " --pickers rdu,random --json 2>/dev/null"));
  ASSERT_EQ(judged.at("rows").size(), 2U);
  for (const auto& row : judged.at("rows")) {
    EXPECT_GT(row.at("area").at("mean"), 0) << row;
    EXPECT_LE(row.at("budgets")[0].at("best_inside").at("mean"),
              row.at("budgets")[1].at("best_inside").at("mean"))
        << row;
  }
  expect_refusal(verb + " --pickers best",
                 "picker \"best\": expected one of rdu, random, stratified, k-center, uncertain, "
                 "typiclust, badge, lcmd, balto, greedy");
}

TEST_F(Learning, CarriesOverBetweenTheDevicesOfATable) {
  std::string text = "a,b,time_ms:one,time_ms:other\n";
  for (int n = 0; n < 300; ++n)
    text += std::to_string(n % 20) + "," + std::to_string(n / 20) + "," +
            std::to_string(5 + n % 20) + "," + std::to_string(5 + n % 7) + "\n";
  ASSERT_TRUE(write_file(at("table.csv"), text));
  const std::string verb = "eval transfer --seeds 1 --orders 2 --steps 2 --threads 1 --work " +
                           at("work") + " --ways distil,fine-tune";
  const auto judged =
      nlohmann::json::parse(printed(verb + " --json --table " + at("table.csv") + " 2>/dev/null"));
  ASSERT_EQ(judged.at("rows").size(), 2U);
  EXPECT_EQ(judged.at("rows")[0].at("kept_data_bytes"), 0);
  EXPECT_EQ(judged.at("rows")[0].at("runs").size(), 2U);
  expect_refusal(verb + " --data " + data_, "one platform alone: nothing to carry over");
}

TEST_F(Learning, RefusesDataThatIsDamagedOrTooLittle) {
  expect_refusal(train("oracle", at("w")),
                 "--model: oracle not in {mamba,tlp,tenset-mlp,gbdt}; see tessera --help");
  const std::string tasks = *read_file(data_ + "/tasks.jsonl");
  ASSERT_TRUE(write_file(at("w"), "old"));
  ASSERT_TRUE(write_file(data_ + "/tasks.jsonl", tasks + "\n"));
  expect_refusal(train("mamba", at("w")),
                 data_ + "/tasks.jsonl: damaged: not the bytes that the manifest tells of");
  ASSERT_TRUE(write_file(data_ + "/tasks.jsonl", tasks));
  expect_refusal(train("mamba", at("w")) + " --target x86-sse42",
                 "too few lists: 0 to learn from, 0 to stop by");
  expect_refusal("train --data nowhere -o " + at("w"),
                 "nowhere/manifest.json: No such file or directory");
  EXPECT_EQ(*read_file(at("w")), "old");
}

TEST_F(Learning, RefusesToAdaptWithoutTimeOrWeights) {
  expect_refusal("adapt --budget 5s -o " + at("w"),
                 "budget of 5 s: too short for a round of measuring and learning, expected 60 s at "
                 "least");
  expect_refusal("adapt --from " + at("none") + " -o " + at("w"),
                 at("none") + ": No such file or directory");
  printed(train("tlp", at("tlp.safetensors")) + " 2>/dev/null");
  expect_refusal("adapt --from " + at("tlp.safetensors") + " -o " + at("w"),
                 at("tlp.safetensors") + ": a tlp, expected a mamba");
  EXPECT_FALSE(std::filesystem::exists(at("w")));
}

TEST_F(Learning, RefusesWeightsThatAreDamaged) {
  std::filesystem::create_directories(at("weights"));
  const std::string path = at("weights/mamba.safetensors");
  printed(train("mamba", path) + " 2>/dev/null");
  const std::string bytes = *read_file(path);
  const std::string search =
      "eval search --networks bert_tiny --models mamba --goal mamba "
      "--trials 1 --seeds 1 --weights " +
      at("weights") + " --work " + at("runs");
  ASSERT_TRUE(write_file(path, bytes.substr(0, bytes.size() / 2)));
  const Ended cut = tessera_program(search);
  EXPECT_EQ(cut.code, 2);
  EXPECT_NE(cut.text.find(path), std::string::npos) << cut.text;
  std::string broken = bytes;
  broken.replace(broken.size() - 4, 4, "\xff\xff\xff\x7f");  // NaN
  ASSERT_TRUE(write_file(path, broken));
  const Ended nan = tessera_program(search);
  EXPECT_EQ(nan.code, 2);
  EXPECT_NE(nan.text.find("not finite"), std::string::npos) << nan.text;
}

}  // namespace
}  // namespace tessera
