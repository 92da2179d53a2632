// The tool as a user meets it: exit codes, messages, and that wrong input leaves nothing behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "msd-exe/test/RunMsd.hpp"

namespace msd_exe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr const char* kBall = R"({"version": 1, "name": "ball", "steps": 25,
  "shapes": {"ball": {"type": "sphere", "radius": 0.5}, "floor": {"type": "box", "halfExtents": [5, 5, 1]}},
  "bodies": [{"name": "floor", "shape": "floor", "static": true, "position": [0, 0, -1]},
             {"name": "ball", "shape": "ball", "position": [0, 0, 20], "linearVelocity": [1, 2, 3],
              "angularVelocity": [0, 0, 4]}]})";

TEST(Tool, showsTheWayWithoutArguments) {
  const Outcome outcome = runMsd({});
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_THAT(outcome.out, HasSubstr("msd run scenes/demo.json"));
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST(Tool, helpIsACommandToo) {
  EXPECT_EQ(runMsd({"help"}).out, runMsd({"--help"}).out);
  EXPECT_EQ(runMsd({"help", "validate", "tosses"}).out,
            runMsd({"validate", "tosses", "--help"}).out);
}

/// What the parser calls a type or a count is not for the reader.
TEST(Tool, helpIsInOneForm) {
  for (const char* command : {"run", "solve", "export", "bench", "validate", "snapshot", "view"}) {
    const std::string help = runMsd({command, "--help"}).out;
    for (const char* word :
         {" TEXT", " INT", "FLOAT", "REQUIRED", "SUBCOMMAND", "Excludes", ", ... "})
      EXPECT_THAT(help, Not(HasSubstr(word))) << command;
  }
  EXPECT_THAT(runMsd({"run", "--help"}).out, HasSubstr("Usage: msd run [options] SCENE\n"));
}

TEST(Tool, tellsItsVersion) {
  const Outcome outcome = runMsd({"--version"});
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_THAT(outcome.out, StartsWith("msd 0."));
}

TEST(Tool, helpsWithEveryCommand) {
  for (const char* command : {"run", "solve", "check", "info", "bench", "validate", "export",
                              "plot", "report", "verify", "resume"}) {
    const Outcome outcome = runMsd({command, "--help"});
    EXPECT_EQ(outcome.exitCode, 0);
    EXPECT_THAT(outcome.out, HasSubstr(std::string{"Usage: msd "} + command));
  }
}

struct Misuse {
  std::vector<std::string> arguments;
  std::string message;
};

TEST(Tool, answersMisuseWithOneLineAndExitCodeTwo) {
  const TemporaryFolder folder;
  const std::string ball = folder / "ball.json";
  writeAll(ball, kBall);
  writeAll(folder / "bad.json",
           R"({"version": 1, "name": "bad", "shapes": {"ball": {"type": "sphere", "radius": 1}},
    "bodies": [{"name": "x", "shape": "ball", "nam": "y"}]})");
  writeAll(folder / "short.bin", "abc");
  writeAll(folder / "bad.stl", "solid");
  const Misuse cases[] = {
      {{"rnu"}, "unknown command rnu; did you mean run?"},
      {{"simulate"}, "unknown command simulate; see msd --help"},
      {{"help", "rnu"}, "unknown command rnu; did you mean run?"},
      {{"rnu", "--help"}, "unknown command rnu; did you mean run?"},
      {{""}, "unknown command \"\"; see msd --help"},
      {{"--versoin"}, "unknown option --versoin; did you mean --version?"},
      {{"run"}, "SCENE is required"},
      {{"check"}, "SCENE is required"},
      {{"run", ball, "--stpes", "5"}, "unknown option --stpes; did you mean --steps?"},
      {{"run", ball, "--stpes=5"}, "unknown option --stpes; did you mean --steps?"},
      {{"run", ball, "--st", "5"}, "unknown option --st; did you mean --steps?"},
      {{"run", "--", ball, "--steps"}, "unknown argument --steps; see msd run --help"},
      {{"run", ball, "--steps"}, "--steps: found no value, expected N"},
      {{"run", ball, "--steps", "5", "--steps", "6"}, "--steps: given more than once"},
      {{"run", ball, "--dump-problem", "5"}, "--dump-problem: found too few values"},
      {{"bench", "--scenes", "stack_2"}, "unknown scene stack_2; did you mean stack_20?"},
      {{"bench", "--scenes", "stack_20,none.json"}, "none.json: found no file of this name"},
      {{"bench", "--scenes", "stack_20", "--plot", folder / "no/such/x.svg"}, "cannot write"},
      {{"bench", "--write", "/proc/none"}, "cannot make the folder /proc/none"},
      {{"validate", "tosses", folder / "none"}, "experiment.json: found no file of this name"},
      {{"run", ball, "again.json"}, "unknown argument again.json"},
      {{"run", ball, "--steps", "many"}, "--steps: found \"many\", expected a whole number"},
      {{"run", ball, "--steps", "-1"}, "--steps: found \"-1\""},
      {{"run", ball, "--steps", "1.5"}, "--steps: found \"1.5\""},
      {{"run", ball, "--dt", "0"}, "--dt: found \"0\", expected a number from 1e-09 to 1 [s]"},
      {{"run", ball, "--dt", "nan"}, "--dt: found \"nan\""},
      {{"run", ball, "--dt", "1e999"}, "--dt: found \"1e999\""},
      {{"run", ball, "--threads", "5000"}, "--threads: found \"5000\""},
      {{"run", ball, "--method", "exat"}, "did you mean \"exact\"?"},
      {{"run", ball, "--substeps", "65"}, "--substeps: found \"65\""},
      {{"run", ball, "--iterations", "0"}, "--iterations: found \"0\""},
      {{"run", ball, "--poses-every", "0"}, "--poses-every: found \"0\""},
      {{"run", folder / "none.json"}, "none.json: found no file of this name"},
      {{"run", folder / "bad.json"}, "bodies[0].nam: found the unknown field \"nam\""},
      {{"check", folder / "bad.json"}, "did you mean \"name\"?"},
      {{"info", folder / "bad.json"}, "bad.json:2:"},
      {{"info", folder / "none.json"}, "no file of this name"},
      {{"info", folder / "short.bin"}, "expected a poses file"},
      {{"info", folder / "bad.stl"}, "bad.stl"},
      {{"run", ball, "--record-every", "0"}, "--record-every: found \"0\""},
      {{"run", ball, "--on-record-error", "ignore"}, "expected stop or continue"},
      {{"run", ball, "--record", folder / ""}, "it is a directory"},
      {{"run", ball, "--record", folder / "no/such/folder.db"}, "cannot write"},
      {{"run", ball, "--record", ball}, "is the scene itself"},
      {{"export", folder / "x.db"}, "--csv, --npz, --vtk or --gltf is required"},
      {{"run", folder / ""}, "a directory"},
      {{"run", ball, "--poses", folder / ""}, "it is a directory"},
      {{"run", ball, "--poses", folder / "no/such/folder.bin"}, "cannot write"},
      {{"run", ball, "--report", "/proc/none/x.json"}, "cannot write"},
      {{"run", ball, "--poses", ball}, "is the scene itself"},
      {{"run", ball, "--poses", folder / "x", "--report", folder / "x"}, "another output's file"},
  };
  const auto before = folder.list();
  for (const Misuse& misuse : cases) {
    const Outcome outcome = runMsd(misuse.arguments);
    const std::string shown = testing::PrintToString(misuse.arguments);
    EXPECT_EQ(outcome.exitCode, 2) << shown << outcome.err;
    EXPECT_THAT(outcome.err, StartsWith("msd: ")) << shown;
    EXPECT_THAT(outcome.err, HasSubstr(misuse.message)) << shown;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << shown << outcome.err;
    EXPECT_THAT(outcome.out, IsEmpty()) << shown;
    EXPECT_EQ(folder.list(), before) << shown << " left something behind";
  }
  EXPECT_EQ(readAll(ball), kBall);
}

