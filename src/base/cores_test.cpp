#include "base/cores.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tessera {
namespace {

/// A folder in the shape of /sys/fs/cgroup, removed with the test.
class CgroupQuota : public testing::Test {
 protected:
  CgroupQuota()
      : mount_(testing::TempDir() + "tessera_cgroup_" +
               testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(mount_);
  }
  ~CgroupQuota() override { std::filesystem::remove_all(mount_); }

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = mount_ + "/" + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  std::string mount_;
};

TEST_F(CgroupQuota, IsTheSmallestAlongThePath) {
  write("a/cpu.max", "150000 100000\n");
  write("a/b/cpu.max", "300000 100000\n");
  EXPECT_EQ(cgroup_quota("0::/a/b\n", mount_), 1.5);
}

TEST_F(CgroupQuota, IsNothingWithoutALimit) {
  write("cpu.max", "max 100000\n");
  EXPECT_EQ(cgroup_quota("0::/\n", mount_), std::nullopt);
  EXPECT_EQ(cgroup_quota("", mount_), std::nullopt);
}

TEST_F(CgroupQuota, ReadsTheRootWhenThePathIsTheHosts) {
  write("cpu.max", "200000 100000\n");
  EXPECT_EQ(cgroup_quota("0::/docker/1234\n", mount_), 2);
}

TEST_F(CgroupQuota, ReadsVersion1) {
  write("cpu,cpuacct/a/cpu.cfs_quota_us", "50000\n");
  write("cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  write("cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_quota("4:memory:/a\n3:cpu,cpuacct:/a\n2:cpuset:/\n", mount_), 0.5);
}

TEST_F(CgroupQuota, PassesOverDamagedText) {
  write("cpu.max", "0 0");
  EXPECT_EQ(cgroup_quota("0::/\nnonsense\n:::\n1:\n", mount_), std::nullopt);
}

TEST(Cores, UsableAreAtLeastOneAndAtMostThePresent) {
  EXPECT_GE(usable_cores(), 1);
  EXPECT_LE(usable_cores(), present_cores());
}

}  // namespace
}  // namespace tessera
