#include "msd-record/src/Csv.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "msd-record/src/RecordError.hpp"
#include "msd-record/src/Schema.hpp"

namespace msd_record {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;

constexpr std::array<std::string_view, 8> kTables{"about",  "settings", "shapes", "bodies",
                                                  "joints", "frames",   "steps",  "events"};

/// Our own query, not the view of the file: a file's views are not trusted.
std::string queryOf(const Reader& reader, std::string_view name) {
  const auto view = std::ranges::find(views(), name, &View::name);
  if (view != views().end()) return std::string{view->sql.substr(view->sql.find("SELECT"))};
  const Table& target = table(name);
  const Column& first = target.columns.front();
  return reader.select(
      name, first.type == ColumnType::kKey ? fmt::format("ORDER BY {}", first.name) : "");
}

void appendValue(std::string& line, sqlite3_stmt* row, int column) {
  switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
      fmt::format_to(std::back_inserter(line), "{}", sqlite3_column_int64(row, column));
      break;
    case SQLITE_FLOAT:
      fmt::format_to(std::back_inserter(line), "{}", sqlite3_column_double(row, column));
      break;
    case SQLITE_TEXT: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(row, column));
      line += csvField({text, size});
      break;
    }
    default:
      break;
  }
}

std::uint64_t writeColumns(const TextSink& sink) {
  std::string text = "table,column,unit,meaning\n";
  std::uint64_t rows = 0;
  for (const Table& table : tables()) {
    for (const Column& column : table.columns) {
      text += fmt::format("{},{},{},{}\n", table.name, column.name, csvField(column.unit),
                          csvField(column.meaning));
      ++rows;
    }
  }
  sink(text);
  return rows;
}

}  // namespace

std::vector<std::string> csvTables() {
  std::vector<std::string> names{kTables.begin(), kTables.end()};
  for (const View& view : views()) names.emplace_back(view.name);
  names.emplace_back("columns");
  return names;
}

std::string csvField(std::string_view text) {
  const bool isPlain = text.find_first_of(",\"\r\n") == std::string_view::npos &&
                       (text.empty() || (text.front() != ' ' && text.back() != ' '));
  if (isPlain) return std::string{text};
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::uint64_t writeCsv(Reader& reader, std::string_view table, const TextSink& sink) {
  if (table == "columns") return writeColumns(sink);
  std::uint64_t rows = 0;
  try {
    Statement select = reader.database().prepare(queryOf(reader, table));
    sqlite3_stmt* raw = select.raw();
    const int columns = sqlite3_column_count(raw);
    std::string text;
    for (int i = 0; i < columns; ++i) {
      text += fmt::format("{}{}", i > 0 ? "," : "", sqlite3_column_name(raw, i));
    }
    text += '\n';
    for (; select.step(); ++rows) {
      for (int i = 0; i < columns; ++i) {
        if (i > 0) text += ',';
        appendValue(text, raw, i);
      }
      text += '\n';
      if (text.size() < kChunk) continue;
      sink(text);
      text.clear();
    }
    sink(text);
  } catch (const SqliteError& error) {
    throw RecordError{
        fmt::format("{}: the recording is damaged: {}", reader.path().string(), error.what())};
  }
  return rows;
}

}  // namespace msd_record
