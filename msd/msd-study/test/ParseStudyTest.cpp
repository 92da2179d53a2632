#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "msd-scene/src/SceneError.hpp"
#include "msd-study/src/ParseStudy.hpp"
#include "msd-study/test/StudySamples.hpp"

namespace msd_study::test {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string problemOf(const std::string& parameters, const std::string& rest = {},
                      const std::string& measure = {}) {
  try {
    (void)makeStudy(parameters, rest, measure);
  } catch (const msd_scene::SceneError& error) {
    return error.what();
  }
  return "nothing";
}

constexpr const char* kMass = R"("mass": {"path": "bodies.ball.mass", "values": [1]})";

TEST(StudyFile, saysWhereAWrongValueStandsAndWhatWasExpected) {
  EXPECT_THAT(problemOf(R"("a": {"path": "bodies.ball.mass", "values": [1, "two"]})"),
              AllOf(HasSubstr("study.json:2:"), HasSubstr("parameters.a.values[1]"),
                    HasSubstr("a number, as before")));
  EXPECT_THAT(problemOf(R"("a": {"path": "bodies.ball.mass", "valeus": [1]})"),
              HasSubstr("did you mean \"values\"?"));
  EXPECT_THAT(problemOf(R"("a": {"path": "bodies.ball.mass", "uniform": [2, 1]})"),
              HasSubstr("a lower and an upper bound"));
  EXPECT_THAT(problemOf(R"("a": {"path": "bodies.ball.mass", "uniform": [1, 2]})"),
              HasSubstr("\"sampling\" with the number of cases"));
  EXPECT_THAT(problemOf(R"("a": {"path": "bodies.ball.mass"})"), HasSubstr("no source of values"));
  EXPECT_THAT(problemOf(R"("a b": {"path": "bodies.ball.mass", "values": [1]})"),
              HasSubstr("letters, digits and _"));
  EXPECT_THAT(problemOf(R"("status": {"path": "bodies.ball.mass", "values": [1]})"),
              HasSubstr("a name that no other"));
}

TEST(StudyFile, refusesPathsThatLeadNowhere) {
  const auto ofPath = [](const std::string& path) {
    return problemOf(fmt::format(R"("a": {{"path": "{}", "values": [1]}})", path));
  };
  EXPECT_THAT(ofPath("bodies.bal.mass"),
              AllOf(HasSubstr("parameters.a.path"), HasSubstr("did you mean \"ball\"?")));
  EXPECT_THAT(ofPath("bodies[9].mass"), HasSubstr("a number below 5"));
  EXPECT_THAT(ofPath("bodies.ball"), HasSubstr("the value of a thing"));
  EXPECT_THAT(ofPath("bodies.ball.position[3]"), HasSubstr("a value that the scene has"));
  EXPECT_THAT(ofPath("bodies.ball.name"), HasSubstr("a value that the scene has"));
  EXPECT_THAT(ofPath("bodis.ball.mass"), HasSubstr("did you mean \"bodies\"?"));
  EXPECT_THAT(ofPath("bodies.ball.position[x]"), HasSubstr("a whole number or a name in quotes"));
  EXPECT_EQ(ofPath("bodies[\\\"ball\\\"].mass"), "nothing");
  EXPECT_EQ(ofPath("joints.swing.friction"), "nothing");
  EXPECT_EQ(ofPath("gravity[2]"), "nothing");
  EXPECT_EQ(ofPath("solver.substeps"), "nothing");
}

TEST(StudyFile, refusesMeasuresOfWhatTheSceneDoesNotHave) {
  EXPECT_THAT(problemOf(kMass, {}, R"("z": {"body": "bull", "quantity": "speed"})"),
              AllOf(HasSubstr("measure.z.body"), HasSubstr("did you mean \"ball\"?")));
  EXPECT_THAT(problemOf(kMass, {}, R"("z": {"body": "ball", "quantity": "sped"})"),
              HasSubstr("did you mean \"speed\"?"));
  EXPECT_THAT(problemOf(kMass, {}, R"("z": {"body": "ball", "quantity": "speed", "take": "firstTime"})"),
              HasSubstr("firstTime without a bound"));
  EXPECT_THAT(problemOf(kMass, {}, R"("z": {"body": "ball", "event": "hit", "take": "max"})"),
              HasSubstr("of an event"));
  EXPECT_THAT(problemOf(kMass, R"(, "success": [{"measure": "why", "min": 1}])"),
              HasSubstr("success[0].measure"));
  EXPECT_THAT(problemOf(kMass, R"(, "expect": [{"measure": "x", "statistic": "chiSquare", "min": 0.1}])"),
              HasSubstr("at least two values"));
}

TEST(StudyFile, everyFieldIsDescribedOnThePage) {
  const char* source = std::getenv("MSD_SOURCE_DIR");
  ASSERT_NE(source, nullptr);
  std::ifstream file{std::string{source} + "/docs/studies.md"};
  std::ostringstream page;
  page << file.rdbuf();
  for (const std::string_view name : studyFieldNames()) {
    EXPECT_THAT(page.str(), HasSubstr(fmt::format("`{}`", name)));
  }
  for (const std::string_view name : kTakeNames) {
    EXPECT_THAT(page.str(), HasSubstr(fmt::format("`{}`", name)));
  }
}

}  // namespace

}  // namespace msd_study::test
