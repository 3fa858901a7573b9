#include "package/write.h"

#include "base/file.h"
#include "base/temporary_folder.h"
#include "runtime/package.h"
#include "support/sample_network.h"
#include "support/temporary_path.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <sys/resource.h>
#include <sys/stat.h>

namespace tessera {
namespace {

std::vector<std::string> files_of(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.push_back(entry.path().filename().string());
  return names;
}

std::string refusal(const Result<void>& result) {
  return result ? "accepted" : result.error().message;
}

TEST(WritePackage, ReplacesAFileAsAWhole) {
  const SampleNetwork network;
  const TemporaryFolder folder = *TemporaryFolder::make();
  const std::string path = (folder / "model.tessera").string();
  ASSERT_EQ(refusal(network.write(path)), "accepted");
  const auto old = *Package::open(path);
  ASSERT_EQ(refusal(SampleNetwork(detect_host(), {.rows = 2}).write(path)), "accepted");
  EXPECT_EQ(files_of(folder), (std::vector<std::string>{"model.tessera"}));
  EXPECT_EQ((*Package::open(path))->plan().inputs[0].shape[0], 2);
  EXPECT_EQ(std::to_integer<int>(old->weights()[0]),
            std::to_integer<int>(network.pieces()[0].bytes[0]));  // still mapped
}

TEST(WritePackage, GivesTheSameBytesAgain) {
  const SampleNetwork network;
  const TemporaryPath first, second;
  ASSERT_TRUE(network.write(first.text()));
  ASSERT_TRUE(network.write(second.text()));
  EXPECT_EQ(*read_file(first.text()), *read_file(second.text()));
}

TEST(WritePackage, FillsGapsBetweenWeightsWithZeros) {
  SampleNetwork network;
  network.plan.weights_bytes = 100'000;
  const std::array<std::byte, 3> some = {std::byte{1}, std::byte{2}, std::byte{3}};
  const std::array pieces = {WeightsPiece{10'000, some}, WeightsPiece{20'000, some}};
  const TemporaryPath path;
  ASSERT_EQ(refusal(write_package(path.text(), network.plan, network.target, network.code, pieces)),
            "accepted");
  const auto package = *Package::open(path.text());
  ASSERT_EQ(package->weights().size(), 100'000U);
  int sum = 0;
  for (const std::byte byte : package->weights()) sum += std::to_integer<int>(byte);
  EXPECT_EQ(sum, 12);
  EXPECT_EQ(package->weights()[20'002], std::byte{3});
}

TEST(WritePackage, RefusesWeightsOutOfPlace) {
  SampleNetwork network;
  network.plan.weights_bytes = 100;
  const std::array<std::byte, 30> some{};
  const auto write = [&](std::int64_t first, std::int64_t second) {
    const std::array pieces = {WeightsPiece{first, some}, WeightsPiece{second, some}};
    return refusal(write_package("/no/such", network.plan, network.target, network.code, pieces));
  };
  EXPECT_EQ(write(0, 29), "weights: 30 bytes at 29, expected between 30 and 100");
  EXPECT_EQ(write(0, 71), "weights: 30 bytes at 71, expected between 30 and 100");
  EXPECT_EQ(write(-1, 40), "weights: 30 bytes at -1, expected between 0 and 100");
}

TEST(WritePackage, RefusesAnUnsoundPlan) {
  SampleNetwork network;
  network.plan.calls[0].kernel = 5;
  const TemporaryFolder folder = *TemporaryFolder::make();
  EXPECT_EQ(refusal(network.write((folder / "model").string())),
            "plan: kernel 5, expected below 2 in call 'matmul_relu 0'");
  EXPECT_TRUE(files_of(folder).empty());
}

TEST(WritePackage, SaysWhatTheSystemRefuses) {
  const SampleNetwork network;
  EXPECT_EQ(refusal(network.write("/no/such")), "/no/such: No such file or directory");
  EXPECT_EQ(refusal(network.write("/proc/model")), "/proc/model: No such file or directory");
  const TemporaryFolder folder = *TemporaryFolder::make();
  EXPECT_EQ(refusal(network.write(folder.path().string())),
            folder.path().string() + ": not a file that could be replaced");
  EXPECT_TRUE(files_of(folder).empty());
}

TEST(WritePackage, LeavesNothingOfAFileThatDoesNotFit) {
  const SampleNetwork network;
  const TemporaryFolder folder = *TemporaryFolder::make();
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit tight = {.rlim_cur = 4096, .rlim_max = old.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &tight);
  const std::string got = refusal(network.write((folder / "model").string()));
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(got, (folder / "model").string() + ": File too large");
  EXPECT_TRUE(files_of(folder).empty());
}

TEST(WritePackage, KeepsToTheUmask) {
  const SampleNetwork network;
  const TemporaryPath path;
  const mode_t old = umask(027);
  ASSERT_TRUE(network.write(path.text()));
  umask(old);
  struct stat status{};
  ASSERT_EQ(stat(path.text().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

}  // namespace
}  // namespace tessera
