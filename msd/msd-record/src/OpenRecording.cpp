#include "msd-record/src/OpenRecording.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <vector>

#include "msd-record/src/RecordError.hpp"
#include "msd-record/src/Schema.hpp"

namespace msd_record {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic{"SQLite format 3\0", 16};
/// Longest text or blob of a file that is read [bytes]: snapshots of a hundred thousand bodies.
constexpr int kLongestValue = 1 << 30;

void requireDatabaseFile(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  const std::string name = path.string();
  if (!fs::exists(status)) {
    throw RecordError{fmt::format("{}: found no file of this name, expected a recording", name)};
  }
  if (!fs::is_regular_file(status)) {
    throw RecordError{fmt::format("{}: found {}, expected a recording", name,
                                  fs::is_directory(status) ? "a directory" : "no regular file")};
  }
  if (fs::file_size(path, error) == 0) {
    throw RecordError{
        fmt::format("{}: the recording is empty: its run ended before it began", name)};
  }
  if (!isSqliteFile(path)) {
    throw RecordError{
        fmt::format("{}: found a file of another kind, expected a recording (SQLite)", name)};
  }
}

std::int64_t pragma(Database& database, std::string_view name) {
  Statement statement = database.prepare(fmt::format("PRAGMA {}", name));
  return statement.step() ? statement.integer(0) : 0;
}

/// Nothing in the file may run code: no functions in views, no writing to the schema.
void distrust(Database& database) {
  sqlite3* handle = database.handle();
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestValue);
  database.execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0");
}

/// A table of a recording has rows of its own (it is no view and not made up by a module) and the
/// columns of its schema, none of them computed. Words beside them do not matter.
void requireTable(Database& database, const std::string& name, const Table& table,
                  std::int32_t version) {
  const auto refuse = [&](const std::string& what) {
    throw RecordError{
        fmt::format("{}: table {} is not that of a recording: {}", name, table.name, what)};
  };
  Statement find = database.prepare("SELECT type, rootpage FROM sqlite_schema WHERE name = ?1");
  find.bind(1, table.name);
  if (!find.step()) refuse("it is missing");
  if (find.text(0) != "table" || find.integer(1) <= 0) refuse("it has no rows of its own");
  std::vector<std::string> there;
  Statement columns =
      database.prepare("SELECT name, upper(type), pk, hidden FROM pragma_table_xinfo(?1)");
  columns.bind(1, table.name);
  while (columns.step()) {
    const std::string& column = there.emplace_back(columns.text(0));
    if (columns.integer(3) != 0) refuse(fmt::format("column {} is computed", column));
    const bool isKey = columns.integer(2) == 1 && columns.text(1) == "INTEGER";
    const bool wantsKey = column == table.columns.front().name &&
                          table.columns.front().type == ColumnType::kKey;
    if (wantsKey && !isKey) refuse(fmt::format("column {} is not its key", column));
  }
  for (const Column& column : table.columns) {
    if (column.since > version || std::ranges::find(there, column.name) != there.end()) continue;
    refuse(fmt::format("column {} is missing", column.name));
  }
}

void requireSchema(Database& database, const std::string& name) {
  const std::int64_t application = pragma(database, "application_id");
  if (application != kApplicationId) {
    throw RecordError{fmt::format(
        "{}: found an SQLite file of another program (application id {}), expected a recording",
        name, application)};
  }
  const std::int64_t version = pragma(database, "user_version");
  if (version > kSchemaVersion || version < 1) {
    throw RecordError{fmt::format(
        "{}: found a recording of schema {}, this msd reads schemas 1 to {}{}", name, version,
        kSchemaVersion, version > kSchemaVersion ? "; it was written by a newer msd" : "")};
  }
  for (const Table& table : tables()) {
    requireTable(database, name, table, static_cast<std::int32_t>(version));
  }
}

/// A program that died while it made or closed a recording may leave a journal: SQLite undoes what
/// was half done, which a read-only connection may not.
void rollBack(const fs::path& path, const std::string& vfs) {
  Database database{path.string(), OpenMode::kWrite, vfs};
  database.execute("SELECT count(*) FROM sqlite_schema");
}

/// A recording in a folder that cannot be written to is still readable, when it is complete.
std::string immutableAddress(const fs::path& path) {
  std::string address = "file:";
  for (const char c : path.string()) {
    const bool isPlain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '/' || c == '.' || c == '-' || c == '_';
    address += isPlain ? std::string{c} : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return address + "?immutable=1";
}

}  // namespace

std::int32_t schemaVersion(Database& database) {
  return static_cast<std::int32_t>(pragma(database, "user_version"));
}

void upgrade(Database& database) {
  const std::int32_t version = schemaVersion(database);
  if (version == kSchemaVersion) return;
  database.execute("BEGIN IMMEDIATE");
  for (const Table& table : tables()) {
    std::vector<std::string> there;
    Statement columns = database.prepare("SELECT name FROM pragma_table_xinfo(?1)");
    columns.bind(1, table.name);
    while (columns.step()) there.push_back(columns.text(0));
    for (const std::string& sql : upgradeStatements(table, version, there)) database.execute(sql);
  }
  if (version < 2) {
    database.execute("INSERT INTO about (key, value, unit) VALUES ('end', '', '-')");
  }
  database.execute(fmt::format("PRAGMA user_version = {}; COMMIT", kSchemaVersion));
}

bool isSqliteFile(const fs::path& path) {
  std::array<char, kMagic.size()> head{};
  std::ifstream file{path, std::ios::binary};
  return file.read(head.data(), head.size()) &&
         std::string_view{head.data(), head.size()} == kMagic;
}

Database openRecording(const fs::path& path, OpenMode mode, const std::string& vfs) {
  requireDatabaseFile(path);
  const fs::path place = fs::absolute(path);
  const auto open = [&](const std::string& address) {
    Database database{address, mode, vfs};
    distrust(database);
    requireSchema(database, path.string());
    return database;
  };
  const auto refuse = [&](const SqliteError& error) {
    return RecordError{
        fmt::format("{}: cannot be read as a recording: {}", path.string(), error.what())};
  };
  std::error_code ignored;
  const bool hasLog = fs::exists(place.string() + "-wal", ignored);
  const bool hasJournal = fs::exists(place.string() + "-journal", ignored);
  try {
    if (hasJournal) rollBack(place, vfs);
    requireDatabaseFile(path);
    return open(place.string());
  } catch (const SqliteError& error) {
    const bool cannotOpen = (error.code() & 0xFF) == SQLITE_CANTOPEN;
    if (mode != OpenMode::kRead || !cannotOpen || hasLog) throw refuse(error);
    try {
      return open(immutableAddress(place));
    } catch (const SqliteError&) {
      throw refuse(error);  // the first reason is the one to tell
    }
  }
}

}  // namespace msd_record
