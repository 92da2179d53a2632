#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace msd_study {

/// A table of numbers with named columns, as a CSV file holds it: the first line has the names, the
/// others numbers, separated by commas. Quotes around a field are taken off; empty lines are skipped.
struct CsvTable {
  std::vector<std::string> columns{};
  std::vector<double> numbers{};  ///< row by row

  [[nodiscard]] std::size_t rows() const {
    return columns.empty() ? 0 : numbers.size() / columns.size();
  }
};

/// Throws msd_scene::SceneError with file, line and column of the first mistake.
[[nodiscard]] CsvTable parseCsv(std::string_view text, std::string_view source);

}  // namespace msd_study
