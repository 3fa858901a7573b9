#include "base/file.h"
#include "conformance/check.h"
#include "conformance/skipped.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <fnmatch.h>
#include <map>

namespace tessera::conformance {
namespace {

struct Options {
  std::string data = TESSERA_CONFORMANCE_DATA;
  std::string filter = "*";
  bool is_list = false;
};

struct Outcome {
  int passed = 0;
  std::map<std::string, std::map<std::string, Failure>> failed;  // by operator and test
  std::map<std::string, int> skipped;                            // by reason
  std::vector<std::string> wrongly_skipped;
};

Outcome run_all(const std::vector<TestCase>& cases, const SkipList& skips, const Options& options) {
  Outcome outcome;
  for (const TestCase& test : cases) {
    if (fnmatch(options.filter.c_str(), test.name.c_str(), 0) != 0) continue;
    const std::string* skip = skips.find(test.name);
    const std::optional<Failure> failure = check_case(test);
    if (skip != nullptr && !failure)
      outcome.wrongly_skipped.push_back(test.name);
    else if (skip != nullptr)
      ++outcome.skipped[*skip];
    else if (failure)
      outcome.failed[failure->op].emplace(test.name, *failure);
    else
      ++outcome.passed;
  }
  return outcome;
}

/// One line per operator: how many tests fail because of it, and why the first does.
void print_by_operator(const Outcome& outcome) {
  for (const auto& [op, failures] : outcome.failed) {
    const auto& [test, failure] = *failures.begin();
    std::printf("%4zu %-28s %s: %s\n", failures.size(), op.c_str(), test.c_str(),
                failure.reason.c_str());
  }
}

void print_failures(const Outcome& outcome) {
  for (const auto& [op, failures] : outcome.failed)
    for (const auto& [test, failure] : failures)
      std::printf("failed %s (%s): %s\n", test.c_str(), op.c_str(), failure.reason.c_str());
}

int print_summary(const Outcome& outcome) {
  std::size_t failed = 0;
  for (const auto& [op, failures] : outcome.failed) failed += failures.size();
  int skipped = 0;
  for (const auto& [reason, count] : outcome.skipped) skipped += count;
  for (const auto& [reason, count] : outcome.skipped)
    std::printf("skipped %d: %s\n", count, reason.c_str());
  for (const std::string& test : outcome.wrongly_skipped)
    std::printf("%s passes; remove it from skipped.txt\n", test.c_str());
  std::printf("conformance: %d passed, %zu failed, %d skipped\n", outcome.passed, failed, skipped);
  return failed == 0 && outcome.wrongly_skipped.empty() ? 0 : 1;
}

int run(const Options& options) {
  const std::vector<TestCase> cases = find_cases(options.data);
  if (cases.empty()) {
    std::printf("conformance: skipped, no tests below \"%s\"; package libonnx-testdata has them\n",
                options.data.c_str());
    return 0;
  }
  const Result<std::string> text = read_file(TESSERA_CONFORMANCE_SKIPPED);
  const Result<SkipList> skips = text ? SkipList::parse(*text) : text.error();
  if (!skips) {
    std::fprintf(stderr, "skipped.txt: %s\n", skips.error().message.c_str());
    return 2;
  }
  const Outcome outcome = run_all(cases, *skips, options);
  options.is_list ? print_by_operator(outcome) : print_failures(outcome);
  return print_summary(outcome);
}

}  // namespace
}  // namespace tessera::conformance

int main(int count, char** arguments) {
  CLI::App program("Runs the tests of ONNX's operators");
  tessera::conformance::Options options;
  program.add_option("--data", options.data, "Folder with the sets node, pytorch-converted, ..");
  program.add_option("--filter", options.filter, "Only tests of that name; * stands for anything");
  program.add_flag("--list", options.is_list, "Failures by operator, one line each");
  CLI11_PARSE(program, count, arguments);
  return tessera::conformance::run(options);
}
