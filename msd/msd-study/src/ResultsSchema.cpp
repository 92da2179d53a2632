#include "msd-study/src/ResultsSchema.hpp"

#include <fmt/format.h>

namespace msd_study {

namespace {

/// Parameters of a statement: ?1, ?2, ...
std::string placeholders(std::size_t count) {
  std::string text;
  for (std::size_t i = 1; i <= count; ++i) text += fmt::format("{}?{}", i > 1 ? ", " : "", i);
  return text;
}

constexpr std::size_t kResultColumns = 7;  // before the measures

}  // namespace

std::string sqlName(std::string_view name) {
  return fmt::format("\"{}\"", name);  // names of columns hold letters, digits and _ only
}

std::string createTables(const Study& study) {
  std::string cases = "CREATE TABLE cases (case_id INTEGER PRIMARY KEY";
  for (const CaseColumn& column : study.cases().columns()) {
    const bool isWord = !study.document().parameters[column.parameter].choices.empty();
    cases += fmt::format(", {} {}", sqlName(column.name), isWord ? "TEXT" : "REAL");
  }
  std::string results =
      "CREATE TABLE results (case_id INTEGER PRIMARY KEY, status TEXT NOT NULL, reason TEXT, steps "
      "INTEGER NOT NULL, time REAL NOT NULL, hash TEXT NOT NULL, success INTEGER";
  for (const StudyMeasure& measure : study.document().measures) {
    results += fmt::format(", {} REAL", sqlName(measure.name));
  }
  return "CREATE TABLE about (key TEXT PRIMARY KEY, value, unit TEXT) WITHOUT ROWID;"
         "CREATE TABLE sources (name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;"
         "CREATE TABLE columns (name TEXT PRIMARY KEY, kind TEXT NOT NULL, unit TEXT, meaning TEXT) "
         "WITHOUT ROWID;" +
         cases + ");" + results +
         ");"
         "CREATE TABLE timing (case_id INTEGER PRIMARY KEY, step_seconds REAL NOT NULL, "
         "total_seconds REAL NOT NULL);"
         "CREATE VIEW study AS SELECT * FROM cases JOIN results USING (case_id);";
}

std::string insertCase(const Study& study) {
  return fmt::format("INSERT INTO cases VALUES ({})",
                     placeholders(1 + study.cases().columns().size()));
}

std::string insertResult(const Study& study) {
  return fmt::format("INSERT INTO results VALUES ({})",
                     placeholders(kResultColumns + study.document().measures.size()));
}

std::string choiceText(std::string_view json) {
  if (json.size() < 2 || json.front() != '"') return std::string{json};
  std::string text;
  for (std::size_t i = 1; i + 1 < json.size(); ++i) {
    if (json[i] == '\\' && i + 2 < json.size()) ++i;
    text += json[i];
  }
  return text;
}

}  // namespace msd_study
