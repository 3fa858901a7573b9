#include "report/report.h"

#include "base/rng.h"
#include "support/sample_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

/// The text between two others.
std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string::npos) return "";
  const std::size_t from = begin + before.size();
  return text.substr(from, text.find(after, from) - from);
}

/// What is wrong with the nesting of a page's elements; nothing when it is empty.
std::string flaw_of(const std::string& page) {
  const std::set<std::string> empty = {"meta", "link"}, raw = {"script", "style"};
  std::vector<std::string> open;
  std::size_t at = page.find('>') + 1;  // after the document's type
  while ((at = page.find('<', at)) != std::string::npos) {
    const std::size_t end = page.find('>', at);
    if (end == std::string::npos) return "a tag without an end at " + page.substr(at, 40);
    const std::string tag = page.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (std::ranges::count(tag, '"') % 2 != 0) return "quotes in " + tag;
    at = end + 1;
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return "unexpected " + tag;
      open.pop_back();
    } else if (!tag.ends_with('/') && !empty.contains(name)) {
      open.push_back(name);
      if (raw.contains(name)) at = page.find("</" + name, at);
    }
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

TEST(Report, IsAWellFormedPage) {
  EXPECT_EQ(flaw_of(html_report(sample_run(1))), "");
  EXPECT_EQ(flaw_of(html_report(small_run())), "");
  EXPECT_EQ(flaw_of(html_report({})), "");
}

TEST(Report, NeedsNothingButItself) {
  const std::string page = html_report(sample_run(1));
  for (const char* word : {"http:", "https:", "src=", "@import", "url("})
    EXPECT_EQ(page.find(word), std::string::npos) << word;
  EXPECT_NE(page.find("content=\"default-src 'none';"), std::string::npos);
}

TEST(Report, HoldsTheRun) {
  const TuningRun run = sample_run(3);
  const Result<TuningRun> back = parse_tuning_run(
      between(html_report(run), "<script type=\"application/json\" id=\"run\">", "</script>"));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, run);
}

TEST(Report, IsTheSameForTheSameRun) {
  EXPECT_EQ(html_report(sample_run(5)), html_report(sample_run(5)));
}

TEST(Report, HeadsWithTheFinalists) {
  TuningRun run = small_run();
  run.finalists = {{"untuned", 30, 31, 29, 50}, {"tuned", 12, 13, 11, 50}};
  run.winner = "tuned";
  run.phase = "done";
  const std::string headline = between(html_report(run), "class=\"headline\"", "</section>");
  EXPECT_NE(headline.find("<strong>2.50×</strong> <span>faster</span>"), std::string::npos);
  EXPECT_NE(headline.find("<span class=\"was\">30.0 ms</span>"), std::string::npos) << headline;
  EXPECT_NE(headline.find("<span class=\"now\">12.0 ms</span>"), std::string::npos) << headline;
  EXPECT_NE(headline.find("<b>tuned</b> won among 2 plans"), std::string::npos) << headline;
  EXPECT_EQ(headline.find("had not ended"), std::string::npos) << headline;
}

TEST(Report, SaysWhenTheUntunedPlanWasKept) {
  TuningRun run = small_run();
  run.finalists = {{"untuned", 30, 31, 29, 50}, {"tuned", 31, 33, 30, 50}};
  run.winner = "untuned";
  const std::string headline = between(html_report(run), "class=\"headline\"", "</section>");
  EXPECT_NE(headline.find("<strong>1.00×</strong> <span>unchanged</span>"), std::string::npos);
  EXPECT_NE(headline.find("was the fastest and was kept"), std::string::npos) << headline;
}

TEST(Report, HeadsWithAnEstimateUntilThereAreFinalists) {
  const std::string headline =
      between(html_report(small_run()), "class=\"headline\"", "</section>");
  EXPECT_NE(headline.find("<span class=\"was\">27.7 ms</span>"), std::string::npos) << headline;
  EXPECT_NE(headline.find("<span class=\"now\">9.05 ms</span>"), std::string::npos) << headline;
  EXPECT_NE(headline.find("An estimate: "), std::string::npos) << headline;
  EXPECT_NE(headline.find("it was in phase <b>tune</b>"), std::string::npos) << headline;
}

