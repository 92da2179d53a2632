// `msd solve` and `msd run --dump-problem`: what one writes the other reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "msd-exe/test/RunMsd.hpp"

namespace msd_exe::test {
namespace {

using testing::HasSubstr;

/// One contact, W = 1: pressed down with 2 and sideways with 0.3, µ = 0.5: sticks, r = -q.
constexpr const char* kStick = "3 1\n0 3 3\n3 3\n1 0 0 0 1 0 0 0 1\n-2 0.3 0\n0.5\n";

/// A box on the floor and one that slides.
constexpr const char* kBoxes = R"({"version": 1, "name": "boxes", "dt": 0.01, "steps": 5,
  "solver": {"method": "exact"},
  "shapes": {"box": {"type": "box", "halfExtents": [0.5, 0.5, 0.5]},
             "floor": {"type": "box", "halfExtents": [9, 9, 1]}},
  "bodies": [{"name": "floor", "shape": "floor", "static": true, "position": [0, 0, -1]},
             {"name": "rests", "shape": "box", "position": [0, 0, 0.5]},
             {"name": "slides", "shape": "box", "position": [3, 0, 0.5], "linearVelocity": [2, 1, 0]}]})";

TEST(Solve, printsTheCertificateAndWritesTheSolution) {
  const TemporaryFolder folder;
  writeAll(folder / "stick.dat", kStick);
  const std::string answer = folder / "answer.txt";
  const Outcome outcome = runMsd({"solve", folder / "stick.dat", "--solution", answer, "--json"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["contacts"], 1);
  EXPECT_EQ(json["status"], "converged");
  EXPECT_LE(json["residual"].get<double>(), 1e-14);
  std::istringstream lines{readAll(answer)};
  std::string comment;
  std::getline(lines, comment);
  double r[3] = {}, u[3] = {};
  lines >> r[0] >> r[1] >> r[2] >> u[0] >> u[1] >> u[2];
  EXPECT_NEAR(r[0], 2.0, 1e-14);
  EXPECT_NEAR(r[1], -0.3, 1e-14);
  EXPECT_NEAR(u[0], 0.0, 1e-14);
  EXPECT_THAT(runMsd({"solve", folder / "stick.dat"}).out, HasSubstr("converged"));
}

TEST(Solve, saysWhatIsWrongWithAFile) {
  const TemporaryFolder folder;
  writeAll(folder / "cut.dat", "3 1\n0 3 3\n3 3\n1 0 0");
  const Outcome cut = runMsd({"solve", folder / "cut.dat"});
  EXPECT_EQ(cut.exitCode, 2);
  EXPECT_THAT(cut.err, HasSubstr("cut.dat"));
  EXPECT_EQ(runMsd({"solve", folder / "absent.dat"}).exitCode, 2);
  EXPECT_EQ(runMsd({"solve", folder / "cut.dat", "--tolerance", "2"}).exitCode, 2);
}

TEST(DumpProblem, writesAStepThatSolveReads) {
  const TemporaryFolder folder;
  writeAll(folder / "boxes.json", kBoxes);
  const std::string problem = folder / "step.dat";
  const Outcome run =
      runMsd({"run", folder / "boxes.json", "--dump-problem", "3", problem, "--json"});
  ASSERT_EQ(run.exitCode, 0) << run.err;
  const auto report = nlohmann::json::parse(run.out);
  EXPECT_LE(report["certificate"]["natural_map"].get<double>(), 1e-8);
  EXPECT_LE(report["certificate"]["velocity_error"].get<double>(), 1e-8);
  EXPECT_EQ(report["faults"]["not converged"], 0) << report["faults"];
  const Outcome solve = runMsd({"solve", problem, "--json"});
  ASSERT_EQ(solve.exitCode, 0) << solve.err;
  const auto json = nlohmann::json::parse(solve.out);
  EXPECT_EQ(json["contacts"], 8);
  EXPECT_LE(json["residual"].get<double>(), 1e-10);
  EXPECT_THAT(runMsd({"run", folder / "boxes.json"}).out, HasSubstr("certified"));
}

TEST(DumpProblem, wantsTheExactMethodAndAStepOfTheRun) {
  const TemporaryFolder folder;
  writeAll(folder / "boxes.json", kBoxes);
  const std::string problem = folder / "step.dat";
  const Outcome fast =
      runMsd({"run", folder / "boxes.json", "--method", "fast", "--dump-problem", "3", problem});
  EXPECT_EQ(fast.exitCode, 2);
  EXPECT_THAT(fast.err, HasSubstr("exact"));
  EXPECT_EQ(runMsd({"run", folder / "boxes.json", "--dump-problem", "6", problem}).exitCode, 2);
  EXPECT_EQ(runMsd({"run", folder / "boxes.json", "--dump-problem", "x", problem}).exitCode, 2);
}

}  // namespace
}  // namespace msd_exe::test
