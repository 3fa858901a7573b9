#include "base/cores.h"
#include "base/file.h"
#include "base/parallel_for.h"
#include "conformance/check.h"
#include "conformance/skipped.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <fnmatch.h>
#include <map>

namespace tessera::conformance {
namespace {

/// What ctest takes for a test that was skipped.
constexpr int exit_code_skipped = 77;

struct Options {
  std::string data = TESSERA_CONFORMANCE_DATA;
  std::vector<std::string> skipped = {TESSERA_CONFORMANCE_FOLDER "/skipped.txt",
                                      TESSERA_CONFORMANCE_FOLDER "/skipped_of_1.12.txt"};
  std::string filter = "*";
  bool is_list = false;
  bool is_interpreted = false;
};

struct Verdict {
  const TestCase* test = nullptr;
  const std::string* skip = nullptr;  // the reason, where the test is listed
  std::optional<Failure> failure;

  bool is_skipped() const { return skip != nullptr && failure; }
  bool is_wrongly_skipped() const { return skip != nullptr && !failure; }
  bool is_failed() const { return skip == nullptr && failure; }
  bool is_passed() const { return skip == nullptr && !failure; }
};

/// In the order of the cases. Tests that are skipped run too: they may pass by now.
std::vector<Verdict> run_all(const std::vector<TestCase>& cases, const SkipList& skips,
                             const Options& options) {
  std::vector<Verdict> verdicts;
  for (const TestCase& test : cases)
    if (fnmatch(options.filter.c_str(), test.name.c_str(), 0) == 0)
      verdicts.push_back({&test, skips.find(test.name), {}});
  parallel_for(verdicts.size(), static_cast<std::size_t>(usable_cores()), [&](std::size_t n) {
    verdicts[n].failure =
        check_case(*verdicts[n].test, options.is_interpreted ? run_interpreted : run_compiled);
  });
  return verdicts;
}

/// One line per operator: how many tests fail because of it, and why the first does.
void print_by_operator(const std::vector<Verdict>& verdicts) {
  std::map<std::string, std::vector<const Verdict*>> failed;
  for (const Verdict& verdict : verdicts)
    if (verdict.is_failed()) failed[verdict.failure->op].push_back(&verdict);
  for (const auto& [op, all] : failed)
    std::printf("%4zu %-28s %s: %s\n", all.size(), op.c_str(), all.front()->test->name.c_str(),
                all.front()->failure->reason.c_str());
}

void print_failures(const std::vector<Verdict>& verdicts) {
  for (const auto& [test, skip, failure] : verdicts)
    if (skip == nullptr && failure)
      std::printf("failed %s (%s): %s\n", test->name.c_str(), failure->op.c_str(),
                  failure->reason.c_str());
}

void print_skipped(const std::vector<Verdict>& verdicts) {
  std::map<std::string, int> reasons;
  for (const Verdict& verdict : verdicts)
    if (verdict.is_skipped()) ++reasons[*verdict.skip];
  for (const auto& [reason, count] : reasons)
    std::printf("skipped %d: %s\n", count, reason.c_str());
  for (const Verdict& verdict : verdicts)
    if (verdict.is_wrongly_skipped())
      std::printf("%s passes; remove it from the list of skipped ones\n",
                  verdict.test->name.c_str());
}

/// One line per set.
void print_counts(const std::vector<Verdict>& verdicts) {
  std::map<std::string, std::vector<const Verdict*>> sets;
  for (const Verdict& verdict : verdicts) sets[verdict.test->set].push_back(&verdict);
  for (const auto& [set, all] : sets) {
    const auto count = [&](bool (Verdict::*is)() const) {
      return std::ranges::count_if(all, [&](const Verdict* verdict) { return (verdict->*is)(); });
    };
    std::printf("conformance: %s %td passed, %td failed, %td skipped\n", set.c_str(),
                count(&Verdict::is_passed), count(&Verdict::is_failed),
                count(&Verdict::is_skipped));
  }
}

int run(const Options& options) {
  const std::vector<TestCase> cases = find_cases(options.data);
  if (cases.empty()) {
    std::printf("conformance: skipped, no tests below \"%s\"; package libonnx-testdata has them\n",
                options.data.c_str());
    return exit_code_skipped;
  }
  SkipList skips;
  for (const std::string& file : options.skipped) {
    const Result<std::string> text = read_file(file);
    const Result<void> added = text ? skips.add(*text) : text.error();
    if (!added) {
      std::fprintf(stderr, "%s: %s\n", file.c_str(), added.error().message.c_str());
      return 2;
    }
  }
  std::printf("conformance: tests below %s\n", options.data.c_str());
  const std::vector<Verdict> verdicts = run_all(cases, skips, options);
  options.is_list ? print_by_operator(verdicts) : print_failures(verdicts);
  print_skipped(verdicts);
  print_counts(verdicts);
  return std::ranges::any_of(verdicts, [](const Verdict& verdict) {
    return verdict.is_failed() || verdict.is_wrongly_skipped();
  });
}

}  // namespace
}  // namespace tessera::conformance

int main(int count, char** arguments) {
  CLI::App program("Runs the tests of ONNX's operators");
  tessera::conformance::Options options;
  program.add_option("--data", options.data, "Folder with the sets node, pytorch-converted, ..");
  program.add_option("--skipped", options.skipped, "Lists of tests that are known not to pass");
  program.add_option("--filter", options.filter, "Only tests of that name; * stands for anything");
  program.add_flag("--list", options.is_list, "Failures by operator, one line each");
  program.add_flag("--interpret", options.is_interpreted,
                   "Run by the interpreter, without compiling");
  CLI11_PARSE(program, count, arguments);
  return tessera::conformance::run(options);
}
