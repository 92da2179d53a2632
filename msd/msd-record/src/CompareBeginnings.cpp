#include "msd-record/src/CompareBeginnings.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <variant>

#include "msd-record/src/RecordError.hpp"
#include "msd-record/src/Schema.hpp"
#include "msd-record/src/WriteBeginning.hpp"

namespace msd_record {

namespace {

using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

Cell readCell(const Statement& s, int column) {
  switch (sqlite3_column_type(s.raw(), column)) {
    case SQLITE_INTEGER:
      return s.integer(column);
    case SQLITE_FLOAT:
      return s.real(column);
    case SQLITE_TEXT:
      return s.text(column);
    default:
      return std::monostate{};
  }
}

bool isSameCell(const Cell& a, const Cell& b) {
  const auto* x = std::get_if<double>(&a);
  const auto* y = std::get_if<double>(&b);
  return x != nullptr && y != nullptr ? isSame(*x, *y) : a == b;
}

std::string textOf(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *whole);
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
  if (const auto* text = std::get_if<std::string>(&cell)) return fmt::format("\"{}\"", *text);
  return "NULL";
}

using Row = std::vector<Cell>;

std::vector<Row> readRows(Database& database, const std::string& sql) {
  std::vector<Row> rows;
  Statement select = database.prepare(sql);
  while (select.step()) {
    Row& row = rows.emplace_back();
    for (int i = 0; i < select.columnCount(); ++i) row.push_back(readCell(select, i));
  }
  return rows;
}

/// Row by row, column by column.
std::optional<Unlike> compareTable(const Table& table, const std::vector<Row>& recorded,
                                   const std::vector<Row>& found) {
  if (recorded.size() != found.size()) {
    return Unlike{.quantity = fmt::format("rows of {}", table.name),
                  .recorded = fmt::format("{}", recorded.size()),
                  .found = fmt::format("{}", found.size())};
  }
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      if (isSameCell(recorded[i][k], found[i][k])) continue;
      return Unlike{.quantity = fmt::format("{}.{} of row {}", table.name, table.columns[k].name, i),
                    .recorded = textOf(recorded[i][k]),
                    .found = textOf(found[i][k])};
    }
  }
  return std::nullopt;
}

/// Every fact of the scene stands in the file; the number of threads is left out.
std::optional<Unlike> compareFacts(std::string_view table, const std::vector<Row>& recorded,
                                   const std::vector<Row>& found) {
  for (const Row& row : found) {
    if (row[0] == Cell{std::string{"threads"}}) continue;
    const auto other = std::ranges::find(recorded, row[0], [](const Row& r) { return r[0]; });
    const bool isThere = other != recorded.end();
    if (isThere && isSameCell((*other)[1], row[1])) continue;
    return Unlike{.quantity = fmt::format("{} {}", table, textOf(row[0])),
                  .recorded = isThere ? textOf((*other)[1]) : "missing",
                  .found = textOf(row[1])};
  }
  return std::nullopt;
}

std::optional<Unlike> compareAll(Reader& reader, Database& made) {
  for (const std::string_view name : {"shapes", "bodies", "joints"}) {
    const Table& target = table(name);
    const std::string order = fmt::format("ORDER BY {}", target.columns.front().name);
    const std::string again =
        fmt::format("SELECT {} FROM {} {}", columnList(target), name, order);
    auto difference = compareTable(target, readRows(reader.database(), reader.select(name, order)),
                                   readRows(made, again));
    if (difference) return difference;
  }
  const std::string settings = "SELECT name, value FROM settings";
  auto difference =
      compareFacts("settings", readRows(reader.database(), settings), readRows(made, settings));
  if (difference) return difference;
  const std::string about =
      "SELECT key, value FROM about WHERE key IN ('scene', 'dt', 'bodies', 'joints')";
  return compareFacts("about", readRows(reader.database(), about), readRows(made, about));
}

}  // namespace

std::optional<Unlike> compareBeginnings(Reader& reader, const msd_scene::SceneDocument& document,
                                        const msd_scene::SceneWorld& scene) {
  try {
    Database made{":memory:", OpenMode::kCreate};
    writeBeginning(made, document, scene, {});
    return compareAll(reader, made);
  } catch (const SqliteError& error) {
    throw RecordError{
        fmt::format("{}: the recording is damaged: {}", reader.path().string(), error.what())};
  }
}

}  // namespace msd_record
