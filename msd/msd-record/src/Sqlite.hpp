#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace msd_record {

/// What SQLite answered instead of doing what it was asked.
class SqliteError : public std::runtime_error {
 public:
  SqliteError(int code, const std::string& message) : std::runtime_error{message}, code_{code} {}
  [[nodiscard]] int code() const { return code_; }  ///< extended result code

 private:
  int code_;
};

/// One prepared statement. Columns count from 0, parameters from 1, as in SQLite.
class Statement {
 public:
  Statement(sqlite3* database, std::string_view sql);

  Statement& bind(int parameter, std::int64_t value);
  /// NaN becomes NULL: SQL knows no NaN.
  Statement& bind(int parameter, double value);
  Statement& bind(int parameter, std::string_view text);
  /// The bytes must live until the statement has run.
  Statement& bind(int parameter, std::span<const std::byte> bytes);
  Statement& bindNull(int parameter);

  /// True: a row is there to read. False: done; the statement is ready to be bound and run again.
  bool step();
  void run() {
    while (step()) {
    }
  }
  void reset();

  [[nodiscard]] int columnCount() const;
  [[nodiscard]] bool isNull(int column) const;
  /// These throw SqliteError when the value is of another type: a damaged or foreign file.
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;  ///< NULL reads as NaN
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::span<const std::byte> bytes(int column) const;  ///< until the next step()
  [[nodiscard]] sqlite3_stmt* raw() const { return statement_.get(); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  void check(int code) const;
  [[noreturn]] void wrongType(int column, std::string_view expected) const;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

enum class OpenMode { kRead, kWrite, kCreate };

/// A connection to a database file.
class Database {
 public:
  /// `vfs` names SQLite's layer below, empty for the usual one.
  Database(const std::string& path, OpenMode mode, const std::string& vfs = {});

  void execute(const std::string& sql);
  [[nodiscard]] Statement prepare(std::string_view sql) { return {handle_.get(), sql}; }
  [[nodiscard]] std::int64_t lastRow() const;
  [[nodiscard]] bool isInTransaction() const;
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace msd_record