TEST(Tool, badSceneLeavesOldOutputsAlone) {
  const TemporaryFolder folder;
  writeAll(folder / "bad.json", "{");
  writeAll(folder / "poses.bin", "old");
  const Outcome outcome = runMsd({"run", folder / "bad.json", "--poses", folder / "poses.bin",
                                  "--report", folder / "report.json"});
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_EQ(readAll(folder / "poses.bin"), "old");
  EXPECT_THAT(folder.list(), ElementsAre("bad.json", "poses.bin"));
}

TEST(Tool, checksAndDescribesAScene) {
  const TemporaryFolder folder;
  writeAll(folder / "ball.json", kBall);
  const Outcome check = runMsd({"check", folder / "ball.json"});
  EXPECT_EQ(check.exitCode, 0) << check.err;
  EXPECT_THAT(check.out, HasSubstr("a valid scene, 2 bodies, 0 joints, 0 warnings"));
  const Outcome info = runMsd({"info", folder / "ball.json"});
  EXPECT_EQ(info.exitCode, 0) << info.err;
  EXPECT_THAT(info.out, HasSubstr("2: 1 moving, 1 static"));
  EXPECT_THAT(info.out, HasSubstr("523.599 kg"));  // 4/3 π 0.5³ · 1000
}

TEST(Tool, describesMeshFiles) {
  const TemporaryFolder folder;
  writeAll(folder / "tetra.obj",
           "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  const Outcome info = runMsd({"info", folder / "tetra.obj"});
  EXPECT_EQ(info.exitCode, 0) << info.err;
  EXPECT_THAT(info.out, HasSubstr("4 triangles, 4 vertices"));
  EXPECT_THAT(info.out, HasSubstr("0.166666667 m^3"));
}

TEST(Tool, reportsWriteErrorsOfStandardOutput) {
  const TemporaryFolder folder;
  writeAll(folder / "ball.json", kBall);
  const Outcome outcome = runMsd({"run", folder / "ball.json", "--quiet", "--poses", "/dev/full"});
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("cannot write /dev/full: No space left"));
}

