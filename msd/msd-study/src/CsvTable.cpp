#include "msd-study/src/CsvTable.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "msd-scene/src/JsonText.hpp"
#include "msd-scene/src/SceneError.hpp"

namespace msd_study {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto isSpace = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && isSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && isSpace(text.back())) text.remove_suffix(1);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  return text;
}

struct Line {
  std::string_view text;
  std::size_t number;
};

[[noreturn]] void fail(std::string_view source, const Line& line, std::string_view field,
                       std::string found, std::string expected) {
  const auto column = static_cast<std::size_t>(field.data() - line.text.data()) + 1;
  throw msd_scene::SceneError{{.source = std::string{source},
                               .position = {line.number, column},
                               .found = std::move(found),
                               .expected = std::move(expected)}};
}

template <class OnField>
std::size_t forFields(std::string_view line, OnField&& onField) {
  std::size_t count = 0;
  for (std::size_t at = 0;; ++count) {
    const std::size_t comma = line.find(',', at);
    onField(trimmed(line.substr(at, comma == std::string_view::npos ? comma : comma - at)));
    if (comma == std::string_view::npos) return count + 1;
    at = comma + 1;
  }
}

double number(std::string_view source, const Line& line, std::string_view field) {
  double value = 0.0;
  const char* end = field.data() + field.size();
  const auto result = std::from_chars(field.data(), end, value);
  if (result.ec != std::errc{} || result.ptr != end || !std::isfinite(value)) {
    fail(source, line, field, msd_scene::shortened(msd_scene::jsonString(field)),
         "a finite number");
  }
  return value;
}

}  // namespace

CsvTable parseCsv(std::string_view text, std::string_view source) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  CsvTable table;
  std::size_t lineNumber = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const Line line{text.substr(0, end), ++lineNumber};
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (trimmed(line.text).empty()) continue;
    if (table.columns.empty()) {
      forFields(line.text, [&](std::string_view field) { table.columns.emplace_back(field); });
      continue;
    }
    const std::size_t count = forFields(line.text, [&](std::string_view field) {
      table.numbers.push_back(number(source, line, field));
    });
    if (count != table.columns.size()) {
      fail(source, line, line.text, fmt::format("{} fields", count),
           fmt::format("{}, as in the first line", table.columns.size()));
    }
  }
  if (table.rows() == 0) {
    throw msd_scene::SceneError{{.source = std::string{source},
                                 .found = "no cases",
                                 .expected = "a line of names and a line of numbers per case"}};
  }
  return table;
}

}  // namespace msd_study
