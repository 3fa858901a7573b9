#include "onnx/tensor_file.h"

#include "base/file.h"
#include "base/temporary_folder.h"

#include <gtest/gtest.h>

#include <onnx/onnx_pb.h>

namespace tessera {
namespace {

using onnx::TensorProto;

constexpr std::array all_elements = {
    ElementType::Float,   ElementType::UInt8,  ElementType::Int8,   ElementType::UInt16,
    ElementType::Int16,   ElementType::Int32,  ElementType::Int64,  ElementType::Bool,
    ElementType::Float16, ElementType::Double, ElementType::UInt32, ElementType::UInt64,
    ElementType::BFloat16};

TEST(TensorFile, ReadsWhatIsWritten) {
  const TemporaryFolder folder = *TemporaryFolder::make();
  for (const ElementType element : all_elements) {
    auto data = std::make_shared<HostBuffer>(dtype_of(element), 3);
    for (std::int64_t n = 0; n < 3; ++n) data->set_integer(n, element == ElementType::Bool ? 1 : n);
    const Constant written{{element, {1, 3}}, data};
    ASSERT_TRUE(write_tensor_file(folder / "t.pb", "t", written));
    const Result<Constant> got = read_tensor_file(folder / "t.pb");
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(got->type, written.type);
    for (std::int64_t n = 0; n < 3; ++n) EXPECT_EQ(got->data->get(n), data->get(n));
  }
}

/// The elements of a message whose numbers stand in a typed field.
std::vector<double> typed(int element, const std::function<void(TensorProto&)>& fill) {
  const TemporaryFolder folder = *TemporaryFolder::make();
  TensorProto message;
  message.set_data_type(element);
  message.add_dims(2);
  fill(message);
  EXPECT_TRUE(write_file(folder / "t.pb", message.SerializeAsString()));
  const Result<Constant> got = read_tensor_file(folder / "t.pb");
  EXPECT_TRUE(got) << got.error().message;
  return got ? std::vector{got->data->get(0), got->data->get(1)} : std::vector<double>();
}

TEST(TensorFile, ReadsNumbersFromTheFieldOfTheirType) {
  const auto small = [](TensorProto& t) {
    t.add_int32_data(1);
    t.add_int32_data(-1);
  };
  EXPECT_EQ(typed(TensorProto::INT32, small), (std::vector<double>{1, -1}));
  EXPECT_EQ(typed(TensorProto::INT8, small), (std::vector<double>{1, -1}));
  EXPECT_EQ(typed(TensorProto::INT16, small), (std::vector<double>{1, -1}));
  EXPECT_EQ(typed(TensorProto::UINT8, small), (std::vector<double>{1, 255}));
  EXPECT_EQ(typed(TensorProto::UINT16, small), (std::vector<double>{1, 65535}));
  const auto bits = [](int first, int second) {
    return [=](TensorProto& t) {
      t.add_int32_data(first);
      t.add_int32_data(second);
    };
  };
  EXPECT_EQ(typed(TensorProto::BOOL, bits(1, 0)), (std::vector<double>{1, 0}));
  EXPECT_EQ(typed(TensorProto::FLOAT16, bits(0x3c00, 0xc000)), (std::vector<double>{1, -2}));
  EXPECT_EQ(typed(TensorProto::BFLOAT16, bits(0x3f80, 0xc000)), (std::vector<double>{1, -2}));
  EXPECT_EQ(typed(TensorProto::INT64,
                  [](TensorProto& t) {
                    t.add_int64_data(5);
                    t.add_int64_data(-5);
                  }),
            (std::vector<double>{5, -5}));
  const auto wide = [](TensorProto& t) {
    t.add_uint64_data(5);
    t.add_uint64_data(4000000000);
  };
  EXPECT_EQ(typed(TensorProto::UINT32, wide), (std::vector<double>{5, 4e9}));
  EXPECT_EQ(typed(TensorProto::UINT64, wide), (std::vector<double>{5, 4e9}));
  EXPECT_EQ(typed(TensorProto::DOUBLE,
                  [](TensorProto& t) {
                    t.add_double_data(0.5);
                    t.add_double_data(-2);
                  }),
            (std::vector<double>{0.5, -2}));
}

TEST(TensorFile, RefusesWhatIsNoTensor) {
  const TemporaryFolder folder = *TemporaryFolder::make();
  const std::string path = folder / "t.pb";
  ASSERT_TRUE(write_file(path, "text"));
  EXPECT_EQ(read_tensor_file(path).error().message, path + ": not a tensor message");
  ASSERT_TRUE(write_file(path, ""));
  EXPECT_EQ(read_tensor_file(path).error().message,
            path + ": elements of type undefined are not supported");
}

}  // namespace
}  // namespace tessera
