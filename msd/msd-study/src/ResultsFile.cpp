#include "msd-study/src/ResultsFile.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <array>
#include <chrono>
#include <fstream>

#include "msd-record/src/FileLock.hpp"
#include "msd-record/src/RecordError.hpp"
#include "msd-study/src/Measures.hpp"
#include "msd-study/src/ResultsSchema.hpp"

namespace msd_study {

namespace {

namespace fs = std::filesystem;
using msd_record::Database;
using msd_record::FileLock;
using msd_record::OpenMode;
using msd_record::RecordError;
using msd_record::SqliteError;
using msd_record::Statement;

/// The log is folded into the file every 16 MiB.
constexpr int kCheckpointPages = 4096;

std::vector<fs::path> filesOf(const fs::path& path) {
  std::vector<fs::path> files{path};
  for (const char* suffix : {"-wal", "-shm", "-journal"}) files.push_back(path.string() + suffix);
  return files;
}

/// What stands in the way is refused, or removed where the user said so.
void makeRoom(const fs::path& path, bool force, bool isEmpty) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(path, error))) return;
  const std::string name = path.string();
  if (!force && !isEmpty) {
    throw RecordError{fmt::format(
        "cannot write {}: it exists; --resume goes on with it, --force replaces it", name)};
  }
  if (!isEmpty && !isResultsFile(path)) {
    throw RecordError{fmt::format(
        "cannot write {}: it exists and holds no results of a study that --force may replace",
        name)};
  }
  { const FileLock lock{path, FileLock::Mode::kExisting}; }
  for (const fs::path& file : filesOf(path)) {
    if (fs::remove(file, error); error) {
      throw RecordError{fmt::format("cannot write {}: {}", file.string(), error.message())};
    }
  }
}

/// Whether a process died before it had made the file: what it left holds nothing. SQLite undoes what was
/// half done.
bool isEmptyRemains(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  if (fs::exists(path.string() + "-journal", error)) {
    try {
      Database database{fs::absolute(path).string(), OpenMode::kWrite};
      database.execute("SELECT count(*) FROM sqlite_schema");
    } catch (const SqliteError&) {
      return false;
    }
  }
  return fs::file_size(path, error) == 0 && !error;
}

void setUp(Database& database, bool durable) {
  database.execute(fmt::format("PRAGMA synchronous = {}; PRAGMA wal_autocheckpoint = {}",
                               durable ? "FULL" : "NORMAL", kCheckpointPages));
}

void switchToLog(Database& database, const fs::path& path) {
  Statement mode = database.prepare("PRAGMA journal_mode = WAL");
  if (!mode.step() || mode.text(0) != "wal") {
    throw RecordError{
        fmt::format("cannot write {}: its file system does not support SQLite's write-ahead log",
                    path.string())};
  }
}

void writeAbout(Database& database, const Study& study, const ResultsOptions& options) {
  const auto now =
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  Statement insert = database.prepare("INSERT INTO about VALUES (?1, ?2, ?3)");
  const auto fact = [&](std::string_view key, const auto& value, std::string_view unit = "-") {
    insert.bind(1, key).bind(2, value).bind(3, unit).run();
  };
  fact("format", std::string_view{"msd study"});
  fact("engine", std::string_view{"msd-sim"});
  fact("version", std::string_view{options.version});
  fact("build", std::string_view{options.build});
  fact("study", std::string_view{study.name()});
  fact("file", std::string_view{study.texts().source});
  fact("created", std::string_view{fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(now))});
  fact("status", std::string_view{"running"});
  fact("cases", static_cast<std::int64_t>(study.cases().size()));
}

void writeSources(Database& database, const Study& study) {
  Statement insert = database.prepare("INSERT INTO sources VALUES (?1, ?2)");
  const StudyTexts& texts = study.texts();
  insert.bind(1, std::string_view{"study"}).bind(2, std::string_view{texts.study}).run();
  insert.bind(1, std::string_view{"scene"}).bind(2, std::string_view{texts.scene}).run();
  insert.bind(1, std::string_view{"table"}).bind(2, std::string_view{texts.table}).run();
}

void writeColumns(Database& database, const Study& study) {
  Statement insert = database.prepare("INSERT INTO columns VALUES (?1, ?2, ?3, ?4)");
  const auto add = [&](std::string_view name, std::string_view kind, std::string_view unit,
                       const std::string& meaning) {
    insert.bind(1, name).bind(2, kind).bind(3, unit).bind(4, std::string_view{meaning}).run();
  };
  for (const CaseColumn& column : study.cases().columns()) {
    const StudyParameter& p = study.document().parameters[column.parameter];
    std::vector<std::string_view> paths;
    for (const StudyTarget& target : p.targets) paths.push_back(target.path);
    add(column.name, "parameter", p.unit.empty() ? "-" : std::string_view{p.unit},
        fmt::format("{}", fmt::join(paths, ", ")));
  }
  for (const StudyMeasure& m : study.document().measures) {
    const std::string& of = m.of.body.empty() ? m.of.joint : m.of.body;
    add(m.name, "measure", measureUnit(m),
        fmt::format("{} of {}{}{}", kTakeNames[static_cast<std::size_t>(m.take)], of,
                    of.empty() ? "" : " ", m.event.empty() ? m.of.quantity : m.event));
  }
}