TEST(Validate, measuresWithFormulaExpectationAndError) {
  const Outcome outcome = runMsd({"validate", "--fast", "--only", "Motion"});
  EXPECT_EQ(outcome.exitCode, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("free flight for 10 s"));
  EXPECT_THAT(outcome.out, HasSubstr("9 of 9 hold"));  // three methods
  EXPECT_THAT(outcome.out, HasSubstr("fast      exact  reference"));
  EXPECT_EQ(runMsd({"validate", "--only", "no such phenomenon"}).exitCode, 2);
}

TEST(Validate, writesItsPagesWithPlots) {
  const TemporaryFolder folder;
  const std::string page = folder / "page.md";
  const std::string html = folder / "page.html";
  const Outcome outcome =
      runMsd({"validate", "--fast", "--only", "Friction", "--markdown", page, "--html", html});
  EXPECT_EQ(outcome.exitCode, 0) << outcome.out;
  EXPECT_THAT(readAll(page), HasSubstr("| sliding, then rolling ball |"));
  const std::string text = readAll(html);
  EXPECT_THAT(text, HasSubstr("Distance slid in 2 s on a slope"));
  // The overview and two plots; nothing is fetched from elsewhere.
  std::size_t drawings = 0;
  for (std::size_t at = 0; (at = text.find("<svg", at)) != std::string::npos; ++at) ++drawings;
  EXPECT_EQ(drawings, 3u);
  EXPECT_EQ(text.find("src="), std::string::npos);
  EXPECT_EQ(text.find("href="), std::string::npos);
  EXPECT_EQ(runMsd({"validate", "--only", "Motion", "--html", folder / "no/such/x.html"}).exitCode,
            2);
}

TEST(Validate, namesWhatItLeavesOut) {
  ::setenv("MSD_EXTERNAL_DATA", "/nowhere", 1);
  const Outcome outcome = runMsd({"validate", "--fast", "--only", "elsewhere"});
  ::unsetenv("MSD_EXTERNAL_DATA");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("left  friction problems"));
  EXPECT_THAT(outcome.out, HasSubstr("0 of 0 hold; 6 left out"));
}

}  // namespace
}  // namespace msd_exe::test
