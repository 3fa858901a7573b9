#include "support/sample_network.h"
#include "support/temporary_path.h"
#include "tensor/compare.h"

#include <gtest/gtest.h>

#include <string>
#include <tessera_runtime.h>
#include <thread>

namespace tessera {
namespace {

struct CApi : testing::Test {
  CApi() {
    EXPECT_TRUE(network.write(path.text()));
    package = tessera_package_open(path.text().c_str());
    EXPECT_NE(package, nullptr) << tessera_last_error();
  }
  ~CApi() override { tessera_package_close(package); }

  const SampleNetwork network{detect_host(), {.rows = 2, .widths = {3, 5}}};
  TemporaryPath path;
  tessera_package* package = nullptr;
};

TEST_F(CApi, TellsPorts) {
  EXPECT_STREQ(tessera_package_name(package), "sample");
  EXPECT_EQ(tessera_input_count(package), 1U);
  EXPECT_EQ(tessera_output_count(package), 1U);
  const tessera_port x = tessera_input(package, 0), y = tessera_output(package, 0);
  EXPECT_STREQ(x.name, "x");
  EXPECT_STREQ(y.name, "y");
  EXPECT_EQ(x.element_type, TESSERA_FLOAT);
  EXPECT_EQ(std::vector<std::int64_t>(y.shape, y.shape + y.rank), (Shape{2, 5}));
  EXPECT_EQ(x.size_bytes, 24U);
}

TEST_F(CApi, GivesNoPortPastTheLast) {
  EXPECT_EQ(tessera_input(package, 1).name, nullptr);
  EXPECT_STREQ(tessera_last_error(), "port 1, expected below 1");
}

TEST_F(CApi, RunsAfterThePackageIsClosed) {
  tessera_session* session = tessera_session_create(package, 1);
  ASSERT_NE(session, nullptr) << tessera_last_error();
  tessera_package_close(std::exchange(package, nullptr));
  HostBuffer x(DType::F32, 6), y(DType::F32, 10);
  Rng rng(1);
  fill_random(x, rng);
  const void* in = x.data();
  void* out = y.data();
  ASSERT_EQ(tessera_session_run(session, &in, 1, &out, 1), 0) << tessera_last_error();
  tessera_session_destroy(session);
  EXPECT_TRUE(compare(y, network.interpreted(x), {}).equal);
}

TEST_F(CApi, SaysWhyItRefuses) {
  EXPECT_EQ(tessera_package_open("/no/such"), nullptr);
  EXPECT_STREQ(tessera_last_error(), "/no/such: No such file or directory");
  EXPECT_EQ(tessera_session_create(package, -3), nullptr);
  EXPECT_STREQ(tessera_last_error(), "threads -3, expected 0 to 2047");
  tessera_session* session = tessera_session_create(package, 1);
  EXPECT_NE(tessera_session_run(session, nullptr, 0, nullptr, 0), 0);
  EXPECT_STREQ(tessera_last_error(), "0 inputs, expected 1");
  tessera_session_destroy(session);
}

TEST_F(CApi, KeepsTheErrorsOfThreadsApart) {
  EXPECT_EQ(tessera_package_open("/no/such"), nullptr);
  std::thread([] { EXPECT_STREQ(tessera_last_error(), ""); }).join();
  EXPECT_STREQ(tessera_last_error(), "/no/such: No such file or directory");
}

TEST(CApiOfNothing, ClosesNull) {
  tessera_package_close(nullptr);
  tessera_session_destroy(nullptr);
  EXPECT_STRNE(tessera_version(), "");
}

}  // namespace
}  // namespace tessera
