#include "base/file.h"
#include "support/sample_network.h"
#include "support/shell.h"
#include "support/temporary_path.h"
#include "tensor/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace tessera {
namespace {

/// A machine that an emulator plays.
struct Machine {
  std::string target;  // a preset
  std::string arch;
  std::string core;  // as QEMU calls it
  std::string lesser_core;
  std::string lack;  // what packages miss on it
};

class CrossPackage : public testing::TestWithParam<Machine> {
 protected:
  void SetUp() override {
    if (run_shell("command -v qemu-" + GetParam().arch).code != 0)
      GTEST_SKIP() << "qemu-user is not installed";
    if (!std::filesystem::exists(program()))
      GTEST_SKIP() << "no compiler for " << GetParam().arch << " is installed";
  }
  static std::string program() {
    return TESSERA_BUILD_FOLDER "/" + GetParam().arch + "/examples/run_c";
  }
  static Ended run(const std::string& core, const std::string& arguments) {
    return run_shell("qemu-" + GetParam().arch + " -cpu " + core + " -L /usr/" + GetParam().arch +
                     "-linux-gnu " + program() + " " + arguments);
  }
};

TEST_P(CrossPackage, ComputesWhatTheInterpreterDoes) {
  const SampleNetwork network(*parse_target(GetParam().target));
  const TemporaryPath model, in, out;
  ASSERT_TRUE(network.write(model.text()));
  HostBuffer x(DType::F32, element_count(network.plan.inputs[0].shape));
  Rng rng(2);
  fill_random(x, rng);
  ASSERT_TRUE(write_file(
      in.text(), {static_cast<const char*>(x.data()), static_cast<std::size_t>(x.size_bytes())}));
  const Ended ended = run(GetParam().core, model.text() + " " + in.text() + " " + out.text());
  ASSERT_EQ(ended.code, 0) << ended.text;
  const HostBuffer want = network.interpreted(x);
  HostBuffer got(DType::F32, want.element_count());
  const std::string bytes = *read_file(out.text());
  ASSERT_EQ(static_cast<std::int64_t>(bytes.size()), got.size_bytes());
  std::memcpy(got.data(), bytes.data(), bytes.size());
  const Comparison comparison = compare(got, want, {});
  EXPECT_TRUE(comparison.equal) << comparison.message;
}

TEST_P(CrossPackage, IsRefusedWhereItsInstructionsAreMissing) {
  if (GetParam().lack.empty()) GTEST_SKIP() << "every such machine has what is needed";
  const SampleNetwork network(*parse_target(GetParam().target));
  const TemporaryPath model;
  ASSERT_TRUE(network.write(model.text()));
  const Ended ended = run(GetParam().lesser_core, model.text());
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.text,
            "run: " + model.text() + ": needs " + GetParam().lack + ", which this machine lacks\n");
}

TEST_P(CrossPackage, IsRefusedOnAnotherArchitecture) {
  const SampleNetwork network(*parse_target("x86-sse42"));
  const TemporaryPath model;
  ASSERT_TRUE(network.write(model.text()));
  EXPECT_EQ(
      run(GetParam().core, model.text()).text,
      "run: " + model.text() + ": made for x86-64, this machine is " + GetParam().arch + "\n");
}

const std::string rvv = "rv64,v=true,vext_spec=v1.0,vlen=";

INSTANTIATE_TEST_SUITE_P(
    Emulated, CrossPackage,
    testing::Values(Machine{"aarch64-neon", "aarch64", "cortex-a72", "", ""},
                    Machine{"aarch64-sve256", "aarch64", "max,sve256=on,sve512=off", "cortex-a72",
                            "+sve"},
                    Machine{"riscv64-v128", "riscv64", rvv + "128", "rv64,v=false", "+v, +zvl128b"},
                    Machine{"riscv64-v256", "riscv64", rvv + "256", rvv + "128", "+zvl256b"}),
    [](const testing::TestParamInfo<Machine>& test) {
      std::string name = test.param.target;
      std::erase(name, '-');
      return name;
    });

}  // namespace
}  // namespace tessera
