#include "model/safetensors.h"

#include "base/file.h"
#include "base/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace tessera {
namespace {

Safetensors sample() {
  return {.tensors = {{"b", {2, 3}, {1, 2, 3, 4, 5, 6}}, {"a", {}, {-0.5f}}, {"none", {0, 7}, {}}},
          .metadata = {{"kind", "mamba"}, {"note", "\"quoted\""}}};
}

/// A file with this header in front of so many zero bytes.
std::string bytes_with(const std::string& header, std::size_t data_bytes) {
  std::string bytes(8, '\0');
  for (std::size_t n = 0; n < 8; ++n) bytes[n] = static_cast<char>(header.size() >> (8 * n) & 0xff);
  return bytes + header + std::string(data_bytes, '\0');
}

std::string entry(const std::string& name, const std::string& shape, int begin, int end,
                  const std::string& dtype = "F32") {
  return "\"" + name + R"(": {"dtype": ")" + dtype + R"(", "shape": )" + shape +
         R"(, "data_offsets": [)" + std::to_string(begin) + ", " + std::to_string(end) + "]}";
}

std::string refusal(std::string_view bytes) {
  const Result<Safetensors> got = parse_safetensors(bytes);
  return got ? "accepted" : got.error().message;
}

std::string refusal(const std::string& header, std::size_t data_bytes) {
  return refusal(bytes_with(header, data_bytes));
}

TEST(Safetensors, ComeBackAsTheyWere) {
  const Result<Safetensors> got = parse_safetensors(to_bytes(sample()));
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(*got, sample());
}

TEST(Safetensors, AreWrittenAsTheFormatSays) {
  const std::string bytes = to_bytes({.tensors = {{"x", {1}, {1.0f}}}});
  const std::string header = R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  const std::string padding((8 - header.size() % 8) % 8, ' ');
  EXPECT_EQ(bytes, bytes_with(header + padding, 0) + std::string("\0\0\x80\x3f", 4));
}

TEST(Safetensors, AreReadInTheOrderOfTheirData) {
  const Result<Safetensors> got = parse_safetensors(
      bytes_with("{" + entry("late", "[1]", 8, 12) + "," + entry("early", "[2]", 0, 8) + "}", 12));
  ASSERT_TRUE(got) << got.error().message;
  ASSERT_EQ(got->tensors.size(), 2u);
  EXPECT_EQ(got->tensors[0].name, "early");
  EXPECT_EQ(got->tensors[1].name, "late");
}

TEST(Safetensors, RefuseWhatIsCutOffAnywhere) {
  const std::string bytes = to_bytes(sample());
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_NE(refusal(std::string_view(bytes).substr(0, length)), "accepted") << length;
  EXPECT_EQ(refusal("four"), "cut off: 4 bytes, expected 8 for the length of the header");
  EXPECT_EQ(refusal(bytes_with("{}", 0).substr(0, 9)),
            "cut off: a header of 2 bytes, of which 1 are there");
  EXPECT_EQ(refusal("{" + entry("x", "[2]", 0, 8) + "}", 7),
            "tensor \"x\": data ends at 8, of 7 bytes");
}

TEST(Safetensors, RefuseHeadersThatAreTooLong) {
  EXPECT_EQ(refusal(std::string("\0\0\0\0\1\0\0\0", 8)),
            "a header of 4294967296 bytes, expected at most 100000000");
}

TEST(Safetensors, RefuseHeadersThatAreNotJson) {
  for (const std::string header : {"{\"x\": ", "[]", "3", ""})
    EXPECT_EQ(refusal(header, 0), "the header is not JSON of tensors by name") << header;
  EXPECT_EQ(refusal(R"({"__metadata__": {"a": 1}})", 0), "__metadata__: expected texts by name");
}

TEST(Safetensors, RefuseEntriesThatDescribeNoTensor) {
  const std::string message =
      "tensor \"x\": expected a dtype, a shape and two data_offsets, nothing else";
  EXPECT_EQ(refusal(R"({"x": {}})", 0), message);
  EXPECT_EQ(refusal(R"({"x": 1})", 0), message);
  EXPECT_EQ(refusal("{" + entry("x", "[-1]", 0, 4) + "}", 4), message);
  EXPECT_EQ(refusal("{" + entry("x", "[1.5]", 0, 4) + "}", 4), message);
  EXPECT_EQ(refusal("{" + entry("x", "[1]", -4, 0) + "}", 4), message);
  EXPECT_EQ(refusal("{" + entry("x", "[2]", 0, 4, "F16") + "}", 4),
            "tensor \"x\": dtype F16, expected F32");
}

TEST(Safetensors, RefuseOffsetsThatDoNotFitTheShape) {
  EXPECT_EQ(refusal("{" + entry("x", "[3]", 0, 8) + "}", 8),
            "tensor \"x\": data_offsets [0,8] do not hold shape [3]");
  EXPECT_EQ(refusal("{" + entry("x", "[1]", 8, 4) + "}", 8),
            "tensor \"x\": data_offsets [8,4] do not hold shape [1]");
  EXPECT_EQ(refusal("{" + entry("x", "[4611686018427387904,4]", 0, 0) + "}", 0),
            "tensor \"x\": data_offsets [0,0] do not hold shape [4611686018427387904,4]");
}

TEST(Safetensors, RefuseDataThatIsNotCoveredOnce) {
  const std::string first = "{" + entry("x", "[2]", 0, 8) + ",";
  EXPECT_EQ(refusal(first + entry("y", "[1]", 4, 8) + "}", 8),
            "tensor \"y\": data begins at 4, expected 8, where the one before ends");
  EXPECT_EQ(refusal(first + entry("y", "[1]", 12, 16) + "}", 16),
            "tensor \"y\": data begins at 12, expected 8, where the one before ends");
  EXPECT_EQ(refusal("{" + entry("x", "[2]", 0, 8) + "}", 11),
            "3 bytes of data belong to no tensor");
}

TEST(Safetensors, RefuseNumbersThatAreNotFinite) {
  for (const float value :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    const Safetensors file{.tensors = {{"x", {2}, {0, value}}}};
    EXPECT_EQ(refusal(to_bytes(file)), "tensor \"x\": number 1 is not finite");
    const Result<void> written = write_safetensors("nowhere/x", file);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().message, "nowhere/x: tensor \"x\": number 1 is not finite");
  }
}

TEST(Safetensors, AreFiles) {
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const std::string path = *folder / "x.safetensors";
  ASSERT_TRUE(write_safetensors(path, sample()));
  const Result<Safetensors> got = read_safetensors(path);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(*got, sample());

  ASSERT_TRUE(write_file(path, "four"));
  const Result<Safetensors> refused = read_safetensors(path);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            path + ": cut off: 4 bytes, expected 8 for the length of the header");
}

}  // namespace
}  // namespace tessera
