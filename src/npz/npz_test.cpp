#include "npz/npz.h"

#include "base/file.h"
#include "npz/npy.h"
#include "support/temporary_path.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <zip.h>

namespace tessera {
namespace {

template <typename T>
NamedArray array_of(const std::string& name, ElementType element, const Shape& shape,
                    const std::vector<T>& values) {
  NamedArray array{name, element, shape, {}};
  array.bytes.resize(values.size() * sizeof(T));
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

/// An archive of one member, deflated.
void write_archive(const std::string& path, const std::string& name, const std::string& bytes) {
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  zip_file_add(archive, name.c_str(), zip_source_buffer(archive, bytes.data(), bytes.size(), 0), 0);
  zip_set_file_compression(archive, 0, ZIP_CM_DEFLATE, 9);
  ASSERT_EQ(zip_close(archive), 0);
}

/// A member as NumPy writes it.
std::string npy(const std::string& head, const std::string& elements) {
  return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(head.size()) + '\0' + head + elements;
}

std::string head_of(const std::string& type, const std::string& order, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

/// What `read_npz` says of a file with one member, path aside.
std::string refusal(const std::string& bytes, const std::string& name = "a.npy") {
  const TemporaryPath path;
  write_archive(path.text(), name, bytes);
  const Result<std::vector<NamedArray>> got = read_npz(path.text());
  if (got) return "accepted";
  EXPECT_TRUE(got.error().message.starts_with(path.text() + ": ")) << got.error().message;
  return got.error().message.substr(path.text().size() + 2);
}

TEST(Npz, HoldsWhatWasWritten) {
  const std::vector<NamedArray> arrays = {
      array_of<float>("x", ElementType::Float, {2, 3}, {1, 2, 3, 4, 5, 6}),
      array_of<std::int64_t>("scope/ids", ElementType::Int64, {2}, {-1, 7}),
      array_of<std::uint8_t>("flag", ElementType::Bool, {}, {1})};
  const TemporaryPath path;
  ASSERT_TRUE(write_npz(path.text(), arrays));
  const Result<std::vector<NamedArray>> got = read_npz(path.text());
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(*got, arrays);
}

TEST(Npz, HoldsEveryElementTypeThatNumpyHas) {
  for (int number = 0; number < 32; ++number) {
    const std::optional<ElementType> element = element_type_of(number);
    if (!element || *element == ElementType::BFloat16) continue;
    NamedArray array{"a", *element, {5}, {}};
    array.bytes.resize(static_cast<std::size_t>(5 * size_bytes(*element)), std::byte{1});
    const TemporaryPath path;
    ASSERT_TRUE(write_npz(path.text(), {array})) << to_text(*element);
    EXPECT_EQ(read_npz(path.text())->at(0), array) << to_text(*element);
  }
}

TEST(Npz, GivesTheSameBytesAgain) {
  const NamedArray array = array_of<float>("x", ElementType::Float, {1}, {1});
  const TemporaryPath first, second;
  ASSERT_TRUE(write_npz(first.text(), {array}));
  ASSERT_TRUE(write_npz(second.text(), {array}));
  EXPECT_EQ(*read_file(first.text()), *read_file(second.text()));
}

TEST(Npz, WritesHeadsAsNumpyDoes) {
  const auto head = [](const Shape& shape) {
    const NamedArray array{
        "x", ElementType::UInt8, shape,
        std::vector<std::byte>(static_cast<std::size_t>(element_count(shape)), std::byte{'e'})};
    const std::string file = *to_npy(array);
    EXPECT_EQ(file.find("e", 127), 128U);  // elements begin at a multiple of 64
    EXPECT_EQ(file.substr(0, 10), std::string("\x93NUMPY\1\0\x76\0", 10));
    return file.substr(10, file.find('}') - 9);
  };
  EXPECT_EQ(head({2, 3}), "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }");
  EXPECT_EQ(head({2}), "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }");
  EXPECT_EQ(head({}), "{'descr': '|u1', 'fortran_order': False, 'shape': (), }");
}

TEST(Npz, ReadsDeflatedMembers) {
  const TemporaryPath path;
  write_archive(path.text(), "zeros.npy",
                npy(head_of("<f4", "False", "(100, 10)"), std::string(4000, '\0')));
  EXPECT_LT(read_file(path.text())->size(), 1000U);
  const Result<std::vector<NamedArray>> got = read_npz(path.text());
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->at(0).name, "zeros");
  EXPECT_EQ(got->at(0).shape, (Shape{100, 10}));
}

TEST(Npz, TurnsFortranOrderIntoRowMajor) {
  const TemporaryPath path;
  // The element at (i, j, k) is 100 i + 10 j + k.
  std::string elements;
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i) elements += static_cast<char>(100 * i + 10 * j + k);
  write_archive(path.text(), "a.npy", npy(head_of("|u1", "True", "(2, 3, 4)"), elements));
  const Result<std::vector<NamedArray>> got = read_npz(path.text());
  ASSERT_TRUE(got) << got.error().message;
  for (int i = 0, n = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k, ++n)
        EXPECT_EQ(std::to_integer<int>(got->at(0).bytes[static_cast<std::size_t>(n)]),
                  100 * i + 10 * j + k);
}

TEST(Npz, RefusesOtherElementTypes) {
  const std::string known = "<f4, <f8, <f2, |i1, <i2, <i4, <i8, |u1, <u2, <u4, <u8, |b1";
  for (const std::string type : {">f4", "<c8", "|S3", "|V2"})
    EXPECT_EQ(refusal(npy(head_of(type, "False", "(1,)"), "abcd")),
              "'a.npy': element type '" + type + "', expected one of " + known);
  const TemporaryPath path;
  EXPECT_EQ(write_npz(path.text(), {array_of<std::uint16_t>("b", ElementType::BFloat16, {1}, {1})})
                .error()
                .message,
            path.text() + ": 'b': numpy has no bfloat16");
}

TEST(Npz, RefusesDamagedArrays) {
  EXPECT_EQ(refusal("text"), "'a.npy': not an array of NumPy");
  EXPECT_EQ(refusal(""), "'a.npy': not an array of NumPy");
  EXPECT_EQ(refusal(npy("{", "").substr(0, 9)), "'a.npy': truncated head");
  EXPECT_EQ(refusal(npy("{}  ", "").substr(0, 12)), "'a.npy': truncated head");
  EXPECT_EQ(refusal(npy("{'shape': ()}", "")),
            "'a.npy': head of an array expected to begin with {'descr': '");
  EXPECT_EQ(refusal(npy(head_of("<f4", "False", "(2,)"), "1234")),
            "'a.npy': 4 bytes of elements, expected 8");
  EXPECT_EQ(refusal(npy(head_of("<f4", "False", "(0,)"), "")),
            "'a.npy': shape [0]: extent 0 is below 1");
  EXPECT_EQ(refusal(npy(head_of("<f4", "False", "(1099511627776, 1099511627776)"), "")),
            "'a.npy': shape [1099511627776, 1099511627776]: more than 2^48 elements");
  EXPECT_EQ(refusal(npy(head_of("<f4", "Maybe", "(1,)"), "1234")),
            "'a.npy': line 1: expected True or False, found 'Maybe'");
  EXPECT_EQ(refusal(npy(head_of("<f4", "False", "(1;)"), "1234")),
            "'a.npy': line 1: expected ')', found ';'");
}

TEST(Npz, RefusesOtherMembers) {
  EXPECT_EQ(refusal("text", "notes.txt"), "'notes.txt': expected a name that ends with .npy");
}

TEST(Npz, RefusesWhatIsNoArchive) {
  EXPECT_EQ(read_npz("/no/such").error().message, "/no/such: No such file");
  const TemporaryPath path;
  ASSERT_TRUE(write_file(path.text(), "text that is not a zip archive"));
  EXPECT_EQ(read_npz(path.text()).error().message, path.text() + ": Not a zip archive");
}

TEST(Npz, RefusesTwoArraysOfOneName) {
  const NamedArray array = array_of<float>("x", ElementType::Float, {1}, {1});
  const TemporaryPath path;
  EXPECT_EQ(write_npz(path.text(), {array, array}).error().message,
            path.text() + ": 'x.npy': File already exists");
  EXPECT_FALSE(read_file(path.text()));
}

TEST(Npz, IsReadByNumpyAndReadsIt) {
  if (std::system("python3 -c 'import numpy' 2>/dev/null") != 0)
    GTEST_SKIP() << "numpy is not installed";
  const TemporaryPath ours(".npz"), theirs(".npz");
  ASSERT_TRUE(write_npz(ours.text(), {array_of<float>("x", ElementType::Float, {2, 1}, {1, 2})}));
  const std::string script =
      "python3 -c \"import numpy as n; x = n.load('" + ours.text() +
      "')['x']; assert x.shape == (2, 1) and x[1, 0] == 2; n.savez_compressed('" + theirs.text() +
      "', y=n.asfortranarray(n.arange(6, dtype='i8').reshape(2, 3)), z=n.float16(1))\"";
  ASSERT_EQ(std::system(script.c_str()), 0);
  const Result<std::vector<NamedArray>> got = read_npz(theirs.text());
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->at(0),
            array_of<std::int64_t>("y", ElementType::Int64, {2, 3}, {0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(got->at(1).shape, Shape{});
}

}  // namespace
}  // namespace tessera
