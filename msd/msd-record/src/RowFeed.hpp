#pragma once

#include <cstddef>
#include <span>

#include "msd-record/src/Rows.hpp"
#include "msd-record/src/Sqlite.hpp"

struct sqlite3_context;

namespace msd_record {

/// Writes many rows with one statement: the rows appear to SQLite as a table of their own
/// (feed_NAME), from which INSERT ... SELECT takes them. Half the cost of binding row by row.
class RowFeed {
 public:
  /// What a column of a row is.
  using Emit = void (*)(sqlite3_context* context, const void* rows, std::size_t row, int column);

  /// For the table `name` of the schema; the key is left to SQLite.
  RowFeed(Database& database, std::string_view name, Emit emit);
  RowFeed(const RowFeed&) = delete;
  RowFeed& operator=(const RowFeed&) = delete;

  /// Writes the rows and returns the id of the first (0 where there are none); ids run on
  /// without gaps.
  std::int64_t insert(const void* rows, std::size_t count);

  /// What the module's callbacks see.
  struct Source {
    std::string declaration;
    Emit emit{nullptr};
    const void* rows{nullptr};
    std::size_t count{0};
  };

 private:
  [[nodiscard]] static Statement makeStatement(Database& database, std::string_view name,
                                               Source& source);
  Database& database_;
  Source source_;
  Statement insert_;
};

void emitBodyState(sqlite3_context* context, const void* rows, std::size_t row, int column);
void emitContact(sqlite3_context* context, const void* rows, std::size_t row, int column);
void emitReaction(sqlite3_context* context, const void* rows, std::size_t row, int column);

}  // namespace msd_record
