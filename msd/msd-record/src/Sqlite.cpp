#include "msd-record/src/Sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>
#include <limits>

namespace msd_record {

namespace {

/// How long a connection waits for another one's lock [ms].
constexpr int kBusyMilliseconds = 5000;

[[noreturn]] void fail(sqlite3* handle, int code) {
  const int extended = handle != nullptr ? sqlite3_extended_errcode(handle) : code;
  throw SqliteError{extended != 0 ? extended : code,
                    handle != nullptr ? sqlite3_errmsg(handle) : sqlite3_errstr(code)};
}

int openFlags(OpenMode mode) {
  switch (mode) {
    case OpenMode::kRead:
      return SQLITE_OPEN_READONLY;
    case OpenMode::kWrite:
      return SQLITE_OPEN_READWRITE;
    case OpenMode::kCreate:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  }
  return 0;
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement::Statement(sqlite3* database, std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(database, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) fail(database, code);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) fail(sqlite3_db_handle(statement_.get()), code);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  check(sqlite3_bind_double(statement_.get(), parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  check(sqlite3_bind_text64(statement_.get(), parameter, text.data(), text.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind(int parameter, std::span<const std::byte> bytes) {
  check(
      sqlite3_bind_blob64(statement_.get(), parameter, bytes.data(), bytes.size(), SQLITE_STATIC));
  return *this;
}

Statement& Statement::bindNull(int parameter) {
  check(sqlite3_bind_null(statement_.get(), parameter));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement_.get());
    return false;
  }
  sqlite3* handle = sqlite3_db_handle(statement_.get());
  const SqliteError error{sqlite3_extended_errcode(handle), sqlite3_errmsg(handle)};
  sqlite3_reset(statement_.get());
  throw error;
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
}

int Statement::columnCount() const {
  return sqlite3_column_count(statement_.get());
}

bool Statement::isNull(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

void Statement::wrongType(int column, std::string_view expected) const {
  throw SqliteError{SQLITE_CORRUPT,
                    fmt::format("column {} holds no {}",
                                sqlite3_column_name(statement_.get(), column), expected)};
}

std::int64_t Statement::integer(int column) const {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_INTEGER) {
    wrongType(column, "whole number");
  }
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const {
  const int type = sqlite3_column_type(statement_.get(), column);
  if (type == SQLITE_NULL) return std::numeric_limits<double>::quiet_NaN();
  if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) wrongType(column, "number");
  return sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_TEXT) wrongType(column, "text");
  const unsigned char* text = sqlite3_column_text(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(size)};
}

std::span<const std::byte> Statement::bytes(int column) const {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_BLOB) wrongType(column, "bytes");
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return {static_cast<const std::byte*>(data), static_cast<std::size_t>(size)};
}

void Database::Close::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

Database::Database(const std::string& path, OpenMode mode, const std::string& vfs) {
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle, openFlags(mode), vfs.empty() ? nullptr : vfs.c_str());
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(handle, code);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(handle_.get(), code);
}

std::int64_t Database::lastRow() const {
  return sqlite3_last_insert_rowid(handle_.get());
}

bool Database::isInTransaction() const {
  return sqlite3_get_autocommit(handle_.get()) == 0;
}

}  // namespace msd_record
