#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>

#include "msd-record/src/RecordError.hpp"
#include "msd-study/src/StudyCharts.hpp"
#include "msd-study/src/StudyReport.hpp"
#include "msd-study/src/StudyTable.hpp"
#include "msd-study/src/Sweep.hpp"
#include "msd-study/test/StudySamples.hpp"

namespace msd_study::test {

namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

void runAll(const Study& study, const std::filesystem::path& path) {
  const auto pool = makeThreadWorkers(1, study.runners());
  const auto file = ResultsFile::create(path, study, {});
  (void)sweep(study, *pool, *file, {});
  file->finish("complete");
}

std::string problemOf(const std::function<void()>& work) {
  try {
    work();
  } catch (const msd_record::RecordError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Results, areNotReplacedUnlessAskedFor) {
  const auto study = smallStudy();
  const TemporaryFolder folder;
  runAll(*study, folder / "a.db");
  EXPECT_THAT(problemOf([&] { (void)ResultsFile::create(folder / "a.db", *study, {}); }),
              HasSubstr("--resume goes on with it, --force replaces it"));
  std::ofstream{folder / "letter.txt"} << "precious";
  EXPECT_THAT(
      problemOf([&] { (void)ResultsFile::create(folder / "letter.txt", *study, {.force = true}); }),
      HasSubstr("holds no results of a study that --force may replace"));
  const auto fresh = ResultsFile::create(folder / "a.db", *study, {.force = true});
  EXPECT_THAT(problemOf([&] { (void)ResultsFile::resume(folder / "a.db", *study, {}); }),
              HasSubstr("another process"));
}

TEST(Results, ofAnotherStudyAreNotResumed) {
  const auto study = smallStudy();
  const TemporaryFolder folder;
  runAll(*study, folder / "a.db");
  const auto other = makeStudy(R"("z": {"path": "bodies.ball.position[2]", "values": [1]})");
  EXPECT_THAT(problemOf([&] { (void)ResultsFile::resume(folder / "a.db", *other, {}); }),
              HasSubstr("the study it was made with has changed"));
  EXPECT_THAT(
      problemOf([&] { (void)ResultsFile::resume(folder / "a.db", *study, {.version = "9.9"}); }),
      HasSubstr("trajectories may differ"));
  EXPECT_THAT(problemOf([&] { (void)ResultsFile::resume(folder / "none.db", *study, {}); }),
              HasSubstr("found no file of this name"));
}

TEST(Results, ofAProcessThatDiedBeforeItBeganAreBegunAnew) {
  const auto study = smallStudy();
  const TemporaryFolder folder;
  std::ofstream{folder / "a.db"}.flush();
  const auto file = ResultsFile::resume(folder / "a.db", *study, {});
  EXPECT_EQ(std::ranges::count(file->done(), true), 0);
}

TEST(Results, aFullDiskKeepsWhatIsWrittenAndSaysSo) {
  const auto study = makeStudy(R"("z": {"path": "bodies.ball.position[2]", "uniform": [1, 2]})",
                               R"(, "steps": 1, "sampling": {"cases": 20000})");
  const TemporaryFolder folder;
  const auto path = folder / "a.db";
  const auto file = ResultsFile::create(path, *study, {});
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{std::filesystem::file_size(path) / 2, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::uint64_t kept = 0;
  const std::string problem = problemOf([&] {
    const auto pool = makeThreadWorkers(1, study->runners());
    SweepHooks hooks;
    hooks.onProgress = [&](const SweepProgress& progress) { kept = progress.done; };
    (void)sweep(*study, *pool, *file, hooks);
  });
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_THAT(problem, HasSubstr("cannot write"));
  EXPECT_GT(kept, 0u);
  const std::vector<bool> done = file->done();
  EXPECT_EQ(static_cast<std::uint64_t>(std::ranges::count(done, true)), kept);
}

TEST(Results, becomeATableWithWordsAndGaps) {
  const auto study = makeStudy(
      R"("material": {"path": "bodies.box.material", "values": ["ice", "default"]},
         "mass": {"path": "bodies.ball.mass", "values": [-1, 0.1]})",
      R"(, "steps": 2)", R"("t": {"quantity": "time"})");
  const TemporaryFolder folder;
  runAll(*study, folder / "a.db");
  const StudyTable table = readTable(folder / "a.db");
  ASSERT_EQ(table.rows(), 4u);
  EXPECT_EQ(table.find("material")->words, (std::vector<std::string>{"ice", "default"}));
  EXPECT_TRUE(std::isnan(table.find("t")->numbers[0]));
  EXPECT_EQ(table.find("t")->numbers[1], 0.02);
  EXPECT_EQ(table.find("t")->unit, "s");
  const std::string csv = toCsv(table);
  EXPECT_THAT(csv, StartsWith("case_id,material,mass,status,reason,steps,time,success,t,hash\n"
                              "0,\"ice\",-1,\"invalid\",\"bodies[1].mass: found -1"));
  EXPECT_THAT(csv, HasSubstr("\n1,\"ice\",0.1,\"ok\",,2,0.02,,0.02,"));
  const std::string npz = toNpz(table);
  EXPECT_THAT(npz, StartsWith("PK\x03\x04"));
  const std::size_t at = npz.find("mass.npy");
  ASSERT_NE(at, std::string::npos);
  EXPECT_THAT(npz.substr(at, 200), HasSubstr("{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }"));
  double mass = 0.0;
  std::memcpy(&mass, npz.data() + npz.find('\n', at) + 1 + 8, 8);
  EXPECT_EQ(mass, 0.1);
}

TEST(Results, becomeAPageThatNamesCommandsForTheExtremes) {
  const auto study = smallStudy();
  const TemporaryFolder folder;
  runAll(*study, folder / "a.db");
  const StudyTable table = readTable(folder / "a.db");
  const std::string page = htmlReport(table, *readStudy(folder / "a.db"), folder / "a.db");
  EXPECT_THAT(page, HasSubstr("share of successes over friction and speed"));
  EXPECT_THAT(page, HasSubstr("How often which x"));
  EXPECT_THAT(page, HasSubstr("msd replay "));
  EXPECT_THAT(page, HasSubstr("a.db 11 --record case-11.db"));
  EXPECT_THAT(problemOf([&] { (void)overParameters(table, {.x = "frction"}); }),
              HasSubstr("did you mean \"friction\"?"));
  EXPECT_EQ(overParameters(table, {.x = "friction", .y = "x"}).front().name, "x_over_friction");
}

}  // namespace

}  // namespace msd_study::test
