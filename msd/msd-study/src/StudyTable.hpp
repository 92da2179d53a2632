#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "msd-study/src/Study.hpp"

namespace msd_study {

/// A column of a study's results.
struct TableColumn {
  std::string name{};
  std::string kind{};  ///< "parameter", "measure" or "result"
  std::string unit{};
  std::vector<double> numbers{};    ///< NaN where there is none; of words, their places in `words`
  std::vector<std::string> words{};  ///< different ones, in order of appearance; empty: numbers

  [[nodiscard]] bool isWords() const { return !words.empty(); }
};

/// The finished cases of a study, in order, column by column.
struct StudyTable {
  std::string name{};
  std::string created{};
  std::string build{};
  std::string status{};
  std::uint64_t cases{0};              ///< of the study; those that are not finished are not here
  std::vector<std::int64_t> ids{};
  std::vector<TableColumn> columns{};  ///< parameters, status, reason, steps, time, success, measures
  std::vector<std::string> hashes{};
  double stepSeconds{0.0};   ///< of all cases together [s]
  double totalSeconds{0.0};

  [[nodiscard]] std::size_t rows() const { return ids.size(); }
  [[nodiscard]] const TableColumn* find(std::string_view name) const;
  [[nodiscard]] std::vector<const TableColumn*> ofKind(std::string_view kind) const;
};

/// Throws msd_record::RecordError.
[[nodiscard]] StudyTable readTable(const std::filesystem::path& path);

/// The study that results were made with.
[[nodiscard]] std::unique_ptr<Study> readStudy(const std::filesystem::path& path);

/// One row of the results, as it is stored.
struct StoredResult {
  bool isThere{false};
  std::string status{};
  std::string hash{};
};
[[nodiscard]] StoredResult readResult(const std::filesystem::path& path, std::uint64_t index);

/// The table as CSV: a line of names, a line per case. Numbers are the shortest decimals that read back
/// as the same doubles; what is missing is empty.
[[nodiscard]] std::string toCsv(const StudyTable& table);

/// The table as a NumPy archive (.npz), an array per column: float64, int64 for numbers of cases, and
/// text for words.
[[nodiscard]] std::string toNpz(const StudyTable& table);

}  // namespace msd_study
