#include "package/link.h"

#include "backend/backend.h"
#include "base/file.h"
#include "support/parsed.h"
#include "support/sample_network.h"
#include "support/temporary_path.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace tessera {
namespace {

/// An object of C code for this machine.
std::string compiled_c(const std::string& text) {
  const TemporaryPath source(".c"), object(".o");
  std::ofstream(source.text()) << text;
  const std::string command =
      "cc -c -fPIC -O1 -fno-builtin " + source.text() + " -o " + object.text();
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return *read_file(object.text());
}

std::string refusal(const std::vector<std::string>& objects) {
  const Result<std::string> linked = link_objects(objects, detect_host());
  return linked ? "accepted" : linked.error().message;
}

std::string subject(int objects) {
  return "link of " + std::to_string(objects) + " objects for " + detect_host().name + ": ";
}

TEST(LinkObjects, GivesTheSameBytesAgain) {
  const SampleNetwork network;
  EXPECT_EQ(*link_objects(network.objects, network.target), network.code);
}

TEST(LinkObjects, LinksForEveryTarget) {
  for (const Target& target : presets()) {
    const SampleNetwork network(target);
    EXPECT_TRUE(
        network.code.starts_with("\x7f"
                                 "ELF"))
        << target.name;
  }
}

TEST(LinkObjects, TakesMoreObjectsThanAProcessMayOpenFiles) {
  std::vector<std::string> objects;
  const std::string object = compiled_c("static int unused;");
  for (int n = 0; n < 3000; ++n) objects.push_back(object);
  EXPECT_EQ(refusal(objects), "accepted");
}

TEST(LinkObjects, RefusesSymbolsThatNobodyDefines) {
  EXPECT_EQ(refusal({compiled_c("float sinf(float); float f(float x) { return sinf(x); }")}),
            subject(1) + "undefined symbol: sinf");
}

TEST(LinkObjects, RefusesTwoDefinitions) {
  const std::string object = compiled_c("int f(void) { return 1; }");
  EXPECT_EQ(refusal({object, object}), subject(2) + "duplicate symbol: f");
}

TEST(LinkObjects, RefusesWhatIsNoObject) {
  const std::string message = refusal({"text"});
  EXPECT_TRUE(message.starts_with(subject(1))) << message;
}

/// Every operator, on single values and on vectors. Whatever code a backend makes of them calls no
/// function outside, so that packages need no library at all.
const std::string all_operators = R"(program all lowered
input A f32[8] layout [0]
input B f32[8] layout [0]
input I i32[8] layout [0]
input J i64[8] layout [0]
output F f32[8] layout [0]
output G f32[8] layout [0]
output K i32[8] layout [0]
output L i64[8] layout [0]
output T bool[8] layout [0]
body
for v in 8 $KIND {
  F[v] = exp(A[v]) + log(A[v]) + erf(A[v]) + tanh(A[v]) + sigmoid(A[v]) + sin(A[v]) + cos(A[v]) + sqrt(A[v]) + rsqrt(A[v])
  G[v] = floor(A[v]) + ceil(A[v]) + round(A[v]) + abs(A[v]) + -A[v] + pow(A[v], B[v]) + min(A[v], B[v]) + max(A[v], B[v]) + A[v] / B[v] + A[v] % B[v]
  K[v] = I[v] / i32(7) + I[v] % i32(7) + abs(I[v]) + min(I[v], i32(3)) + i32(A[v]) * I[v] + i32(J[v])
  L[v] = J[v] / 7 + J[v] % 7 + abs(J[v]) + max(J[v], 3) + i64(A[v]) * J[v] + i64(I[v])
  T[v] = A[v] < B[v] || I[v] <= i32(3) && !(J[v] == 5)
}
)";

TEST(LinkObjects, FindsEveryOperatorToStandAlone) {
  for (const Target& target : presets())
    for (const std::string kind : {"", "vector 8"}) {
      std::string text = all_operators;
      const std::size_t at = text.find("$KIND");
      text.replace(at, 5, kind);
      const Result<ObjectCode> object = llvm_backend()->object(parsed_program(text), target);
      ASSERT_TRUE(object) << object.error().message;
      const Result<std::string> linked = link_objects(std::span(&object->bytes, 1), target);
      EXPECT_TRUE(linked) << target.name << " " << kind << ": " << linked.error().message;
    }
}

}  // namespace
}  // namespace tessera
