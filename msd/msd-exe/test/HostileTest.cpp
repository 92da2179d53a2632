// Hostile files, streams that are closed or full, and signals: the tool says what is wrong, and no
// more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Console.hpp"
#include "msd-exe/test/RunMsd.hpp"
#include "msd-record/src/Sqlite.hpp"

namespace msd_exe::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kBall = R"({"version": 1, "name": "ball", "dt": 0.01, "steps": 20,
  "shapes": {"ball": {"type": "sphere", "radius": 0.5}},
  "bodies": [{"name": "ball", "shape": "ball"}]})";

class Hostile : public testing::Test {
 protected:
  /// Runs a line of shell in which $MSD is the tool.
  [[nodiscard]] static Outcome shell(const std::string& line) {
    return runProgram({"/bin/bash", "-c",
                       "MSD=\"" + std::string{std::getenv("MSD_BINARY_DIR")} + "/bin/msd\"; " + line});
  }
  [[nodiscard]] std::string quoted(const std::string& name) const {
    return '"' + (folder_ / name).string() + '"';
  }
  TemporaryFolder folder_;
};

TEST(ShownText, showsWhatWouldSteerATerminal) {
  EXPECT_EQ(shownText("plain\tµ — 模\n"), "plain\tµ — 模\n");
  EXPECT_EQ(shownText("\x1b[2J\x07\r"), "\\x1b[2J\\x07\\x0d");
  EXPECT_EQ(shownText("a\xc2\x9b" "31mb\x7f"), "a\\x9b31mb\\x7f");
  EXPECT_EQ(shownText("evil\xe2\x80\xae" "txt.exe\xe2\x81\xa6"), "evil\\u202etxt.exe\\u2066");
  EXPECT_EQ(shownText("bad\xff\xc0\xaf"), "bad\\xff\\xc0\\xaf");
  EXPECT_EQ(shownText("two\nlines", false), "two\\nlines");
}

/// From scenes, recordings and names of files, to both streams.
TEST_F(Hostile, escapeSequencesAreShownAndNotSent) {
  const std::string escape = "\x1b]0;owned\x07";
  const auto sceneCalled = [](const std::string& name) {
    std::string scene = kBall;
    return scene.replace(scene.find("\"ball\", \"dt\""), 6, name);
  };
  writeAll(folder_ / "scene.json",
           sceneCalled(R"("ba\u202ell\u009b\u007f", "description": "\u001b[2Jhello\u0007")"));
  const auto isClean = [&](const Outcome& outcome) {
    for (const std::string& text : {outcome.out, outcome.err}) {
      EXPECT_THAT(text, Not(HasSubstr("\x1b")));
      EXPECT_THAT(text, Not(HasSubstr("\x7f")));
      EXPECT_THAT(text, Not(HasSubstr("\xc2\x9b")));
      EXPECT_THAT(text, Not(HasSubstr("\xe2\x80\xae")));
    }
    return outcome.exitCode;
  };
  const std::string path = folder_ / "scene.json";
  EXPECT_EQ(isClean(runMsd({"run", path, "--record", folder_ / "r.db"})), 0);
  EXPECT_EQ(isClean(runMsd({"run", path, "--json"})), 0);
  EXPECT_EQ(isClean(runMsd({"info", path})), 0);
  EXPECT_EQ(isClean(runMsd({"check", path})), 0);
  ASSERT_TRUE(std::filesystem::exists((folder_ / "r.db").string()));
  EXPECT_EQ(isClean(runMsd({"resume", folder_ / "r.db", "--steps", "22"})), 0);
  EXPECT_EQ(isClean(runMsd({"verify", folder_ / "r.db"})), 0);
  msd_record::Database{folder_ / "r.db", msd_record::OpenMode::kWrite}.execute(
      "UPDATE about SET value = value || char(27) || '[31m' || char(155) || char(8238)"
      " WHERE key IN ('build', 'scene', 'created')");
  EXPECT_EQ(isClean(runMsd({"info", folder_ / "r.db"})), 0);
  isClean(runMsd({"verify", folder_ / "r.db"}));
  isClean(runMsd({"resume", folder_ / "r.db", "--steps", "24"}));
  // A name with a control character is refused, and shown.
  writeAll(folder_ / "scene.json", sceneCalled(R"("ba\u001b[31mll")"));
  const Outcome named = runMsd({"run", path});
  EXPECT_EQ(isClean(named), 2);
  EXPECT_THAT(named.err, HasSubstr("without control characters"));
  const Outcome missing = runMsd({"run", "no" + escape + "scene\n.json"});
  isClean(missing);
  EXPECT_THAT(missing.err, HasSubstr("no\\x1b]0;owned\\x07scene\\n.json"));
  EXPECT_EQ(std::ranges::count(missing.err, '\n'), 1);
  isClean(runMsd({"ru" + escape}));
}

TEST_F(Hostile, aClosedOrFullStreamOfErrorsEndsNothing) {
  writeAll(folder_ / "ball.json", kBall);
  EXPECT_EQ(shell("$MSD run none.json 2>&-").exitCode, 2);
  EXPECT_EQ(shell("$MSD run none.json 2>/dev/full").exitCode, 2);
  EXPECT_EQ(shell("$MSD frobnicate 2>/dev/full >&-").exitCode, 2);
  EXPECT_EQ(shell("$MSD run " + quoted("ball.json") + " --quiet 2>&- </dev/null").exitCode, 0);
  // A recording on a disk that is full, and nobody to tell.
  const Outcome outcome =
      shell("ulimit -f 4000; $MSD run " + quoted("ball.json") + " --steps 20000 --quiet --record " +
            quoted("r.db") + " 2>/dev/full");
  EXPECT_EQ(outcome.exitCode, 1);
  // What is said to a closed stream does not end up in a file that took its place.
  EXPECT_EQ(shell("$MSD run " + quoted("ball.json") + " --report " + quoted("r.json") +
                  " --expect --quiet 2>&- <&- >&-")
                .exitCode,
            0);
  EXPECT_THAT(readAll(folder_ / "r.json"), StartsWith("{\"columns\""));
}

TEST_F(Hostile, standardOutputThatIsFullIsAnError) {
  writeAll(folder_ / "ball.json", kBall);
  const Outcome outcome = shell("$MSD run " + quoted("ball.json") + " >/dev/full");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("cannot write to standard output"));
}

/// n joints with n unknown names: 56 s for 2,000 once, since each was compared with all names.
TEST_F(Hostile, manyUnknownNamesAreAllToldAndSoon) {
  std::string scene = R"({"version": 1, "shapes": {"s": {"type": "sphere", "radius": 1}}, "bodies": [)";
  constexpr int kCount = 2000;
  for (int i = 0; i < kCount; ++i) {
    scene += std::string{i > 0 ? ", " : ""} + R"({"name": "a body with the number )" +
             std::to_string(i) + R"(", "shape": "s"})";
  }
  scene += R"(], "joints": [)";
  for (int i = 0; i < kCount; ++i) {
    scene += std::string{i > 0 ? ", " : ""} + R"({"type": "ball", "bodyA": "a bodi with the number )" +
             std::to_string(i) + R"(", "bodyB": "nobody", "anchor": [0, 0, 0]})";
  }
  writeAll(folder_ / "many.json", scene + "]}");
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = runMsd({"check", folder_ / "many.json"});
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_LT(seconds, 20.0);  // measured: 0.5 s on an idle machine
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 100);  // as many as are kept
  EXPECT_THAT(outcome.err, HasSubstr("did you mean \"a body with the number 0\"?"));
}

TEST_F(Hostile, allErrorsOfASceneAreTold) {
  writeAll(folder_ / "three.json", R"({"version": 1, "dt": -1,
    "shapes": {"s": {"type": "sphere", "radius": -2}},
    "bodies": [{"name": "a", "shape": "t"}]})");
  const Outcome outcome = runMsd({"check", folder_ / "three.json"});
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 3) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("three.json:1:"));
  EXPECT_THAT(outcome.err, HasSubstr("shapes.s.radius"));
  EXPECT_THAT(outcome.err, HasSubstr("bodies[0].shape"));
  const Outcome run = runMsd({"run", folder_ / "three.json"});
  EXPECT_EQ(run.exitCode, 2);
  EXPECT_THAT(run.err, HasSubstr("2 errors more; msd check lists them"));
}

TEST_F(Hostile, timesThatNoRunComesToAreDamage) {
  writeAll(folder_ / "ball.json", kBall);
  const std::string db = folder_ / "r.db";
  for (const char* sql : {"UPDATE steps SET time = CASE step % 2 WHEN 0 THEN 1e308 ELSE -1e308 END",
                          "UPDATE frames SET time = 9e999"}) {
    ASSERT_EQ(runMsd({"run", folder_ / "ball.json", "--quiet", "--force", "--record", db}).exitCode,
              0);
    msd_record::Database{db, msd_record::OpenMode::kWrite}.execute(sql);
    for (const char* command : {"plot", "report"}) {
      const bool readsFrames = std::string_view{command} == "report";
      if (std::string_view{sql}.find("frames") != std::string_view::npos && !readsFrames) continue;
      const Outcome outcome = runMsd({command, db, "-o", folder_ / "out"});
      EXPECT_EQ(outcome.exitCode, 2) << command << ' ' << sql;
      EXPECT_THAT(outcome.err, HasSubstr("the recording is damaged: found a time of"));
    }
  }
}

TEST_F(Hostile, signalsAreToldApartByTheExitCode) {
  writeAll(folder_ / "ball.json", kBall);
  const std::vector<std::string> forEver{"run", folder_ / "ball.json", "--steps", "1000000000",
                                         "--quiet"};
  EXPECT_EQ(runMsd(forEver, 0.3, SIGINT).exitCode, 130);
  EXPECT_EQ(runMsd(forEver, 0.3, SIGTERM).exitCode, 143);
}

TEST_F(Hostile, demoRunsInEveryMethod) {
  const std::string demo = std::string{std::getenv("MSD_SOURCE_DIR")} + "/scenes/demo.json";
  for (const char* method : {"fast", "exact"}) {
    const Outcome outcome = runMsd({"run", demo, "--method", method, "--steps", "3", "--quiet"});
    EXPECT_THAT(outcome.exitCode, testing::AnyOf(0, 3)) << outcome.err;
  }
}

}  // namespace
}  // namespace msd_exe::test
