#include "runtime/package.h"

#include "base/file.h"
#include "runtime/package_format.h"
#include "support/sample_network.h"
#include "support/temporary_path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <unistd.h>

namespace tessera {
namespace {

/// What `open` says of these bytes, the path aside.
std::string refusal(std::string_view bytes) {
  const TemporaryPath path;
  std::ofstream(path.text(), std::ios::binary) << bytes;
  const Result<std::shared_ptr<const Package>> opened = Package::open(path.text());
  if (opened) return "accepted";
  EXPECT_TRUE(opened.error().message.starts_with(path.text() + ": ")) << opened.error().message;
  return opened.error().message.substr(path.text().size() + 2);
}

std::string bytes_of(const SampleNetwork& network) {
  const TemporaryPath path;
  const Result<void> written = network.write(path.text());
  EXPECT_TRUE(written) << written.error().message;
  return *read_file(path.text());
}

const std::string& sample_bytes() {
  static const std::string bytes = bytes_of(SampleNetwork());
  return bytes;
}

PackageHeader header_of(std::string_view bytes) {
  PackageHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header;
}

/// The sample with its header changed and sealed again.
std::string with_header(const std::function<void(PackageHeader&)>& change) {
  std::string bytes = sample_bytes();
  PackageHeader header = header_of(bytes);
  change(header);
  header.checksum = checksum_of(header);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

std::string with_damage(std::uint64_t at) {
  std::string bytes = sample_bytes();
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  return bytes;
}

TEST(Package, HoldsWhatWasWritten) {
  const SampleNetwork network;
  const TemporaryPath path;
  ASSERT_TRUE(network.write(path.text()));
  const Result<std::shared_ptr<const Package>> opened = Package::open(path.text());
  ASSERT_TRUE(opened) << opened.error().message;
  const Package& package = **opened;
  EXPECT_EQ(package.plan(), network.plan);
  EXPECT_EQ(package.manifest().target, to_text(network.target));
  EXPECT_TRUE(package.manifest().tool.starts_with("tessera ")) << package.manifest().tool;
  EXPECT_EQ(package.kernels().size(), 2U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(package.weights().data()) % 4096, 0U);
  for (const WeightsPiece& piece : network.pieces())
    EXPECT_EQ(std::memcmp(package.weights().data() + piece.offset, piece.bytes.data(),
                          piece.bytes.size()),
              0);
}

TEST(Package, LeavesNoFileBehind) {
  const auto files = [] {
    const auto all = std::filesystem::directory_iterator(std::filesystem::temp_directory_path());
    return std::count_if(begin(all), end(all), [](const auto& entry) {
      return entry.path().filename().string().starts_with("tessera_" + std::to_string(getpid()));
    });
  };
  const SampleNetwork network;
  const TemporaryPath path;
  ASSERT_TRUE(network.write(path.text()));
  const auto opened = *Package::open(path.text());
  EXPECT_EQ(files(), 1);
}

TEST(Package, KeepsTheCodeOfSeveralPackagesApart) {
  const SampleNetwork small, wide(detect_host(), {.widths = {24, 80, 13}});
  const TemporaryPath first, second;
  ASSERT_TRUE(small.write(first.text()));
  ASSERT_TRUE(wide.write(second.text()));
  const auto a = *Package::open(first.text()), b = *Package::open(second.text());
  const auto again = *Package::open(first.text());
  EXPECT_NE(a->kernels()[0].entry, b->kernels()[0].entry);
  EXPECT_NE(a->kernels()[0].entry, again->kernels()[0].entry);
}

TEST(Package, RefusesWhatIsNoFile) {
  EXPECT_EQ(Package::open("/no/such").error().message, "/no/such: No such file or directory");
  EXPECT_EQ(Package::open("/").error().message, "/: Is a directory");
}

TEST(Package, RefusesWhatIsNoPackage) {
  const std::string expected = "not a package, expected it to begin with 'TESSERA'";
  EXPECT_EQ(refusal(""), expected);
  EXPECT_EQ(refusal("TESSERA"), expected);
  EXPECT_EQ(refusal(std::string(200, 'x')), expected);
}

TEST(Package, RefusesOtherFormats) {
  EXPECT_EQ(refusal(with_header([](PackageHeader& header) { header.format = 3; })),
            "format 3, made by a newer version; this one reads format 2");
  EXPECT_EQ(refusal(with_header([](PackageHeader& header) { header.format = 1; })),
            "format 1, made by an older version; this one reads format 2");
}

TEST(Package, RefusesAFileOfAnotherLength) {
  const std::string& whole = sample_bytes();
  const std::string size = std::to_string(whole.size());
  for (const std::size_t length : {sizeof(PackageHeader), std::size_t{5000}, whole.size() - 1})
    EXPECT_EQ(refusal(whole.substr(0, length)),
              "truncated to " + std::to_string(length) + " bytes of " + size);
  EXPECT_EQ(refusal(whole.substr(0, 50)), "truncated to 50 bytes");
  EXPECT_EQ(refusal(whole + "x"), std::to_string(whole.size() + 1) + " bytes, expected " + size);
}

TEST(Package, RefusesDamage) {
  const PackageHeader header = header_of(sample_bytes());
  EXPECT_EQ(refusal(with_damage(20)), "damaged header");
  EXPECT_EQ(refusal(with_damage(header.manifest.offset)), "damaged manifest");
  EXPECT_EQ(refusal(with_damage(header.code.offset + header.code.size_bytes - 1)), "damaged code");
  EXPECT_EQ(refusal(with_damage(header.weights.offset + 17)), "damaged weights");
}

TEST(Package, RefusesSectionsOutsideTheFile) {
  EXPECT_EQ(refusal(with_header([](PackageHeader& header) { header.weights.offset += 64; })),
            "sections are not where their sizes place them");
  EXPECT_EQ(refusal(with_header([](PackageHeader& header) { header.code.size_bytes = ~0ULL; })),
            "sections larger than 2^50 bytes");
}

TEST(Package, RefusesOtherMachines) {
  SampleNetwork network;
  network.target.arch = network.target.arch == Arch::RiscV ? Arch::X86 : Arch::RiscV;
  EXPECT_EQ(refusal(bytes_of(network)), "made for " + std::string(to_text(network.target.arch)) +
                                            ", this machine is " +
                                            std::string(to_text(detect_host().arch)));
  network.target = detect_host();
  network.target.features.emplace_back("+warp");
  EXPECT_EQ(refusal(bytes_of(network)), "needs +warp, which this machine lacks");
}

TEST(Package, RefusesCodeThatLacksItsKernels) {
  SampleNetwork network;
  network.plan.kernels[1].symbol = "layer9";
  EXPECT_EQ(refusal(bytes_of(network)), "code without symbol 'layer9'");
}

TEST(Package, RefusesCodeThatDoesNotLoad) {
  SampleNetwork network;
  network.code = "no library";
  const std::string message = refusal(bytes_of(network));
  EXPECT_TRUE(message.starts_with("code does not load: ")) << message;
}

TEST(Package, RefusesAPlanForOtherWeights) {
  const std::string bytes = with_header([](PackageHeader& header) {
    header.weights.size_bytes = 0;
    header.weights.checksum = Checksum().value();
  });
  const std::string message = refusal(bytes.substr(0, header_of(bytes).weights.offset));
  EXPECT_TRUE(message.starts_with("weights of 0 bytes, expected ")) << message;
}

TEST(ReadManifest, LooksAtPackagesForOtherMachines) {
  SampleNetwork network;
  network.target.features.emplace_back("+warp");
  const TemporaryPath path;
  ASSERT_TRUE(network.write(path.text()));
  const Result<Manifest> manifest = read_manifest(path.text());
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(manifest->features, network.target.features);
  EXPECT_EQ(manifest->plan, network.plan);
}

}  // namespace
}  // namespace tessera
