// Recordings as a user meets them: msd run --record, and the commands that read what it wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "msd-exe/test/RunMsd.hpp"
#include "msd-record/src/Reader.hpp"
#include "msd-record/src/RecordError.hpp"

namespace msd_exe::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr const char* kBoxes = R"({"version": 1, "name": "boxes", "dt": 0.01, "steps": 60,
  "shapes": {"cube": {"type": "box", "halfExtents": [0.5, 0.5, 0.5]}, "floor": {"type": "box", "halfExtents": [9, 9, 1]}},
  "bodies": [{"name": "floor", "shape": "floor", "static": true, "position": [0, 0, -1]},
             {"name": "low", "shape": "cube", "position": [0, 0, 0.6]},
             {"name": "high", "shape": "cube", "position": [0.2, 0, 1.8]}]})";

class Recording : public testing::Test {
 protected:
  void SetUp() override { writeAll(scene(), kBoxes); }
  [[nodiscard]] std::string scene() const { return folder_ / "boxes.json"; }
  [[nodiscard]] std::string db() const { return folder_ / "out.db"; }
  Outcome record(std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"run", scene(), "--record", db()});
    return runMsd(options);
  }
  [[nodiscard]] std::string hashOf(const std::string& steps) const {
    return runMsd({"run", scene(), "--steps", steps, "--quiet", "--hash"}).out.substr(0, 32);
  }
  [[nodiscard]] std::string recordedHash(std::uint64_t step) const {
    return msd_record::Reader{db()}.step(step)->report.hash.toString();
  }
  TemporaryFolder folder_;
};

TEST_F(Recording, isMadeDescribedAndVerified) {
  const Outcome run = record();
  ASSERT_EQ(run.exitCode, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("out.db (61 frames"));
  EXPECT_THAT(folder_.list(), ElementsAre("boxes.json", "out.db"));
  const Outcome info = runMsd({"info", db()});
  EXPECT_EQ(info.exitCode, 0) << info.err;
  for (const char* part :
       {"boxes: 61 frames", "status       ok", "60 of 0.01 s", "3 (2 moving), 0 joints"}) {
    EXPECT_THAT(info.out, HasSubstr(part));
  }
  EXPECT_THAT(info.out, HasSubstr(hashOf("60")));
  const Outcome verify = runMsd({"verify", db()});
  EXPECT_EQ(verify.exitCode, 0) << verify.err;
  EXPECT_THAT(verify.out, HasSubstr("60 steps and 61 frames simulated again, every bit the same"));
}

TEST_F(Recording, remembersTheOptionsOfTheCommandLine) {
  ASSERT_EQ(record({"--steps", "20", "--dt", "0.005", "--substeps", "3", "--no-sleep",
                    "--record-every", "10", "--quiet"})
                .exitCode,
            0);
  const Outcome verify = runMsd({"verify", db(), "--threads", "2"});
  EXPECT_EQ(verify.exitCode, 0) << verify.err;
  EXPECT_THAT(verify.out, HasSubstr("20 steps and 3 frames"));
}

TEST_F(Recording, doesNotChangeTheRun) {
  ASSERT_EQ(record({"--quiet"}).exitCode, 0);
  EXPECT_EQ(recordedHash(60), hashOf("60"));
}

TEST_F(Recording, isNeverOverwrittenByAccident) {
  ASSERT_EQ(record({"--quiet"}).exitCode, 0);
  const std::string before = readAll(db());
  const Outcome again = record();
  EXPECT_EQ(again.exitCode, 2);
  EXPECT_THAT(again.err, HasSubstr("it exists; --force replaces it"));
  EXPECT_THAT(again.out, IsEmpty());
  EXPECT_EQ(readAll(db()), before);
  EXPECT_EQ(record({"--force", "--steps", "5", "--quiet"}).exitCode, 0);
  EXPECT_EQ(msd_record::Reader{db()}.lastStep(), 5u);
  const Outcome scene = runMsd({"run", this->scene(), "--record", this->scene(), "--force"});
  EXPECT_EQ(scene.exitCode, 2);
  EXPECT_EQ(readAll(this->scene()), kBoxes);
}

