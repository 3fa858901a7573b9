#include "model/ranker.h"

#include "base/beside_program.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "model/ranker_library.h"
#include "target/target.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

namespace tessera {
namespace {

std::string opening(const std::vector<std::filesystem::path>& folders) {
  const Result<const RankerLibrary*> library = open_ranker_library(folders);
  return library ? "opened" : library.error().message;
}

std::string refusal(const RankerShape& shape) {
  const Result<std::unique_ptr<Ranker>> ranker = make_ranker(shape, 1, 1);
  return ranker ? "made" : ranker.error().message;
}

TEST(RankerLibrary, IsLookedForInAllFolders) {
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  EXPECT_EQ(opening({*folder / "a", *folder / "b"}),
            "libtessera_torch.so, which neural rankers need, is not in " +
                (*folder / "a").string() + " or " + (*folder / "b").string());
}

TEST(RankerLibrary, MustBeALibrary) {
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const std::string path = *folder / "libtessera_torch.so";
  ASSERT_TRUE(write_file(path, "words"));
  EXPECT_EQ(opening({folder->path()}), "library of neural rankers: " + path + ": file too short");
}

TEST(RankerLibrary, MultipliesByWhatTheProcessorHas) {
  const Target host = detect_host();
  if (host.arch != Arch::X86 || !host.has_fma) GTEST_SKIP() << "no multiply-adds on this machine";
  const Result<const RankerLibrary*> library = open_ranker_library(beside_program("lib"));
  ASSERT_TRUE(library) << library.error().message;
  EXPECT_NE(std::string((*library)->multiplies_as_on()), "Prescott");
}

TEST(RankerLibrary, MustBeOfTheSameVersion) {
  EXPECT_TRUE(expect_same_version({TESSERA_VERSION, nullptr, nullptr, nullptr}));
  const Result<void> other = expect_same_version({"0.0.7", nullptr, nullptr, nullptr});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message,
            "libtessera_torch.so: of version 0.0.7, expected " TESSERA_VERSION);
}

TEST(Ranker, RefusesShapesThatDoNotExist) {
  EXPECT_EQ(refusal({.kind = "oracle", .width = 8}),
            "kind \"oracle\" of a ranker, expected one of tenset-mlp, tlp, mamba");
  EXPECT_EQ(refusal({.kind = "mamba", .width = 8, .read_out = "first"}),
            "read-out \"first\" of a ranker, expected one of sum, mean, last");
  EXPECT_EQ(refusal({.kind = "tlp"}), "ranker with width 0, expected 1 to 1024");
  EXPECT_EQ(refusal({.kind = "mamba", .width = 8, .states = -1}),
            "ranker with states -1, expected 1 to 1024");
  EXPECT_EQ(refusal({.kind = "tlp", .width = 3, .scales = {1, 2}}),
            "ranker of width 3 with 2 scales");
  EXPECT_EQ(refusal({.kind = "tlp", .width = 1, .scales = {0}}),
            "ranker with scale 0.000000, expected finite ones other than 0");
  EXPECT_EQ(
      refusal({.kind = "tlp", .width = 1, .scales = {std::numeric_limits<float>::infinity()}}),
      "ranker with scale inf, expected finite ones other than 0");
}

TEST(Ranker, IsMadeByTheLibraryBesideTheProgram) {
  Result<std::unique_ptr<Ranker>> ranker = make_ranker({.kind = "tenset-mlp", .width = 4}, 1, 1);
  ASSERT_TRUE(ranker) << ranker.error().message;
  EXPECT_EQ((*ranker)->shape().kind, "tenset-mlp");
  const Rows programs{.width = 4, .values = {1, 2, 3, 4, 5, 6, 7, 8}, .starts = {0, 1, 2}};
  EXPECT_EQ((*ranker)->score(programs).size(), 2u);
}

}  // namespace
}  // namespace tessera
