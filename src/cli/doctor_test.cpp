#include "cli/doctor.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera {
namespace {

Machine quiet_machine() {
  return {.cpu = "Example 9000",
          .host = detect_host(),
          .usable_cores = 8,
          .present_cores = 8,
          .load = 0.1,
          .governor = "performance",
          .memory_bytes = std::int64_t{16} << 30,
          .available_bytes = std::int64_t{12} << 30,
          .extras = {{"tool", "tool-dev", "does a thing", true}}};
}

Finding found(const Machine& machine, std::string_view name) {
  const std::vector<Finding> findings = examine(machine);
  const auto at = std::ranges::find(findings, name, &Finding::name);
  return at == findings.end() ? Finding{} : *at;
}

TEST(Doctor, HasNoAdviceForAQuietMachine) {
  for (const Finding& finding : examine(quiet_machine())) {
    EXPECT_EQ(finding.advice, "") << finding.name;
    EXPECT_NE(finding.value, "") << finding.name;
  }
}

TEST(Doctor, TellsOfCoresThatMayNotBeUsed) {
  Machine machine = quiet_machine();
  machine.usable_cores = 2;
  EXPECT_EQ(found(machine, "cores"),
            (Finding{"cores", "2 usable of 8",
                     "raise the affinity mask or the cgroup's CPU quota to use them all"}));
}

TEST(Doctor, TellsOfOthersRunning) {
  Machine machine = quiet_machine();
  machine.load = 7.5;
  EXPECT_EQ(found(machine, "load"),
            (Finding{"load", "7.50 over the last minute",
                     "others are running: wait, or expect timings to vary"}));
}

TEST(Doctor, TellsOfAClockThatChanges) {
  Machine machine = quiet_machine();
  machine.governor = "powersave";
  EXPECT_EQ(found(machine, "governor").advice,
            "set it to performance while measuring: cpupower frequency-set -g performance");
  machine.governor.reset();
  EXPECT_EQ(found(machine, "governor").value, "not told");
}

TEST(Doctor, TellsOfLittleMemory) {
  Machine machine = quiet_machine();
  machine.available_bytes = std::int64_t{1} << 30;
  EXPECT_EQ(found(machine, "memory"),
            (Finding{"memory", "1.0 GiB free of 16.0",
                     "build with make JOBS=1: a compiler takes about 1 GiB"}));
}

TEST(Doctor, SaysHowToGetWhatIsMissing) {
  Machine machine = quiet_machine();
  machine.extras[0].is_present = false;
  EXPECT_EQ(found(machine, "tool"),
            (Finding{"tool", "missing", "apt-get install tool-dev: does a thing"}));
}

TEST(Doctor, InspectsThisMachine) {
  const Machine machine = inspect_machine();
  EXPECT_FALSE(machine.cpu.empty());
  EXPECT_GE(machine.present_cores, machine.usable_cores);
  EXPECT_EQ(machine.extras.size(), 5U);
}

}  // namespace
}  // namespace tessera
