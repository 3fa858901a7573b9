#include "base/file.h"
#include "base/temporary_folder.h"
#include "e2e/program.h"
#include "record/tuning_run.h"
#include "support/sample_run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <regex>

namespace tessera {
namespace {

class Report : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// A file of the folder with that text.
  std::string written(const std::string& name, const std::string& text) const {
    EXPECT_TRUE(write_file(path(name), text));
    return path(name);
  }
  std::string run_file() const { return written("run.json", to_json(sample_run(1))); }

 private:
  TemporaryFolder folder_ = *TemporaryFolder::make();
};

TEST_F(Report, IsWrittenBesideTheRun) {
  EXPECT_TRUE(
      printed("report " + run_file()).starts_with(path("run.html") + ": 25 tasks, 3000 trials, "));
  const Result<std::string> page = read_file(path("run.html"));
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_TRUE(page->starts_with("<!DOCTYPE html>\n")) << page->substr(0, 100);
  EXPECT_TRUE(page->ends_with("</html>\n"));
}

TEST_F(Report, TellsItsFactsAsJson) {
  const auto facts =
      nlohmann::json::parse(printed("report --json " + run_file() + " -o " + path("page.html")));
  EXPECT_EQ(facts.at("output"), path("page.html"));
  EXPECT_EQ(facts.at("bytes"), std::filesystem::file_size(path("page.html")));
}

TEST_F(Report, RefusesWhatIsNoRun) {
  expect_refusal("report " + path("nowhere.json"),
                 path("nowhere.json") + ": No such file or directory");
  expect_refusal("report " + path(""), path("") + ": Is a directory");
  const std::string cut = written("cut.json", to_json(small_run()).substr(0, 50));
  expect_refusal("report " + cut,
                 cut + ": not a run of tuning: not JSON: damaged or cut off at byte 51");
  const std::string foreign = written("foreign.json", "{\"model\": \"x\"}\n");
  expect_refusal("report " + foreign, foreign + ": not a run of tuning: format: missing");
  const std::string newer = written("newer.json", "{\"format\": 2}\n");
  expect_refusal("report " + newer,
                 newer +
                     ": not a run of tuning: format: expected 1, the newest that this version "
                     "reads, found 2");
  EXPECT_FALSE(std::filesystem::exists(path("foreign.html")));
}

TEST_F(Report, RefusesOutputsThatCannotBeWritten) {
  const std::string run = run_file();
  expect_refusal("report " + run + " -o " + path("no/page.html"),
                 path("no/page.html") + ": No such file or directory");
  const std::string page = written("run.html", to_json(small_run()));
  expect_refusal("report " + page, page + ": is the run itself, expected -o with another");
}

/// The report of the sample run in a browser.
class ReportInBrowser : public Report {
 protected:
  void SetUp() override {
    if (run_shell("command -v chromium").code != 0) GTEST_SKIP() << "chromium is not installed";
    load(sample_run(1));
  }

  /// The page of another run from here on.
  void load(const TuningRun& run) {
    printed("report " + written("run.json", to_json(run)));
    page_ = *read_file(path("run.html"));
  }

  /// The page after `script` has run at its end: the document, and on stderr what the browser says
  /// of scripts that fail and of requests that the page's policy forbids.
  std::string opened(const std::string& script) const {
    const std::size_t end = page_.rfind("</body>");
    const std::string file = written(
        "open.html", page_.substr(0, end) + "<script>" + script + "</script>" + page_.substr(end));
    const Ended ended =
        run_shell("HOME=" + path("") +
                  " timeout 120 chromium --headless --no-sandbox --disable-gpu"
                  " --disable-dev-shm-usage --user-data-dir=" +
                  path("browser") + " --enable-logging=stderr --v=0 --dump-dom file://" + file);
    EXPECT_EQ(ended.code, 0) << ended.text;
    return ended.text;
  }

 private:
  std::string page_;
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST_F(ReportInBrowser, HasItsRowsAndChartsAndNoComplaint) {
  const std::string text = opened("");
  EXPECT_EQ(count(text, "<details id=\"task-"), 25U) << text;
  EXPECT_EQ(count(text, "<svg class=\"plot\""), 2U);
  EXPECT_GT(count(text, "<svg class=\"spark\""), 15U);
  EXPECT_EQ(count(text, ":CONSOLE"), 0U) << text.substr(0, 3000);
}

TEST_F(ReportInBrowser, ComplainsOfScriptsAndRequestsThatDoNotBelong) {
  EXPECT_GT(count(opened("undefined_name()"), ":CONSOLE"), 0U);
  EXPECT_GT(count(opened("new Image().src = 'http://127.0.0.1:9/x.png'"), ":CONSOLE"), 0U);
}

TEST_F(ReportInBrowser, RunsNothingThatComesFromAModel) {
  const std::string hostile = "</script></title></pre>'\"><script>document.title = 'run'</script>";
  TuningRun run = sample_run(1);
  run.model = run.target = run.machine = run.winner = run.finalists[0].name = hostile;
  for (TaskProgress& task : run.tasks)
    task.title = task.choices = task.schedule = task.origin = hostile;
  load(run);
  const std::string text = opened("");
  EXPECT_EQ(text.find("<title>run</title>"), std::string::npos);
  EXPECT_EQ(count(text, "<details id=\"task-"), 25U);
  EXPECT_EQ(count(text, ":CONSOLE"), 0U) << text.substr(0, 3000);
}

TEST_F(ReportInBrowser, SortsTasksByTheColumnThatIsClicked) {
  const std::string text = opened(
      "document.querySelectorAll('th button')[7].click();"
      "const cells = [...document.querySelectorAll('.sortable tbody tr')].map((r) => "
      "+r.cells[7].dataset.value);"
      "document.title = cells.every((c, n) => n === 0 || cells[n - 1] >= c) ? 'sorted' : 'not'");
  EXPECT_NE(text.find("<title>sorted</title>"), std::string::npos);
  EXPECT_EQ(count(text, "class=\"number\" aria-sort=\"descending\""), 1U);
}

TEST_F(ReportInBrowser, TellsTheCurveUnderThePointer) {
  const std::string text = opened(
      "const box = plot.getBoundingClientRect();"
      "plot.dispatchEvent(new PointerEvent('pointermove', {clientX: box.left + box.width / 2, "
      "clientY: box.top + 50}));"
      "document.title = plot.querySelector('.pointer text').textContent");
  const std::regex told("<title>2:[0-9]+ · [0-9]+ trials · [0-9.]+ ms</title>");
  EXPECT_TRUE(std::regex_search(text, told)) << text.substr(0, 3000);
  EXPECT_EQ(count(text, ":CONSOLE"), 0U);
}

TEST_F(ReportInBrowser, OpensTheScheduleThatALinkLeadsTo) {
  EXPECT_NE(opened("location.hash = 'task-3'; openTarget()").find("<details id=\"task-3\" open"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera
