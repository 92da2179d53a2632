// What `msd run` prints and writes, read back by code that shares nothing with the writers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "msd-exe/src/RunStatistics.hpp"
#include "msd-exe/test/RunMsd.hpp"

namespace msd_exe::test {
namespace {

using nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;

/// A ball thrown in free flight (it never reaches the floor), spinning.
constexpr const char* kFlight = R"({"version": 1, "name": "flight", "dt": 0.01, "steps": 25,
  "shapes": {"ball": {"type": "sphere", "radius": 0.5}, "floor": {"type": "box", "halfExtents": [5, 5, 1]}},
  "bodies": [{"name": "floor", "shape": "floor", "static": true, "position": [0, 0, -1]},
             {"name": "ball", "shape": "ball", "position": [0, 0, 20], "linearVelocity": [1, 2, 3],
              "angularVelocity": [0, 0, 4]}],
  "expect": [{"body": "ball", "quantity": "position.x", "value": 0.25, "tolerance": 1e-9},
             {"body": "ball", "quantity": "angularSpeed", "value": 4, "tolerance": 1e-9, "at": 0.1}]})";

class Run : public testing::Test {
 protected:
  void SetUp() override { writeAll(scene(), kFlight); }
  [[nodiscard]] std::string scene() const { return folder_ / "flight.json"; }
  [[nodiscard]] Outcome run(std::vector<std::string> options, double interruptAfter = 0.0) const {
    options.insert(options.begin(), {"run", scene()});
    return runMsd(options, interruptAfter);
  }
  TemporaryFolder folder_;
};

/// A poses file, read by its documented layout.
struct Poses {
  std::int32_t bodies{0};
  std::int32_t frames{0};
  std::vector<double> numbers{};

  explicit Poses(const std::string& bytes) {
    std::memcpy(&bodies, bytes.data(), 4);
    std::memcpy(&frames, bytes.data() + 4, 4);
    numbers.resize((bytes.size() - 8) / 8);
    std::memcpy(numbers.data(), bytes.data() + 8, 8 * numbers.size());
  }
  [[nodiscard]] std::size_t frameSize() const { return 1 + 13 * static_cast<std::size_t>(bodies); }
  [[nodiscard]] double time(std::size_t frame) const { return numbers[frame * frameSize()]; }
  [[nodiscard]] const double* body(std::size_t frame, std::size_t index) const {
    return &numbers[frame * frameSize() + 1 + 13 * index];
  }
};

TEST_F(Run, jsonLineHasTheKeysOfTheFormat) {
  const Outcome outcome = run({"--json"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1);
  const auto line = ordered_json::parse(outcome.out);
  std::vector<std::string> keys;
  for (const auto& [key, value] : line.items()) keys.push_back(key);
  EXPECT_THAT(keys,
              ElementsAre("engine", "version", "precision", "scene", "bodies", "joints", "threads",
                          "settings", "steps", "build_ms", "total_ms", "all", "last_half",
                          "peak_rss_mb", "contacts", "max_penetration", "residual", "joint_error",
                          "max_joint_error", "energy", "guard", "solve", "hash", "status", "end",
                          "degraded_steps", "faults", "checks"));
  EXPECT_EQ(line["scene"], "flight");
  EXPECT_EQ(line["bodies"], 2);
  EXPECT_EQ(line["steps"], 25);
  EXPECT_EQ(line["status"], "ok");
  EXPECT_EQ(line["end"], "completed");
  EXPECT_EQ(line["degraded_steps"], 0);
  EXPECT_EQ(line["faults"]["torn joint"], 0);
  EXPECT_EQ(line["precision"], "double");
  EXPECT_EQ(line["hash"].get<std::string>().size(), 32u);
  for (const char* part : {"all", "last_half"}) {
    for (const char* key : {"mean_ms", "median_ms", "p99_ms"}) {
      EXPECT_GT(line[part][key].get<double>(), 0.0);
    }
  }
}

/// A box that slides on a floor, in every step: one pair, one manifold, four substeps of two
/// phases.
constexpr const char* kSliding = R"({"version": 1, "name": "sliding", "dt": 0.01, "steps": 10,
  "solver": {"sleeping": false},
  "shapes": {"cube": {"type": "box", "halfExtents": [0.5, 0.5, 0.5]}, "floor": {"type": "box", "halfExtents": [50, 50, 1]}},
  "bodies": [{"name": "floor", "shape": "floor", "static": true, "position": [0, 0, -1]},
             {"name": "cube", "shape": "cube", "position": [0, 0, 0.5], "linearVelocity": [5, 0, 0]}]})";

