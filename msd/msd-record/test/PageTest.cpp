// Plots and pages: what a person sees is right, complete and harmless.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <stack>

#include "msd-record/src/Charts.hpp"
#include "msd-record/src/Csv.hpp"
#include "msd-record/src/Extremes.hpp"
#include "msd-record/src/HtmlReport.hpp"
#include "msd-record/src/RecordError.hpp"
#include "msd-record/src/SvgChart.hpp"
#include "msd-record/test/RecordedRuns.hpp"

namespace msd_record::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Every element that is opened is closed, in order.
bool isBalanced(const std::string& xml) {
  const std::regex tag{"<(/?)([a-z]+)[^>]*?(/?)>"};
  std::stack<std::string> open;
  for (auto it = std::sregex_iterator{xml.begin(), xml.end(), tag}; it != std::sregex_iterator{};
       ++it) {
    if ((*it)[3].length() > 0 || (*it)[2] == "meta") continue;
    if ((*it)[1].length() == 0) {
      open.push((*it)[2]);
    } else if (open.empty() || open.top() != (*it)[2]) {
      return false;
    } else {
      open.pop();
    }
  }
  return open.empty();
}

Chart oneLine(std::vector<double> y, std::string unit = "m") {
  Series series{.name = "a", .x = {}, .y = std::move(y)};
  for (std::size_t i = 0; i < series.y.size(); ++i) series.x.push_back(static_cast<double>(i));
  return {.title = "A line", .quantity = "length", .unit = std::move(unit), .series = {series}};
}

TEST(SvgChart, hasAxesWithUnitsThatReadWell) {
  const std::string svg = toSvg(oneLine({0.0, 0.0012, 0.0031}));
  EXPECT_TRUE(isBalanced(svg)) << svg;
  EXPECT_THAT(svg, HasSubstr("length [mm]"));
  EXPECT_THAT(svg, HasSubstr("simulated time [s]"));
  EXPECT_THAT(svg, HasSubstr(">4</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(SvgChart, drawsWhateverItIsGiven) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& y : std::vector<std::vector<double>>{{},
                                                        {0.0},
                                                        {5.0},
                                                        {-3.0, -3.0},
                                                        {1e-300, 2e-300},
                                                        {1e300, -1e300},
                                                        {nan, 1.0, nan, 2.0, 3.0},
                                                        {inf, 1.0, -inf}}) {
    const std::string svg = toSvg(oneLine(y));
    EXPECT_TRUE(isBalanced(svg)) << svg;
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf ")));
  }
}

TEST(SvgChart, losesNoPeakAmongAMillionPoints) {
  std::vector<double> y(1'000'000, 0.0);
  y[654'321] = 1.0;
  const std::string svg = toSvg(oneLine(y));
  EXPECT_LT(svg.size(), 60'000u);
  // The peak of 1 m lies at the top of the plot, y = 66.
  EXPECT_THAT(svg, HasSubstr(" 66.0"));
}

TEST(SvgChart, makesNamesHarmless) {
  Chart chart = oneLine({1.0, 2.0});
  chart.title = "<script>alert('x')</script> & \"more\"";
  const std::string svg = toSvg(chart);
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_TRUE(isBalanced(svg));
}

class Page : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    record(*folder_ / "yard.db", kYard, 100);
  }
  static void TearDownTestSuite() { delete folder_; }
  Reader reader_{*folder_ / "yard.db"};
  static TemporaryFolder* folder_;
};
TemporaryFolder* Page::folder_ = nullptr;

TEST_F(Page, plotsEverythingARunHas) {
  const auto charts = runCharts(reader_);
  std::vector<std::string> names;
  for (const NamedChart& chart : charts) {
    names.push_back(chart.name);
    EXPECT_FALSE(chart.chart.series.empty()) << chart.name;
    EXPECT_TRUE(isBalanced(toSvg(chart.chart)));
    for (const Series& series : chart.chart.series) EXPECT_EQ(series.y.size(), 100u);
  }
  EXPECT_THAT(names,
              testing::ElementsAre("energy", "ledger", "penetration", "contacts", "step_time"));
  EXPECT_EQ(bodyCharts(reader_, "ball").size(), 2u);
  EXPECT_THROW(static_cast<void>(bodyCharts(reader_, "floor")), RecordError);
  EXPECT_THROW(static_cast<void>(bodyCharts(reader_, "nobody")), RecordError);
}

TEST_F(Page, reportStandsAlone) {
  const std::string html = htmlReport(reader_);
  EXPECT_TRUE(isBalanced(html.substr(html.find("<html"))));
  for (const char* part :
       {"yard", "Mechanical energy", "Deepest penetrations", "Largest contact forces",
        "Hardest hits", "Settings", "restitutionThreshold", "ball"}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
  EXPECT_THAT(html, Not(testing::ContainsRegex("(src|href)=")));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
}

TEST_F(Page, extremesAreTheLargestOfAllFrames) {
  const Extremes extremes = findExtremes(reader_, 10);
  double deepest = 0.0, strongest = 0.0;
  for (std::int64_t i = 0; i < reader_.frameCount(); ++i) {
    for (const ContactRow& c : reader_.frame(i).contacts) {
      deepest = std::max(deepest, -c.gap());
      strongest = std::max(strongest, c.forceOnB().norm());
    }
  }
  ASSERT_FALSE(extremes.strongest.empty());
  EXPECT_EQ(extremes.strongest.front().value, strongest);
  EXPECT_GT(extremes.strongest.front().step, 0u);
  if (deepest > 0.0) {
    EXPECT_EQ(extremes.deepest.front().value, deepest);
  }
  ASSERT_FALSE(extremes.hits.empty());
}

TEST_F(Page, csvHasARowForEveryRowAndReadsBackTheSameNumbers) {
  std::string text;
  EXPECT_EQ(writeCsv(reader_, "body_states", [&](std::string_view t) { text += t; }), 101u * 3u);
  EXPECT_EQ(std::ranges::count(text, '\n'), 1 + 101 * 3);
  EXPECT_THAT(text, testing::StartsWith("frame,step,time,body,name,x,y,z,qw"));
  // The fifth line is the ball in frame 1: columns 5 to 7 are its position.
  std::istringstream lines{text};
  std::string line;
  for (int i = 0; i < 6; ++i) std::getline(lines, line);
  std::istringstream fields{line};
  std::vector<std::string> values;
  for (std::string field; std::getline(fields, field, ',');) values.push_back(field);
  const BodyState ball = reader_.frame(1).states[1];
  EXPECT_EQ(values[4], "ball");
  EXPECT_EQ(std::strtod(values[7].c_str(), nullptr), ball.position().z());
  for (const std::string& table : csvTables()) {
    EXPECT_NO_THROW(writeCsv(reader_, table, [](std::string_view) {}));
  }
}

TEST(Csv, quotesWhatNeedsIt) {
  EXPECT_EQ(csvField("plain"), "plain");
  EXPECT_EQ(csvField("a,b"), "\"a,b\"");
  EXPECT_EQ(csvField("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csvField("two\nlines"), "\"two\nlines\"");
}

}  // namespace
}  // namespace msd_record::test
