#include "base/file.h"
#include "support/sample_network.h"
#include "support/shell.h"
#include "support/temporary_path.h"
#include "tensor/compare.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <sstream>

namespace tessera {
namespace {

std::string_view bytes_of(const HostBuffer& buffer) {
  return {static_cast<const char*>(buffer.data()), static_cast<std::size_t>(buffer.size_bytes())};
}

TEST(CExample, ComputesWhatTheInterpreterDoes) {
  const SampleNetwork network(detect_host(), {.rows = 4, .widths = {16, 32, 10}});
  const TemporaryPath model(".tessera"), in, out;
  ASSERT_TRUE(network.write(model.text()));
  HostBuffer x(DType::F32, 64);
  Rng rng(1);
  fill_random(x, rng);
  ASSERT_TRUE(write_file(in.text(), bytes_of(x)));
  const Ended ended =
      run_shell(TESSERA_C_EXAMPLE " " + model.text() + " " + in.text() + " " + out.text());
  EXPECT_EQ(ended.text,
            "input x: type 1, shape [4, 16], 256 bytes\n"
            "output y: type 1, shape [4, 10], 160 bytes\n");
  ASSERT_EQ(ended.code, 0);
  const std::string got = *read_file(out.text());
  HostBuffer y(DType::F32, 40);
  ASSERT_EQ(got.size(), 160U);
  std::memcpy(y.data(), got.data(), got.size());
  const Comparison comparison = compare(y, network.interpreted(x), {});
  EXPECT_TRUE(comparison.equal) << comparison.message;
}

TEST(CExample, SaysWhyAModelIsRefused) {
  const Ended ended = run_shell(TESSERA_C_EXAMPLE " /dev/null");
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.text, "run: /dev/null: not a package, expected it to begin with 'TESSERA'\n");
}

/// The words at `position` of the lines that hold `mark`.
std::set<std::string> words(const std::string& command, const std::string& mark, int position) {
  const Ended ended = run_shell(command);
  EXPECT_EQ(ended.code, 0) << ended.text;
  std::set<std::string> found;
  std::istringstream lines(ended.text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(mark) == std::string::npos) continue;
    std::istringstream parts(line);
    std::string word;
    for (int n = 0; n <= position; ++n) parts >> word;
    found.insert(word);
  }
  return found;
}

TEST(RuntimeLibrary, ExportsTheFunctionsOfItsHeaderOnly) {
  EXPECT_EQ(words("nm -D --defined-only " TESSERA_RUNTIME_LIBRARY, " ", 2),
            (std::set<std::string>{
                "tessera_input", "tessera_input_count", "tessera_last_error", "tessera_output",
                "tessera_output_count", "tessera_package_close", "tessera_package_name",
                "tessera_package_open", "tessera_session_create", "tessera_session_destroy",
                "tessera_session_run", "tessera_version"}));
}

TEST(RuntimeLibrary, NeedsTheCLibraryOnly) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers bring libraries of their own";
#endif
  for (const std::string& library : words("objdump -p " TESSERA_RUNTIME_LIBRARY, "NEEDED", 1))
    EXPECT_TRUE(library.starts_with("libc.") || library.starts_with("libm.") ||
                library.starts_with("ld-linux"))
        << library;
}

}  // namespace
}  // namespace tessera
