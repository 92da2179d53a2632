#include "msd-study/src/StudyTable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "msd-record/src/RecordError.hpp"
#include "msd-scene/src/JsonText.hpp"
#include "msd-study/src/ResultsFile.hpp"

namespace msd_study {

namespace {

using msd_record::Database;
using msd_record::RecordError;
using msd_record::SqliteError;
using msd_record::Statement;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

std::string fact(Database& database, std::string_view key) {
  Statement find = database.prepare("SELECT CAST(value AS TEXT) FROM about WHERE key = ?1");
  find.bind(1, key);
  return find.step() ? find.text(0) : std::string{};
}

template <class Read>
auto reading(const std::filesystem::path& path, Read&& read) {
  Database database = openResults(path);
  try {
    return read(database);
  } catch (const SqliteError& reason) {
    throw RecordError{fmt::format("{}: cannot be read: {}", path.string(), reason.what())};
  }
}

/// Columns of words are told from those of numbers by what the tables declare.
struct Layout {
  std::vector<TableColumn> columns{};
  std::vector<bool> isText{};
};

void describeTable(Database& database, std::string_view table, Layout& layout) {
  Statement info = database.prepare(fmt::format("PRAGMA table_info({})", table));
  while (info.step()) {
    const std::string name = info.text(1);
    if (name == "case_id" || name == "hash") continue;
    const std::string_view unit = name == "time" ? "s" : "-";
    layout.columns.push_back({.name = name, .kind = "result", .unit = std::string{unit}});
    layout.isText.push_back(info.text(2) == "TEXT");
  }
}

Layout readLayout(Database& database) {
  Layout layout;
  describeTable(database, "cases", layout);
  describeTable(database, "results", layout);
  Statement known = database.prepare("SELECT name, kind, unit FROM columns");
  while (known.step()) {
    const auto found = std::ranges::find(layout.columns, known.text(0), &TableColumn::name);
    if (found == layout.columns.end()) continue;
    found->kind = known.text(1);
    found->unit = known.text(2);
  }
  return layout;
}

}  // namespace

const TableColumn* StudyTable::find(std::string_view wanted) const {
  const auto found = std::ranges::find(columns, wanted, &TableColumn::name);
  return found == columns.end() ? nullptr : &*found;
}

std::vector<const TableColumn*> StudyTable::ofKind(std::string_view kind) const {
  std::vector<const TableColumn*> result;
  for (const TableColumn& column : columns) {
    if (column.kind == kind) result.push_back(&column);
  }
  return result;
}

StudyTable readTable(const std::filesystem::path& path) {
  return reading(path, [](Database& database) {
    Layout layout = readLayout(database);
    StudyTable table{.name = fact(database, "study"),
                     .created = fact(database, "created"),
                     .build = fact(database, "build"),
                     .status = fact(database, "status")};
    Statement count = database.prepare("SELECT count(*) FROM cases");
    if (count.step()) table.cases = static_cast<std::uint64_t>(count.integer(0));
    count.reset();
    std::string names = "case_id, hash";
    for (const TableColumn& column : layout.columns) names += fmt::format(", \"{}\"", column.name);
    Statement rows = database.prepare(fmt::format("SELECT {} FROM study ORDER BY case_id", names));
    std::vector<std::map<std::string, double, std::less<>>> places(layout.columns.size());
    while (rows.step()) {
      table.ids.push_back(rows.integer(0));
      table.hashes.push_back(rows.text(1));
      for (std::size_t c = 0; c < layout.columns.size(); ++c) {
        TableColumn& column = layout.columns[c];
        const int at = static_cast<int>(c) + 2;
        if (!layout.isText[c] || rows.isNull(at)) {
          column.numbers.push_back(layout.isText[c] ? kUnknown : rows.real(at));
          continue;
        }
        const auto [entry, isNew] =
            places[c].emplace(rows.text(at), static_cast<double>(column.words.size()));
        if (isNew) column.words.push_back(entry->first);
        column.numbers.push_back(entry->second);
      }
    }
    Statement times = database.prepare(
        "SELECT coalesce(sum(step_seconds), 0.0), coalesce(sum(total_seconds), 0.0) FROM timing");
    if (times.step()) {
      table.stepSeconds = times.real(0);
      table.totalSeconds = times.real(1);
    }
    table.columns = std::move(layout.columns);
    return table;
  });
}

std::unique_ptr<Study> readStudy(const std::filesystem::path& path) {
  return Study::fromTexts(reading(path, [&](Database& database) {
    StudyTexts texts{.source = path.string()};
    Statement all = database.prepare("SELECT name, text FROM sources");
    while (all.step()) {
      const std::string name = all.text(0);
      (name == "study" ? texts.study : name == "scene" ? texts.scene : texts.table) = all.text(1);
    }
    const std::string file = fact(database, "file");
    if (!file.empty()) texts.source = file;
    return texts;
  }));
}

StoredResult readResult(const std::filesystem::path& path, std::uint64_t index) {
  return reading(path, [&](Database& database) {
    Statement find = database.prepare("SELECT status, hash FROM results WHERE case_id = ?1");
    find.bind(1, static_cast<std::int64_t>(index));
    if (!find.step()) return StoredResult{};
    return StoredResult{.isThere = true, .status = find.text(0), .hash = find.text(1)};
  });
}

std::string toCsv(const StudyTable& table) {
  std::string text = "case_id";
  for (const TableColumn& column : table.columns) text += fmt::format(",{}", column.name);
  text += ",hash\n";
  for (std::size_t row = 0; row < table.rows(); ++row) {
    text += std::to_string(table.ids[row]);
    for (const TableColumn& column : table.columns) {
      text += ',';
      const double value = column.numbers[row];
      if (std::isnan(value)) continue;
      if (!column.isWords()) {
        text += msd_scene::numberText(value);
        continue;
      }
      text += '"';
      for (const char c : column.words[static_cast<std::size_t>(value)]) {
        if (c == '"') text += '"';
        text += c;
      }
      text += '"';
    }
    text += fmt::format(",{}\n", table.hashes[row]);
  }
  return text;
}

}  // namespace msd_study
