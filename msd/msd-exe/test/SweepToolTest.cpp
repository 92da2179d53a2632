// The real tools, stopped, killed and resumed: the rows are those of a study that ran undisturbed. Ranks of MPI
// are processes of this machine, more of them than it has cores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "msd-exe/test/RunMsd.hpp"
#include "msd-record/src/Sqlite.hpp"
#include "msd-study/test/StudySamples.hpp"

namespace msd_exe::test {

namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using msd_study::test::rowsOf;

std::string sourceFile(const std::string& name) {
  return std::string{std::getenv("MSD_SOURCE_DIR")} + "/" + name;
}

std::string tool(const std::string& name) {
  return std::string{std::getenv("MSD_BINARY_DIR")} + "/bin/" + name;
}

/// Rows that anyone can read by now; -1 where there is no such file yet.
std::int64_t countRows(const fs::path& path) {
  try {
    msd_record::Database database{path.string(), msd_record::OpenMode::kRead};
    msd_record::Statement count = database.prepare("SELECT count(*) FROM results");
    return count.step() ? count.integer(0) : -1;
  } catch (const msd_record::SqliteError&) {
    return -1;
  }
}

/// A program that runs while the test goes on.
class Running {
 public:
  explicit Running(const std::vector<std::string>& command, const fs::path& err = "/dev/null") {
    process_ = ::fork();
    if (process_ != 0) return;
    ::setpgid(0, 0);
    if (std::freopen("/dev/null", "w", stdout) == nullptr) ::_exit(126);
    if (std::freopen(err.c_str(), "w", stderr) == nullptr) ::_exit(126);
    std::vector<char*> argv;
    for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  ~Running() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    (void)wait();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void kill(int signal) const { ::kill(process_, signal); }
  int wait() {
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  /// Until the file has at least so many rows, or the program has ended.
  void waitForRows(const fs::path& path, std::int64_t rows) const {
    for (int i = 0; i < 12000 && countRows(path) < rows; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
      siginfo_t info{};
      ::waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT);
      if (info.si_pid != 0) return;
    }
  }
  [[nodiscard]] pid_t process() const { return process_; }

 private:
  pid_t process_{-1};
};

/// Forty cases of some milliseconds each.
class SweepTool : public ::testing::Test {
 protected:
  SweepTool() {
    writeAll(folder_ / "scene.json", msd_study::test::sampleScene());
    writeAll(folder_ / "study.json", R"({"version": 1, "scene": "scene.json", "steps": 600,
      "parameters": {
        "friction": {"path": "materials.default.friction", "values": [0.1, 0.3]},
        "turn": {"path": "bodies.pair.orientation", "rotation": "uniform"}},
      "sampling": {"cases": 20, "seed": 3},
      "measure": {"x": {"body": "box", "quantity": "position.x"},
                  "hits": {"body": "pair", "event": "hit", "take": "count"}},
      "success": [{"measure": "x", "min": 1.7}],
      "expect": [{"measure": "x", "statistic": "min", "min": 1}]})");
  }

  [[nodiscard]] std::string study() const { return folder_ / "study.json"; }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_ / name; }

  /// The rows of the study run on one thread.
  [[nodiscard]] std::vector<std::string> undisturbed() const {
    const Outcome outcome = runMsd({"sweep", study(), "-o", file("whole.db"), "--threads", "1"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("40 ok"));
    EXPECT_THAT(outcome.out, HasSubstr("ok     min of x: "));
    return rowsOf(file("whole.db"));
  }

  TemporaryFolder folder_;
};

TEST_F(SweepTool, dryRunShowsTheFirstCasesAndWritesNothing) {
  const Outcome outcome = runMsd({"sweep", study(), "--dry-run"});
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("40 cases"));
  EXPECT_THAT(outcome.out, HasSubstr("case 9     friction = 0.1, turn_w = "));
  EXPECT_THAT(outcome.out, HasSubstr("and 30 more"));
  EXPECT_EQ(folder_.list(), (std::vector<std::string>{"scene.json", "study.json"}));
}

TEST_F(SweepTool, anyNumberOfThreadsAndProcessesWritesTheSameRows) {
  const auto rows = undisturbed();
  ASSERT_EQ(rows.size(), 80u);
  for (const auto& [option, count] : {std::pair{"--threads", "2"}, std::pair{"--processes", "2"}}) {
    EXPECT_EQ(runMsd({"sweep", study(), "-o", file(count), option, count, "--force", "--quiet"}).exitCode, 0);
    EXPECT_EQ(rowsOf(file(count)), rows) << option;
  }
}

