#include "msd-record/src/RowFeed.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <memory>
#include <new>

#include "msd-record/src/Schema.hpp"

namespace msd_record {

namespace {

struct FeedTable {
  sqlite3_vtab base{};  // SQLite's own part comes first
  const RowFeed::Source* source{nullptr};
};

struct FeedCursor {
  sqlite3_vtab_cursor base{};
  std::size_t row{0};
};

FeedCursor& cursorOf(sqlite3_vtab_cursor* cursor) {
  return *reinterpret_cast<FeedCursor*>(cursor);
}

const RowFeed::Source& sourceOf(sqlite3_vtab_cursor* cursor) {
  return *reinterpret_cast<FeedTable*>(cursor->pVtab)->source;
}

int connect(sqlite3* handle, void* source, int, const char* const*, sqlite3_vtab** table, char**) {
  auto* made = new (std::nothrow) FeedTable{};
  if (made == nullptr) return SQLITE_NOMEM;
  made->source = static_cast<const RowFeed::Source*>(source);
  const int code = sqlite3_declare_vtab(handle, made->source->declaration.c_str());
  if (code != SQLITE_OK) {
    delete made;
    return code;
  }
  *table = &made->base;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete reinterpret_cast<FeedTable*>(table);
  return SQLITE_OK;
}

int chooseIndex(sqlite3_vtab*, sqlite3_index_info* info) {
  info->estimatedCost = 1.0;
  return SQLITE_OK;
}

int openCursor(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
  auto* made = new (std::nothrow) FeedCursor{};
  if (made == nullptr) return SQLITE_NOMEM;
  *cursor = &made->base;
  return SQLITE_OK;
}

int closeCursor(sqlite3_vtab_cursor* cursor) {
  delete &cursorOf(cursor);
  return SQLITE_OK;
}

int firstRow(sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value**) {
  cursorOf(cursor).row = 0;
  return SQLITE_OK;
}

int nextRow(sqlite3_vtab_cursor* cursor) {
  ++cursorOf(cursor).row;
  return SQLITE_OK;
}

int isAtEnd(sqlite3_vtab_cursor* cursor) {
  return cursorOf(cursor).row >= sourceOf(cursor).count ? 1 : 0;
}

int readColumn(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
  const RowFeed::Source& source = sourceOf(cursor);
  source.emit(context, source.rows, cursorOf(cursor).row, column);
  return SQLITE_OK;
}

int readRowNumber(sqlite3_vtab_cursor* cursor, sqlite3_int64* number) {
  *number = static_cast<sqlite3_int64>(cursorOf(cursor).row);
  return SQLITE_OK;
}

/// A module without xCreate: its table exists by itself, under the module's name.
const sqlite3_module& feedModule() {
  static const sqlite3_module kModule = [] {
    sqlite3_module module{};
    module.iVersion = 1;
    module.xConnect = connect;
    module.xBestIndex = chooseIndex;
    module.xDisconnect = disconnect;
    module.xDestroy = disconnect;
    module.xOpen = openCursor;
    module.xClose = closeCursor;
    module.xFilter = firstRow;
    module.xNext = nextRow;
    module.xEof = isAtEnd;
    module.xColumn = readColumn;
    module.xRowid = readRowNumber;
    return module;
  }();
  return kModule;
}

}  // namespace

Statement RowFeed::makeStatement(Database& database, std::string_view name, Source& source) {
  const Table& target = table(name);
  const std::string columns = columnList(target, false);
  const std::string feed = fmt::format("feed_{}", name);
  source.declaration = fmt::format("CREATE TABLE x({})", columns);
  if (sqlite3_create_module(database.handle(), feed.c_str(), &feedModule(), &source) != SQLITE_OK) {
    throw SqliteError{SQLITE_ERROR, sqlite3_errmsg(database.handle())};
  }
  return database.prepare(
      fmt::format("INSERT INTO {} ({}) SELECT {} FROM {}", name, columns, columns, feed));
}

RowFeed::RowFeed(Database& database, std::string_view name, Emit emit)
    : database_{database},
      source_{.declaration = {}, .emit = emit},
      insert_{makeStatement(database, name, source_)} {}

std::int64_t RowFeed::insert(const void* rows, std::size_t count) {
  if (count == 0) return 0;
  source_.rows = rows;
  source_.count = count;
  insert_.run();
  source_.count = 0;
  return database_.lastRow() - static_cast<std::int64_t>(count) + 1;
}

void emitBodyState(sqlite3_context* context, const void* rows, std::size_t row, int column) {
  const BodyState& state = static_cast<const BodyState*>(rows)[row];
  if (column == 0) {
    sqlite3_result_int64(context, state.body);
  } else if (column <= 13) {
    sqlite3_result_double(context, state.numbers[static_cast<std::size_t>(column - 1)]);
  } else if (column == 14) {
    sqlite3_result_int(context, static_cast<int>(state.awake));
  } else if (state.island == BodyState::kNoIsland) {
    sqlite3_result_null(context);
  } else {
    sqlite3_result_int64(context, state.island);
  }
}

void emitContact(sqlite3_context* context, const void* rows, std::size_t row, int column) {
  const ContactRow& contact = static_cast<const ContactRow*>(rows)[row];
  if (column >= 2 && column <= 15) {
    sqlite3_result_double(context, contact.numbers[static_cast<std::size_t>(column - 2)]);
    return;
  }
  const std::array<std::uint32_t, 4> integers{contact.bodyA, contact.bodyB, contact.state,
                                              contact.feature};
  sqlite3_result_int64(context,
                       integers[static_cast<std::size_t>(column < 2 ? column : column - 14)]);
}

void emitReaction(sqlite3_context* context, const void* rows, std::size_t row, int column) {
  const ReactionRow& reaction = static_cast<const ReactionRow*>(rows)[row];
  if (column == 0) {
    sqlite3_result_int64(context, reaction.joint);
  } else if (column <= 7) {
    sqlite3_result_double(context, reaction.numbers[static_cast<std::size_t>(column - 1)]);
  } else {
    sqlite3_result_int(context, static_cast<int>(reaction.broken));
  }
}

}  // namespace msd_record