TEST_F(Run, tellsWhatTheSolveCostAndLeft) {
  writeAll(scene(), kSliding);
  const Outcome outcome = run({"--json", "--report", folder_ / "report.json"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const auto solve = ordered_json::parse(outcome.out)["solve"];
  EXPECT_EQ(solve["body_steps"], 10);
  EXPECT_EQ(solve["awake_steps"], 10);
  EXPECT_EQ(solve["pairs"], 10);
  EXPECT_EQ(solve["groups"]["full"]["steps"], 10);
  EXPECT_EQ(solve["groups"]["full"]["manifolds"], 10);
  EXPECT_EQ(solve["groups"]["full"]["visits"], solve["visits"]);
  EXPECT_EQ(solve["groups"]["still"]["steps"], 0);
  EXPECT_GE(solve["visits"].get<int>(), 10 * 8);
  EXPECT_LE(solve["visits"].get<int>(), solve["visits_allowed"].get<int>());
  EXPECT_EQ(solve["unsettled_steps"].get<int>() > 0,
            solve["worst_local_residual"].get<double>() > 1.0);

  // The rows of the report add up to it.
  const auto report = ordered_json::parse(readAll(folder_ / "report.json"));
  const auto sumOf = [&](const std::string& name) {
    const auto& names = report["columns"];
    const auto at = std::find(names.begin(), names.end(), name) - names.begin();
    double sum = 0.0;
    for (const auto& row : report["rows"])
      sum += row.at(static_cast<std::size_t>(at)).get<double>();
    return sum;
  };
  EXPECT_EQ(report["columns"].size(), report["units"].size());
  EXPECT_EQ(report["columns"].size(), report["rows"][0].size());
  for (const char* name : {"visits", "visits_allowed", "shape_tests", "pairs"})
    EXPECT_EQ(sumOf(name), solve[name]) << name;
  EXPECT_EQ(sumOf("full_visits"), solve["visits"]);
  EXPECT_EQ(sumOf("full_substeps"), 40.0);
  EXPECT_EQ(sumOf("still_bodies"), 0.0);
}

TEST_F(Run, posesFileHasTheLayoutOfTheFormat) {
  ASSERT_EQ(run({"--poses", folder_ / "poses.bin", "--quiet"}).exitCode, 0);
  const std::string bytes = readAll(folder_ / "poses.bin");
  const Poses poses{bytes};
  ASSERT_EQ(poses.bodies, 2);
  ASSERT_EQ(poses.frames, 4);  // before the first step, after steps 10, 20 and 25
  ASSERT_EQ(bytes.size(), 8 + 8 * 4 * poses.frameSize());
  const double steps[] = {0, 10, 20, 25};
  for (std::size_t f = 0; f < 4; ++f) {
    const double t = 0.01 * steps[f];
    EXPECT_NEAR(poses.time(f), t, 1e-12);
    const double* floor = poses.body(f, 0);
    EXPECT_EQ(floor[2], -1.0);
    EXPECT_EQ(floor[3], 1.0);
    const double* ball = poses.body(f, 1);
    EXPECT_NEAR(ball[0], t, 1e-9);
    EXPECT_NEAR(ball[1], 2.0 * t, 1e-9);
    // On the parabola, to the error of a first-order method at most.
    EXPECT_NEAR(ball[2], 20.0 + 3.0 * t - 0.5 * 9.81 * t * t, 0.5 * 9.81 * 0.01 * t + 1e-9);
    EXPECT_NEAR(ball[3] * ball[3] + ball[6] * ball[6], 1.0, 1e-12);  // turned about z
    EXPECT_NEAR(2.0 * std::atan2(ball[6], ball[3]), 4.0 * t, 1e-3);
    EXPECT_NEAR(ball[9], 3.0 - 9.81 * t, 1e-9);
    EXPECT_EQ(ball[12], 4.0);
  }
}

TEST_F(Run, posesHoldFirstEveryNthAndLastStep) {
  struct Case {
    const char* steps;
    const char* every;
    std::int32_t frames;
  };
  for (const Case& c : {Case{"0", "10", 1}, Case{"1", "10", 2}, Case{"10", "10", 2},
                        Case{"11", "10", 3}, Case{"7", "1", 8}, Case{"5", "100", 2}}) {
    ASSERT_EQ(
        run({"--steps", c.steps, "--poses-every", c.every, "--poses", folder_ / "p.bin", "--quiet"})
            .exitCode,
        0);
    const std::string bytes = readAll(folder_ / "p.bin");
    const Poses poses{bytes};
    EXPECT_EQ(poses.frames, c.frames) << c.steps << " steps, every " << c.every;
    EXPECT_EQ(bytes.size(), 8 + 8 * poses.frameSize() * static_cast<std::size_t>(poses.frames));
    EXPECT_NEAR(poses.time(static_cast<std::size_t>(poses.frames) - 1), 0.01 * std::atof(c.steps),
                1e-12);
  }
}

TEST_F(Run, posesGoThroughAPipeUnchanged) {
  ASSERT_EQ(run({"--poses", folder_ / "p.bin", "--quiet"}).exitCode, 0);
  const Outcome piped = run({"--poses", "/dev/stdout", "--quiet"});
  EXPECT_EQ(piped.exitCode, 0) << piped.err;
  EXPECT_EQ(piped.out, readAll(folder_ / "p.bin"));
}

TEST_F(Run, reportHasARowPerStepAndTheSummary) {
  ASSERT_EQ(run({"--report", folder_ / "r.json", "--quiet"}).exitCode, 0);
  const auto report = ordered_json::parse(readAll(folder_ / "r.json"));
  ASSERT_EQ(report["rows"].size(), 25u);
  EXPECT_EQ(report["columns"].size(), report["units"].size());
  for (const auto& row : report["rows"]) EXPECT_EQ(row.size(), report["columns"].size());
  EXPECT_EQ(report["columns"][1], "time");
  EXPECT_EQ(report["columns"][2], "status");
  EXPECT_EQ(report["rows"][24][2], "ok");
  EXPECT_NEAR(report["rows"][24][1].get<double>(), 0.25, 1e-12);
  EXPECT_EQ(report["summary"]["status"], "ok");
}

TEST_F(Run, traceIsWhatTraceViewersRead) {
  const Outcome outcome = run({"--profile", folder_ / "t.json", "--steps", "3", "--threads", "1"});
  ASSERT_EQ(outcome.exitCode, 0);
  EXPECT_THAT(outcome.out, HasSubstr("broadphase"));
  const auto trace = ordered_json::parse(readAll(folder_ / "t.json"));
  // A name, and per step the step and its nine stages.
  EXPECT_EQ(trace["traceEvents"].size(), 1u + 3u * 10u);
  EXPECT_EQ(trace["traceEvents"][1]["ph"], "X");
}

TEST_F(Run, traceHasATrackForEachThread) {
  const Outcome outcome = run({"--profile", folder_ / "t.json", "--steps", "3", "--threads", "2"});
  ASSERT_EQ(outcome.exitCode, 0);
  EXPECT_THAT(outcome.out, HasSubstr("waiting"));
  const auto events = ordered_json::parse(readAll(folder_ / "t.json"))["traceEvents"];
  // Names of three tracks; per step the step, its nine stages, and each of these for two threads.
  ASSERT_EQ(events.size(), 3u + 3u * (1u + 9u * 3u));
  for (const auto& event : events) {
    if (event["tid"] == 1 || event["ph"] == "M") continue;
    EXPECT_GE(event["dur"].get<double>(), 0.0);
    EXPECT_TRUE(event["args"].contains("waited_us"));
  }
}

TEST_F(Run, jsonOfAProfileTellsWhoWaits) {
  const Outcome outcome = run({"--json", "--profile", "--threads", "2"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const auto sharing = ordered_json::parse(outcome.out)["sharing"];
  EXPECT_EQ(sharing["stages"].size(), 9u);
  EXPECT_GE(sharing["waiting"].get<double>(), 0.0);
  EXPECT_LE(sharing["waiting"].get<double>(), 1.0);
}

TEST_F(Run, profileBeforeTheSceneDoesNotSwallowIt) {
  const Outcome outcome = runMsd({"run", "--steps", "2", "--profile", scene()});
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("all stages"));
  EXPECT_EQ(readAll(scene()), kFlight);
}

TEST_F(Run, hashIsTheSameInEveryRunAndForEveryThreadCount) {
  const std::string first = run({"--quiet", "--hash"}).out;
  EXPECT_EQ(first.size(), 33u);
  EXPECT_EQ(run({"--quiet", "--hash"}).out, first);
  EXPECT_EQ(run({"--quiet", "--hash", "--threads", "2"}).out, first);
  EXPECT_NE(run({"--quiet", "--hash", "--steps", "24"}).out, first);
  const auto line = ordered_json::parse(run({"--json"}).out);
  EXPECT_EQ(line["hash"].get<std::string>() + "\n", first);
}

TEST_F(Run, summaryTellsTheStoryWithoutProgressBarWhenNobodyWatches) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_THAT(outcome.err, testing::IsEmpty());
  for (const char* part :
       {"flight: 2 bodies (1 moving)", "25 steps of 10 ms", "steps/s", "kinetic, at the end",
        "friction", "unexplained", "2 of 2 hold", "status     ok"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
}

TEST_F(Run, checksOfTheSceneDecideTheExitCodeWhenAsked) {
  EXPECT_EQ(run({"--expect", "--quiet"}).exitCode, 0);
  const Outcome outcome = run({"--expect", "--steps", "20"});
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.out, HasSubstr("FAILED ball.position.x at 0.2 s: 0.2 [m], expected 0.25"));
  EXPECT_EQ(run({"--steps", "20", "--quiet"}).exitCode, 0);
}

/// A bar on a rope that is 1.5 m too short: torn until it has closed.
constexpr const char* kTorn = R"({"version": 1, "name": "torn", "dt": 0.01, "steps": 20,
  "shapes": {"bar": {"type": "box", "halfExtents": [0.5, 0.1, 0.1]}},
  "bodies": [{"name": "bar", "shape": "bar", "position": [0, 0, 2]}],
  "joints": [{"type": "rope", "bodyA": null, "bodyB": "bar", "anchor": [2, 0, 2],
              "anchorB": [0, 0, 2], "length": 0.5}],
  "expect": [{"body": "bar", "quantity": "position.z", "min": -10, "max": 10}]})";

TEST_F(Run, tornMechanismIsDegradedInEveryWayItIsTold) {
  writeAll(folder_ / "torn.json", kTorn);
  const std::string torn = folder_ / "torn.json";
  const Outcome plain = runMsd({"run", torn, "--steps", "3"});
  EXPECT_EQ(plain.exitCode, 3) << plain.err;
  EXPECT_THAT(plain.out, HasSubstr("status     degraded; 3 of 3 steps degraded: torn joint in 3"));
  const auto line = ordered_json::parse(runMsd({"run", torn, "--steps", "3", "--json"}).out);
  EXPECT_EQ(line["status"], "degraded");
  EXPECT_EQ(line["degraded_steps"], 3);
  EXPECT_EQ(line["faults"]["torn joint"], 3);
  EXPECT_GT(line["max_joint_error"].get<double>(), 1.0);
  EXPECT_GT(line["joint_error"].get<double>(), 0.1);
  const Outcome expected = runMsd({"run", torn, "--expect", "--quiet"});
  EXPECT_EQ(expected.exitCode, 1);
  EXPECT_THAT(expected.err, HasSubstr("steps are degraded: torn joint in "));
  ASSERT_EQ(runMsd({"run", torn, "--steps", "3", "--quiet", "--report", folder_ / "r.json",
                    "--record", folder_ / "r.db"})
                .exitCode,
            3);
  const auto report = ordered_json::parse(readAll(folder_ / "r.json"));
  EXPECT_EQ(report["columns"][3], "faults");
  EXPECT_EQ(report["rows"][0][2], "degraded");
  EXPECT_THAT(report["rows"][0][3].get<std::string>(), HasSubstr("torn joint"));
  const Outcome info = runMsd({"info", folder_ / "r.db"});
  EXPECT_THAT(info.out, HasSubstr("degraded     3 of 3 steps: torn joint"));
  const Outcome verified = runMsd({"verify", folder_ / "r.db"});
  EXPECT_EQ(verified.exitCode, 0) << verified.err;
}

TEST_F(Run, interruptedRunsReportAndKeepWhatWasDone) {
  const Outcome outcome =
      run({"--steps", "1000000000", "--poses-every", "1000", "--poses", folder_ / "p.bin"}, 0.5);
  EXPECT_EQ(outcome.exitCode, 130) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("status     ok, interrupted"));
  const std::string bytes = readAll(folder_ / "p.bin");
  const Poses poses{bytes};
  EXPECT_GE(poses.frames, 2);
  EXPECT_EQ(bytes.size(), 8 + 8 * poses.frameSize() * static_cast<std::size_t>(poses.frames));
  EXPECT_THAT(folder_.list(), ElementsAre("flight.json", "p.bin"));
}

TEST(StepTimes, areMeanMedianAndPercentile) {
  std::vector<double> times;
  for (int i = 1; i <= 200; ++i) times.push_back(i);
  const StepTimes summary = summarize(times);
  EXPECT_DOUBLE_EQ(summary.mean, 100.5);
  EXPECT_DOUBLE_EQ(summary.median, 100.5);
  EXPECT_DOUBLE_EQ(summary.p99, 198.0);
  EXPECT_DOUBLE_EQ(summarize({3.0}).p99, 3.0);
  EXPECT_DOUBLE_EQ(summarize({}).mean, 0.0);
}

}  // namespace
}  // namespace msd_exe::test
