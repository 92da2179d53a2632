#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "msd-study/src/CsvTable.hpp"
#include "msd-study/src/StudyDocument.hpp"

namespace msd_study {

/// One number of a case: a parameter, or one of the four of a rotation.
struct CaseColumn {
  std::string name{};
  std::size_t parameter{0};  ///< in StudyDocument::parameters
};

/// The cases of a study, each computed when it is asked for: the rows of the table of cases, times the
/// grid of listed values (the first parameter changes slowest), times the draws.
class CaseTable {
 public:
  /// `rows` is empty where the study has no table of cases. Throws msd_scene::SceneError when it lacks
  /// a column, or when there are more cases than kMostCases.
  CaseTable(const StudyDocument& document, const CsvTable& rows);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const std::vector<CaseColumn>& columns() const { return columns_; }
  /// The values of a case, one per column.
  void fill(std::uint64_t index, std::span<double> values) const;
  [[nodiscard]] std::vector<double> values(std::uint64_t index) const;

 private:
  struct Drawn;
  [[nodiscard]] double unit(std::uint64_t point, std::uint64_t sample, std::uint64_t stream) const;
  void draw(const StudyParameter& parameter, std::span<const double, 3> unit,
            std::span<double> out) const;

  const StudyDocument& document_;
  std::vector<CaseColumn> columns_;
  std::vector<double> rows_;  ///< the columns that are wanted, row by row
  std::size_t row_width_{0};
  std::uint64_t row_count_{1};
  std::uint64_t grid_{1};     ///< points of the grid
  std::uint64_t samples_{1};  ///< draws per point
  std::uint64_t size_{0};
};

}  // namespace msd_study