void writeCases(Database& database, const Study& study) {
  Statement insert = database.prepare(insertCase(study));
  const CaseTable& cases = study.cases();
  std::vector<double> values(cases.columns().size());
  for (std::uint64_t i = 0; i < cases.size(); ++i) {
    cases.fill(i, values);
    insert.bind(1, static_cast<std::int64_t>(i));
    for (std::size_t c = 0; c < values.size(); ++c) {
      const int at = static_cast<int>(c) + 2;
      const auto& choices = study.document().parameters[cases.columns()[c].parameter].choices;
      if (choices.empty()) {
        insert.bind(at, values[c]);
      } else {
        const std::string word = choiceText(choices[static_cast<std::size_t>(values[c])]);
        insert.bind(at, std::string_view{word});
      }
    }
    insert.run();
  }
}

std::string storedSource(Database& database, std::string_view name) {
  Statement find = database.prepare("SELECT text FROM sources WHERE name = ?1");
  find.bind(1, name);
  return find.step() ? find.text(0) : std::string{};
}

void requireSameStudy(Database& database, const Study& study, const std::string& name) {
  const StudyTexts& texts = study.texts();
  const std::array<std::pair<std::string_view, const std::string*>, 3> sources{
      {{"study", &texts.study}, {"scene", &texts.scene}, {"table", &texts.table}}};
  for (const auto& [key, text] : sources) {
    if (storedSource(database, key) == *text) continue;
    throw RecordError{
        fmt::format("cannot resume {}: the {} it was made with has changed since; write to another "
                    "file, or replace it with --force",
                    name, key == "table" ? "table of cases" : key)};
  }
}

void requireSameVersion(Database& database, const ResultsOptions& options,
                        const std::string& name) {
  Statement find = database.prepare("SELECT value FROM about WHERE key = 'version'");
  const std::string version = find.step() ? find.text(0) : std::string{};
  if (version == options.version) return;
  throw RecordError{fmt::format(
      "cannot resume {}: it was made by version {} of msd, this is {}; trajectories may differ", name,
      version, options.version)};
}

}  // namespace

bool isResultsFile(const fs::path& path) {
  constexpr std::string_view kMagic{"SQLite format 3\0", 16};
  constexpr std::size_t kIdAt = 68;  // the application id, big endian
  std::array<char, kIdAt + 4> head{};
  std::ifstream file{path, std::ios::binary};
  if (!file.read(head.data(), head.size())) return false;
  std::uint32_t id = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    id = id << 8 | static_cast<unsigned char>(head[kIdAt + i]);
  }
  return std::string_view{head.data(), kMagic.size()} == kMagic && id == kResultsApplicationId;
}

Database openResults(const fs::path& path) {
  const std::string name = path.string();
  std::error_code error;
  if (!fs::exists(path, error)) {
    throw RecordError{
        fmt::format("{}: found no file of this name, expected results of a study", name)};
  }
  if (!isResultsFile(path)) {
    throw RecordError{
        fmt::format("{}: found a file of another kind, expected results of a study", name)};
  }
  try {
    Database database{fs::absolute(path).string(), OpenMode::kRead};
    sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    Statement version = database.prepare("PRAGMA user_version");
    if (!version.step() || version.integer(0) != kResultsVersion) {
      throw RecordError{fmt::format("{}: found results of another version of msd", name)};
    }
    database.execute("SELECT count(*) FROM about");
    return database;
  } catch (const SqliteError& reason) {
    throw RecordError{fmt::format("{}: cannot be read: {}", name, reason.what())};
  }
}

struct ResultsFile::Statements {
  Statements(Database& db, const Study& study)
      : result{db.prepare(insertResult(study))},
        timing{db.prepare("INSERT INTO timing VALUES (?1, ?2, ?3)")} {}
  Statement result, timing;
};

ResultsFile::ResultsFile(fs::path path, std::unique_ptr<FileLock> lock, Database database,
                         const Study& study)
    : path_{std::move(path)},
      lock_{std::move(lock)},
      database_{std::move(database)},
      statements_{std::make_unique<Statements>(*database_, study)},
      measures_{study.document().measures.size()},
      has_success_{!study.document().success.empty()},
      cases_{study.cases().size()} {}

ResultsFile::~ResultsFile() {
  close();
}