TEST_F(SweepTool, killNineLosesNoFinishedCaseAndResumeCompletes) {
  const auto rows = undisturbed();
  for (const std::string engine : {"--threads", "--processes"}) {
    const fs::path path = file("killed" + engine + ".db");
    std::int64_t seen = 0;
    {
      Running sweep{{tool("msd"), "sweep", study(), "-o", path, engine, "2", "--quiet"}};
      sweep.waitForRows(path, 5);
      seen = countRows(path);
      sweep.kill(SIGKILL);
      (void)sweep.wait();
    }
    EXPECT_GE(seen, 5);
    EXPECT_GE(countRows(path), seen);
    const Outcome resumed = runMsd({"sweep", study(), "-o", path, engine, "2", "--resume", "--json"});
    EXPECT_EQ(resumed.exitCode, 0) << resumed.err;
    EXPECT_THAT(resumed.out, HasSubstr("\"cases\":40"));
    EXPECT_EQ(rowsOf(path), rows);
  }
}

TEST_F(SweepTool, interruptFinishesWhatRunsAndSaysHowToGoOn) {
  const auto rows = undisturbed();
  const fs::path path = file("part.db");
  Running sweep{{tool("msd"), "sweep", study(), "-o", path, "--threads", "1"}, file("err")};
  sweep.waitForRows(path, 3);
  sweep.kill(SIGINT);
  const int code = sweep.wait();
  if (code != 0) {  // a machine that runs forty cases before the signal comes has nothing to stop
    EXPECT_EQ(code, 130);
    EXPECT_THAT(readAll(file("err")), HasSubstr("--resume"));
  }
  EXPECT_EQ(runMsd({"sweep", study(), "-o", path, "--resume", "--quiet"}).exitCode, 0);
  EXPECT_EQ(rowsOf(path), rows);
}

TEST_F(SweepTool, aCaseIsReplayedBitForBit) {
  (void)undisturbed();
  const Outcome replayed = runMsd({"replay", file("whole.db"), "17", "--scene", file("case.json"),
                                   "--record", file("case.db")});
  EXPECT_EQ(replayed.exitCode, 0) << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("the same as in the study"));
  const Outcome run = runMsd({"run", file("case.json"), "--hash", "--quiet"});
  EXPECT_THAT(replayed.out, HasSubstr(run.out.substr(0, 32)));
  EXPECT_EQ(runMsd({"verify", file("case.db"), "--quiet"}).exitCode, 0);
  EXPECT_EQ(runMsd({"replay", file("whole.db"), "40"}).exitCode, 2);
}

TEST_F(SweepTool, resultsAreDescribedPlottedReportedAndExported) {
  (void)undisturbed();
  EXPECT_THAT(runMsd({"info", file("whole.db")}).out, HasSubstr("40 of 40 cases done, complete"));
  EXPECT_EQ(runMsd({"plot", file("whole.db"), "-o", file("plots")}).exitCode, 0);
  EXPECT_TRUE(fs::exists(folder_ / "plots/x_over_friction.svg"));
  EXPECT_TRUE(fs::exists(folder_ / "plots/x_histogram.svg"));
  EXPECT_EQ(runMsd({"report", file("whole.db"), "-o", file("page.html")}).exitCode, 0);
  EXPECT_THAT(readAll(folder_ / "page.html"), HasSubstr("msd replay"));
  const Outcome exported =
      runMsd({"export", file("whole.db"), "--csv", file("csv"), "--npz", file("table.npz")});
  EXPECT_EQ(exported.exitCode, 0) << exported.err;
  EXPECT_THAT(readAll(folder_ / "csv/study.csv"), HasSubstr("case_id,friction,turn_w"));
  EXPECT_THAT(runMsd({"plot", file("whole.db"), "--x", "frction"}).err,
              HasSubstr("did you mean \"friction\"?"));
}

TEST_F(SweepTool, whatIsWrongIsOneLineAndExitCodeTwo) {
  const auto fails = [&](const std::vector<std::string>& arguments, const std::string& message) {
    const Outcome outcome = runMsd(arguments);
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_THAT(outcome.err, HasSubstr(message));
  };
  fails({"sweep", file("none.json")}, "no file of this name");
  fails({"sweep", study(), "-o", "/proc/no.db"}, "cannot write");
  fails({"sweep", study(), "--resume", "-o", file("none.db")}, "no file of this name");
  fails({"replay", study(), "1"}, "expected results of a study");
  writeAll(folder_ / "wrong.json", R"({"version": 1, "scene": "nowhere.json", "measure": {}})");
  fails({"sweep", file("wrong.json")}, "nowhere.json");
}