TEST(Report, HasARowPerTaskAndSchedule) {
  const TuningRun run = sample_run(1);
  const std::string page = html_report(run);
  EXPECT_EQ(count(between(page, "<section id=\"table\">", "</section>"), "<tr>"), 26U);
  EXPECT_EQ(count(page, "<details id=\"task-"), 25U);
  EXPECT_EQ(count(page, "class=\"plot\""), 2U);
  EXPECT_EQ(count(page, "class=\"spark\""),
            25U - std::ranges::count_if(run.tasks, [](const auto& t) { return t.trend.empty(); }));
  EXPECT_EQ(count(between(page, "<section id=\"finalists\">", "</section>"), "<tr"), 4U);
  EXPECT_EQ(count(between(page, "<section id=\"failures\">", "</section>"), "<tr>"), 4U);
  EXPECT_NE(page.find("5 other tasks"), std::string::npos);
}

TEST(Report, EscapesWhatComesFromModels) {
  const std::string hostile = "</script><script>alert(\"'&\")</script><!--\xff\x1b";
  TuningRun run = sample_run(1);
  run.model = run.target = run.machine = run.started = run.version = run.phase = run.sampler =
      run.cost_model = run.package = hostile;
  for (TaskProgress& task : run.tasks)
    task.title = task.task = task.schedule = task.choices = task.origin = hostile;
  run.finalists[1].name = run.winner = hostile;
  const std::string page = html_report(run);
  EXPECT_EQ(flaw_of(page), "");
  EXPECT_EQ(page.find("alert(\""), std::string::npos);
  EXPECT_EQ(page.find("<!--"), std::string::npos);
  EXPECT_EQ(count(page, "<script"), 2U);
  EXPECT_EQ(page.find('\xff'), std::string::npos);
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_NE(page.find("&lt;/script&gt;&lt;script&gt;alert(&quot;&#39;&amp;&quot;)"),
            std::string::npos);
}

TEST(Report, ShowsRunsOfWhichLittleIsKnown) {
  const std::string nothing = html_report({});
  EXPECT_NE(nothing.find("nothing to compare yet"), std::string::npos);
  EXPECT_NE(nothing.find("Nothing has been measured."), std::string::npos);
  EXPECT_EQ(nothing.find("<svg"), std::string::npos);

  TuningRun one_point = small_run();
  one_point.curve.resize(1);
  one_point.curve[0].elapsed_seconds = 0;
  for (TaskProgress& task : one_point.tasks) task.best_seconds = task.untuned_seconds;
  EXPECT_EQ(count(html_report(one_point), "class=\"plot\""), 2U);

  TuningRun unmeasured = small_run();
  for (TaskProgress& task : unmeasured.tasks) task.untuned_seconds = task.best_seconds = 0;
  unmeasured.tasks[0].best_seconds = std::numeric_limits<double>::infinity();
  unmeasured.curve = {{0, 0, 0}};
  const std::string page = html_report(unmeasured);
  EXPECT_NE(page.find("0 of 4 tasks have been measured."), std::string::npos);
  for (const char* word : {">nan", ">inf", "\"inf", "\"nan"})
    EXPECT_EQ(between(page, "<section id=\"table\">", "</section>").find(word), std::string::npos);
}

TEST(Report, ShowsWhateverNumbersAreRead) {
  const std::string json = to_json(small_run());
  Rng rng(1);
  int shown = 0;
  for (int n = 0; n < 1000; ++n) {
    std::string changed = json;
    for (std::int64_t left = rng.between(1, 6); left > 0; --left) {
      const auto from = static_cast<std::size_t>(rng.below(std::ssize(changed)));
      const std::size_t at = changed.find_first_of("0123456789", from);
      const std::size_t end = changed.find_first_not_of("0123456789.e-", at);
      constexpr std::array<const char*, 7> values = {"0",    "1e-320", "2e-15",        "0.5",
                                                     "1e18", "1",      "1000000000000"};
      if (end != std::string::npos && std::string_view(":,[").find(changed[at - 1]) < 3)
        changed.replace(at, end - at, rng.pick<const char*>(values));
    }
    if (const Result<TuningRun> run = parse_tuning_run(changed)) {
      EXPECT_EQ(flaw_of(html_report(*run)), "") << changed;
      ++shown;
    }
  }
  EXPECT_GT(shown, 200);
}

TEST(Report, SaysWhenNothingFailed) {
  TuningRun run = small_run();
  run.outcomes = {{Outcome::Ok, 5}};
  EXPECT_NE(html_report(run).find("No candidate failed."), std::string::npos);
}

TEST(Report, WarnsOfAMachineThatWasBusy) {
  TuningRun run = small_run();
  run.conditions.load = 2.3;
  EXPECT_NE(html_report(run).find("2.30, others were running"), std::string::npos);
}

}  // namespace
}  // namespace tessera