std::unique_ptr<ResultsFile> ResultsFile::create(const fs::path& path, const Study& study,
                                                 const ResultsOptions& options) {
  makeRoom(path, options.force, isEmptyRemains(path));
  auto lock = std::make_unique<FileLock>(path, FileLock::Mode::kNew);
  try {
    Database database{fs::absolute(path).string(), OpenMode::kWrite};
    setUp(database, options.durable);
    database.execute(fmt::format("BEGIN IMMEDIATE; PRAGMA application_id = {}; PRAGMA "
                                 "user_version = {}; {}",
                                 kResultsApplicationId, kResultsVersion, createTables(study)));
    writeAbout(database, study, options);
    writeSources(database, study);
    writeColumns(database, study);
    writeCases(database, study);
    database.execute("COMMIT");
    switchToLog(database, path);
    return std::unique_ptr<ResultsFile>{
        new ResultsFile{path, std::move(lock), std::move(database), study}};
  } catch (const std::exception& reason) {
    std::error_code ignored;
    for (const fs::path& file : filesOf(path)) fs::remove(file, ignored);
    if (dynamic_cast<const RecordError*>(&reason) != nullptr) throw;
    throw RecordError{fmt::format("cannot write {}: {}", path.string(), reason.what())};
  }
}

std::unique_ptr<ResultsFile> ResultsFile::resume(const fs::path& path, const Study& study,
                                                 const ResultsOptions& options) {
  const std::string name = path.string();
  if (isEmptyRemains(path)) return create(path, study, options);
  if (!isResultsFile(path)) (void)openResults(path);  // says what it is instead
  auto lock = std::make_unique<FileLock>(path, FileLock::Mode::kExisting);
  try {
    Database database{fs::absolute(path).string(), OpenMode::kWrite};
    requireSameStudy(database, study, name);
    requireSameVersion(database, options, name);
    setUp(database, options.durable);
    switchToLog(database, path);
    return std::unique_ptr<ResultsFile>{
        new ResultsFile{path, std::move(lock), std::move(database), study}};
  } catch (const SqliteError& reason) {
    throw RecordError{fmt::format("cannot resume {}: {}", name, reason.what())};
  }
}

std::vector<bool> ResultsFile::done() const {
  std::vector<bool> done(cases_, false);
  Statement all = const_cast<Database&>(*database_).prepare("SELECT case_id FROM results");
  while (all.step()) {
    const auto index = static_cast<std::uint64_t>(all.integer(0));
    if (index < cases_) done[index] = true;
  }
  return done;
}

void ResultsFile::write(std::span<const CaseResult> results) {
  if (results.empty()) return;
  try {
    database_->execute("BEGIN IMMEDIATE");
    for (const CaseResult& result : results) insert(result);
    database_->execute("COMMIT");
  } catch (const SqliteError& reason) {
    try {
      if (database_->isInTransaction()) database_->execute("ROLLBACK");
    } catch (const SqliteError&) {
      // SQLite has rolled back by itself: that is what was wanted.
    }
    throw RecordError{fmt::format("cannot write {}: {}", path_.string(), reason.what())};
  }
}

void ResultsFile::insert(const CaseResult& r) {
  Statement& s = statements_->result;
  const std::string hash = r.hash.toString();
  s.bind(1, static_cast<std::int64_t>(r.index)).bind(2, statusName(r.status));
  r.reason.empty() ? s.bindNull(3) : s.bind(3, std::string_view{r.reason});
  s.bind(4, static_cast<std::int64_t>(r.steps)).bind(5, r.time).bind(6, std::string_view{hash});
  has_success_ && r.isMeasured() ? s.bind(7, std::int64_t{r.success ? 1 : 0}) : s.bindNull(7);
  for (std::size_t i = 0; i < measures_; ++i) {
    const int at = static_cast<int>(i) + 8;
    i < r.values.size() ? s.bind(at, r.values[i]) : s.bindNull(at);
  }
  s.run();
  Statement& t = statements_->timing;
  t.bind(1, static_cast<std::int64_t>(r.index)).bind(2, r.stepSeconds).bind(3, r.totalSeconds);
  t.run();
}

void ResultsFile::finish(std::string_view status) {
  try {
    Statement update = database_->prepare("UPDATE about SET value = ?1 WHERE key = 'status'");
    update.bind(1, status).run();
  } catch (const SqliteError& reason) {
    throw RecordError{fmt::format("cannot write {}: {}", path_.string(), reason.what())};
  }
  close();
}

void ResultsFile::close() {
  if (!database_) return;
  statements_.reset();
  try {
    database_->execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
  } catch (const SqliteError&) {
    // No space, or someone is reading: the file and its -wal stay valid together.
  }
  database_.reset();
  lock_.reset();
}

}  // namespace msd_study