// --- dice: the test of uniform faces holds for a fair die, and fails for a loaded one ---

TEST(SweepDice, facesOfAFairDieComeEquallyOftenAndOfALoadedOneDoNot) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "scenes");
  fs::copy_file(sourceFile("studies/scenes/die.json"), folder / "scenes/die.json");
  for (const std::string name : {"dice", "loaded_dice"}) {
    std::string text = readAll(sourceFile("studies/" + name + ".json"));
    const std::size_t at = text.find("\"cases\": ");
    text.replace(at, text.find(',', at) - at, "\"cases\": 600");
    writeAll(folder / (name + ".json"), text);
    const Outcome outcome =
        runMsd({"sweep", folder / (name + ".json"), "-o", folder / (name + ".db"), "--expect"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("600 ok"));
  }
  // The fair die's check, asked of the loaded die, does not hold.
  std::string fair = readAll(folder / "loaded_dice.json");
  const std::size_t bound = fair.find("\"max\": ");
  fair.replace(bound, fair.find('}', bound) - bound, "\"min\": 0.001");
  writeAll(folder / "fair.json", fair);
  EXPECT_EQ(runMsd({"sweep", folder / "fair.json", "-o", folder / "fair.db", "--expect", "--quiet"}).exitCode, 1);
}

// --- MPI ---

class SweepMpi : public SweepTool {
 protected:
  void SetUp() override {
    if (!fs::exists(tool("msd-mpi"))) GTEST_SKIP() << "msd-mpi was not built: MPI is not installed";
    if (std::system("command -v mpirun >/dev/null") != 0) GTEST_SKIP() << "mpirun is not installed";
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    // Ranks of one machine need no way to others, and share its cores.
    ::setenv("OMPI_MCA_plm", "isolated", 1);
    ::setenv("OMPI_MCA_btl", "self,vader", 1);
    ::setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 1);
    ::setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 1);
    ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
  }

  [[nodiscard]] std::vector<std::string> command(int ranks, const std::string& out,
                                                 const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"mpirun", "--oversubscribe", "-n", std::to_string(ranks),
                                   tool("msd-mpi"), "sweep", study(), "-o", out};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_F(SweepMpi, anyNumberOfRanksWritesTheSameRows) {
  const auto rows = undisturbed();
  for (const int ranks : {1, 2, 4, 7}) {
    const std::string path = file("ranks" + std::to_string(ranks) + ".db");
    Running sweep{command(ranks, path, {"--quiet"}), file("err")};
    EXPECT_EQ(sweep.wait(), 0) << readAll(file("err"));
    EXPECT_EQ(rowsOf(path), rows) << ranks << " ranks";
  }
}

/// Processes of this user that run a program, with its arguments.
std::vector<pid_t> findProcesses(const std::string& program, const std::string& argument) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator{"/proc"}) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string words = readAll(entry.path() / "cmdline");
    if (words.starts_with(program) && words.find(argument) != std::string::npos) {
      found.push_back(std::stoi(name));
    }
  }
  std::ranges::sort(found);
  return found;
}

TEST_F(SweepMpi, aKilledRankEndsTheJobAndResumeCompletesIt) {
  const auto rows = undisturbed();
  const std::string path = file("killed.db");
  bool wasKilled = false;
  {
    Running sweep{command(3, path), file("err")};
    sweep.waitForRows(path, 4);
    const std::vector<pid_t> ranks = findProcesses(tool("msd-mpi"), path);
    if (!ranks.empty()) wasKilled = ::kill(ranks.back(), SIGKILL) == 0;
    const int code = sweep.wait();
    if (wasKilled) {
      EXPECT_NE(code, 0);
      EXPECT_THAT(readAll(file("err")), HasSubstr("signal 9"));
    }
  }
  EXPECT_GE(countRows(path), 4);
  Running resumed{command(2, path, {"--resume", "--quiet"}), file("err")};
  EXPECT_EQ(resumed.wait(), 0) << readAll(file("err"));
  EXPECT_EQ(rowsOf(path), rows);
}

TEST_F(SweepMpi, aWrongStudyEndsAllRanksWithOneLine) {
  Running sweep{{"mpirun", "--oversubscribe", "-n", "2", tool("msd-mpi"), "sweep", file("none.json")}, file("err")};
  EXPECT_EQ(sweep.wait(), 2);
  EXPECT_THAT(readAll(file("err")), HasSubstr("msd-mpi: "));
  EXPECT_THAT(readAll(file("err")), HasSubstr("no file of this name"));
}

}  // namespace

}  // namespace msd_exe::test