TEST_F(Recording, givesCsvPlotsAndAPage) {
  ASSERT_EQ(record({"--quiet"}).exitCode, 0);
  const Outcome csv = runMsd({"export", db(), "--csv", folder_ / "csv"});
  EXPECT_EQ(csv.exitCode, 0) << csv.err;
  for (const char* name : {"bodies.csv", "body_states.csv", "contacts.csv", "energy.csv",
                           "events.csv", "frames.csv", "steps.csv", "scene.json", "columns.csv"}) {
    EXPECT_TRUE(fs::exists(folder_ / "csv" / name)) << name;
  }
  EXPECT_EQ(runMsd({"check", folder_ / "csv/scene.json"}).exitCode, 0);
  const Outcome plot =
      runMsd({"plot", db(), "-o", folder_ / "plots", "--body", "low", "--body", "high"});
  EXPECT_EQ(plot.exitCode, 0) << plot.err;
  for (const char* name : {"energy.svg", "ledger.svg", "penetration.svg", "step_time.svg",
                           "body_low_position.svg", "body_high_speed.svg"}) {
    EXPECT_THAT(readAll(folder_ / "plots" / name), StartsWith("<svg")) << name;
  }
  const Outcome page = runMsd({"report", db(), "-o", folder_ / "page.html"});
  EXPECT_EQ(page.exitCode, 0) << page.err;
  EXPECT_THAT(readAll(folder_ / "page.html"), HasSubstr("Largest contact forces"));
}

/// Steps that a run killed after a while has committed; 0 where it left nothing yet.
std::uint64_t stepsOfKilledRun(const std::string& scene, const std::string& db, double seconds) {
  const Outcome killed =
      runMsd({"run", scene, "--steps", "1000000", "--record", db, "--force", "--quiet"}, seconds,
             SIGKILL);
  EXPECT_EQ(killed.exitCode, 128 + SIGKILL) << killed.err;
  try {
    return msd_record::Reader{db}.lastStep();
  } catch (const msd_record::RecordError&) {
    return 0;
  }
}

TEST_F(Recording, ofAKilledRunIsResumedBitForBit) {
  std::uint64_t done = 0;
  for (const double seconds : {0.5, 2.0, 8.0}) {  // a busy machine starts late
    if (done == 0) done = stepsOfKilledRun(scene(), db(), seconds);
  }
  ASSERT_GT(done, 0u);
  EXPECT_EQ(msd_record::Reader{db()}.fact("status"), "recording");
  EXPECT_THAT(runMsd({"info", db()}).out, HasSubstr("not finished"));
  const Outcome resumed = runMsd({"resume", db(), "--steps", "50"});
  EXPECT_EQ(resumed.exitCode, 0) << resumed.err;
  EXPECT_THAT(resumed.out, HasSubstr("resumed    at step " + std::to_string(done)));
  EXPECT_EQ(recordedHash(done + 50), hashOf(std::to_string(done + 50)));
  EXPECT_THAT(folder_.list(), ElementsAre("boxes.json", "out.db"));
}

TEST_F(Recording, ofAnInterruptedRunIsCompletedByResume) {
  const Outcome stopped =
      runMsd({"run", scene(), "--steps", "200000", "--record", db(), "--record-every", "5000"}, 0.3);
  if (stopped.exitCode == 0) GTEST_SKIP() << "the run was over before it could be interrupted";
  ASSERT_EQ(stopped.exitCode, 130) << stopped.err;
  EXPECT_EQ(msd_record::Reader{db()}.fact("end"), "interrupted");
  const Outcome resumed = runMsd({"resume", db(), "--quiet"});
  EXPECT_EQ(resumed.exitCode, 0) << resumed.err;
  EXPECT_EQ(msd_record::Reader{db()}.lastStep(), 200000u);
  EXPECT_EQ(recordedHash(200000), hashOf("200000"));
  EXPECT_THAT(runMsd({"resume", db()}).out, HasSubstr("all 200000 steps are there"));
}

