// docs/recording.md is true: its tables are the schema, and its ten queries answer what they ask.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "msd-record/src/Reader.hpp"
#include "msd-record/src/Schema.hpp"
#include "msd-record/test/RecordedRuns.hpp"

namespace msd_record::test {
namespace {

constexpr int kSteps = 150;

std::string page() {
  const char* source = std::getenv("MSD_SOURCE_DIR");
  if (source == nullptr) throw std::runtime_error{"MSD_SOURCE_DIR is not set: run through ctest"};
  std::ifstream file{std::string{source} + "/docs/recording.md"};
  return {std::istreambuf_iterator<char>{file}, {}};
}

std::vector<std::string> queries() {
  const std::string text = page();
  std::vector<std::string> found;
  for (std::size_t at = 0; (at = text.find("```sql\n", at)) != std::string::npos;) {
    at += 7;
    found.push_back(text.substr(at, text.find("```", at) - at));
  }
  return found;
}

TEST(RecordingPage, namesEveryColumnWithItsUnitAndMeaning) {
  const std::string text = page();
  for (const Table& table : tables()) {
    const std::size_t start = text.find("### `" + std::string{table.name} + "`");
    ASSERT_NE(start, std::string::npos) << table.name;
    std::size_t at = start;
    for (const Column& column : table.columns) {
      const std::string row = "| `" + std::string{column.name} + "` | " + std::string{column.unit} +
                              " | " + std::string{column.meaning} + " |";
      at = text.find(row, at);
      ASSERT_NE(at, std::string::npos) << table.name << " lacks " << row;
    }
  }
  for (const View& view : views()) {
    EXPECT_NE(text.find("| `" + std::string{view.name} + "` |"), std::string::npos) << view.name;
  }
}

/// One recording of the yard for all queries, asked through plain SQL.
class TenQueries : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    record(*folder_ / "yard.db", kYard, kSteps);
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  struct Row {
    std::vector<double> numbers{};  ///< NaN for text
    std::vector<std::string> texts{};
  };
  std::vector<Row> ask(std::size_t number) {
    const std::vector<std::string> all = queries();
    EXPECT_EQ(all.size(), 10u);
    Database database{(*folder_ / "yard.db").string(), OpenMode::kRead};
    Statement statement = database.prepare(all.at(number - 1));
    std::vector<Row> rows;
    while (statement.step()) {
      Row row;
      for (int i = 0; i < statement.columnCount(); ++i) {
        double value = std::nan("");
        std::string text;
        try {
          value = statement.real(i);
        } catch (const SqliteError&) {
          text = statement.text(i);
        }
        row.numbers.push_back(value);
        row.texts.push_back(text);
      }
      rows.push_back(std::move(row));
    }
    return rows;
  }
  static Reader reader() { return Reader{*folder_ / "yard.db"}; }

  static TemporaryFolder* folder_;
};

TemporaryFolder* TenQueries::folder_ = nullptr;

TEST_F(TenQueries, oneFindsABodyAtAMoment) {
  const auto rows = ask(1);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_NEAR(rows[0].numbers[0], 0.25, 0.011);
  // Free fall from 2 m, still above the floor: z = 2 - g t²/2, to the first order of the step.
  EXPECT_NEAR(rows[0].numbers[3], 2.0 - 0.5 * 9.81 * 0.25 * 0.25, 0.06);
  EXPECT_NEAR(rows[0].numbers[1], 3.0, 1e-9);
}

TEST_F(TenQueries, twoIsTheReadersTrajectory) {
  const auto rows = ask(2);
  const auto points = reader().trajectory("ball");
  ASSERT_EQ(rows.size(), points.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].numbers[0], points[i].time);
    EXPECT_EQ(rows[i].numbers[3], points[i].state.position().z());
  }
}

TEST_F(TenQueries, threeRanksBodiesBySpeed) {
  const auto rows = ask(3);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].texts[0], "ball");
  EXPECT_GE(rows[0].numbers[1], rows[1].numbers[1]);
  double fastest = 0.0;
  for (const auto& point : reader().trajectory("ball")) {
    fastest = std::max(fastest, point.state.velocity().squaredNorm());
  }
  EXPECT_NEAR(rows[0].numbers[1], fastest, 1e-12 * fastest);
}

TEST_F(TenQueries, fourFindsTheDeepestContact) {
  const auto rows = ask(4);
  ASSERT_EQ(rows.size(), 10u);
  double deepest = 0.0;
  Reader r = reader();
  for (std::int64_t i = 0; i < r.frameCount(); ++i) {
    for (const ContactRow& contact : r.frame(i).contacts)
      deepest = std::max(deepest, -contact.gap());
  }
  EXPECT_EQ(rows[0].numbers[3], deepest);
  EXPECT_GE(rows[8].numbers[3], rows[9].numbers[3]);
}

TEST_F(TenQueries, fiveGivesABoxAtRestItsWeight) {
  const auto rows = ask(5);
  ASSERT_GT(rows.size(), 100u);
  // 1 m³ of 1000 kg/m³ that rests: 9810 N, to the solver's residual.
  EXPECT_NEAR(rows.back().numbers[1], 9810.0, 50.0);
}

TEST_F(TenQueries, sixSaysThatTheLedgerCloses) {
  const auto rows = ask(6);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_LT(rows[0].numbers[0], 1e-9);
  EXPECT_FALSE(std::isnan(rows[0].numbers[0]));
}

TEST_F(TenQueries, sevenAddsUpTheLedger) {
  const auto rows = ask(7);
  ASSERT_EQ(rows.size(), 1u);
  ASSERT_EQ(rows[0].numbers.size(), 9u);
  msd_sim::EnergyLedger sum;
  Reader r = reader();
  r.forEachStep(1, [&](const RecordedStep& step) {
    sum.change += step.report.energy.change;
    sum.frictionWork += step.report.energy.frictionWork;
    return true;
  });
  EXPECT_NEAR(rows[0].numbers[0], sum.change, 1e-9 * std::abs(sum.change));
  EXPECT_NEAR(rows[0].numbers[4], sum.frictionWork, 1e-9 * std::abs(sum.frictionWork));
  EXPECT_LT(rows[0].numbers[4], 0.0);  // the box slid to a stop
}

TEST_F(TenQueries, eightCountsStickAndSlip) {
  const auto rows = ask(8);
  ASSERT_GT(rows.size(), 100u);
  EXPECT_GT(rows[2].numbers[2], 0.0);      // the box slides at first
  EXPECT_EQ(rows.back().numbers[2], 0.0);  // and rests in the end
  EXPECT_GT(rows.back().numbers[1], 0.0);
}

TEST_F(TenQueries, nineFindsTheBallHittingTheFloor) {
  const auto rows = ask(9);
  ASSERT_GE(rows.size(), 1u);
  const auto& texts = rows[0].texts;
  EXPECT_TRUE(texts[1] == "ball" || texts[2] == "ball");
  // A fall of 1.75 m: v = sqrt(2 g h) = 5.86 m/s, a step's worth less at most.
  EXPECT_NEAR(rows[0].numbers[3], std::sqrt(2.0 * 9.81 * 1.75), 0.2);
}

TEST_F(TenQueries, tenFindsWhatTheHingeBears) {
  const auto rows = ask(10);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].texts[0], "hinge");
  // At least the door's weight: 0.2 m³ of 1000 kg/m³.
  EXPECT_GT(rows[0].numbers[1], 0.9 * std::pow(200.0 * 9.81, 2));
}

}  // namespace
}  // namespace msd_record::test