TEST_F(Recording, commandsRefuseWhatIsNoRecording) {
  writeAll(folder_ / "text.db", "hello");
  writeAll(folder_ / "empty.db", "");
  ASSERT_EQ(record({"--quiet"}).exitCode, 0);
  fs::copy_file(db(), folder_ / "newer.db");
  msd_record::Database{folder_ / "newer.db", msd_record::OpenMode::kWrite}.execute(
      "PRAGMA user_version = 9");
  msd_record::Database{folder_ / "other.db", msd_record::OpenMode::kCreate}.execute(
      "CREATE TABLE t(x)");
  const auto before = folder_.list();
  const std::vector<std::pair<std::string, std::string>> files{
      {"text.db", "a file of another kind"},
      {"empty.db", "the recording is empty"},
      {"newer.db", "it was written by a newer msd"},
      {"other.db", "an SQLite file of another program"},
      {"none.db", "no file of this name"}};
  const std::vector<std::vector<std::string>> commands{{"info"},
                                                       {"export", "--csv", folder_ / "x"},
                                                       {"plot", "-o", folder_ / "x"},
                                                       {"report"},
                                                       {"verify"},
                                                       {"resume"}};
  for (const auto& [file, message] : files) {
    for (std::vector<std::string> command : commands) {
      command.insert(command.begin() + 1, folder_ / file);
      const Outcome outcome = runMsd(command);
      EXPECT_EQ(outcome.exitCode, 2) << command[0] << ' ' << file << outcome.err;
      EXPECT_THAT(outcome.err, StartsWith("msd: "));
      EXPECT_THAT(outcome.err, HasSubstr(message)) << command[0];
      EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
      EXPECT_EQ(folder_.list(), before) << command[0] << " left something behind";
    }
  }
}

TEST_F(Recording, thatDiffersIsToldWithStepAndBody) {
  ASSERT_EQ(record({"--quiet"}).exitCode, 0);
  msd_record::Database{db(), msd_record::OpenMode::kWrite}.execute(
      "UPDATE steps SET hash = replace(hash, substr(hash, 1, 1), 'x') WHERE step = 30;"
      "UPDATE steps SET hash = (SELECT hash FROM steps WHERE step = 29) WHERE step = 30");
  const Outcome outcome = runMsd({"verify", db()});
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("step 30 differs: hash was"));
}

/// Runs the tool where no file may grow beyond `kilobytes`: the disk that is full.
Outcome runOnSmallDisk(const TemporaryFolder& folder, const std::string& arguments, int kilobytes) {
  const char* build = std::getenv("MSD_BINARY_DIR");
  const std::string command = "ulimit -f " + std::to_string(kilobytes) + "; exec \"" +
                              std::string{build} + "/bin/msd\" " + arguments;
  writeAll(folder / "small.sh", command);
  const std::string line = "bash \"" + (folder / "small.sh").string() + "\" >\"" +
                           (folder / "o").string() + "\" 2>\"" + (folder / "e").string() + "\"";
  const int status = std::system(line.c_str());
  return {
      .exitCode = WEXITSTATUS(status), .out = readAll(folder / "o"), .err = readAll(folder / "e")};
}

TEST_F(Recording, onAFullDiskEndsWithOneErrorAndAValidFile) {
  for (const std::string policy : {"continue", "stop"}) {
    fs::remove(db());
    const std::string arguments = "run \"" + scene() + "\" --steps 200000 --json --record \"" +
                                  db() + "\" --on-record-error " + policy;
    const Outcome outcome = runOnSmallDisk(folder_, arguments, 1500);
    EXPECT_EQ(outcome.exitCode, 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("recording into " + db() + " ended: "));
    EXPECT_THAT(outcome.err, HasSubstr("steps up to"));
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    const auto line = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(line["status"], "ok");
    EXPECT_EQ(line["end"], policy == "stop" ? "recording failed" : "completed");
    EXPECT_EQ(line["steps"].get<int>() == 200000, policy == "continue");
    msd_record::Reader reader{db()};
    const std::uint64_t last = reader.lastStep();
    EXPECT_GE(reader.frameCount(), 1);
    if (last > 0) {
      EXPECT_EQ(recordedHash(last), hashOf(std::to_string(last)));
    }
  }
}

}  // namespace
}  // namespace msd_exe::test
