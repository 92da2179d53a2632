#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "msd-study/src/StudyTable.hpp"

namespace msd_study {

/// A picture of a study's results, as SVG.
struct StudyChart {
  std::string name{};  ///< of its file, without ending
  std::string title{};
  std::string svg{};
};

/// What to draw; empty: everything that varies.
struct ChartChoice {
  std::string x{};  ///< a parameter
  std::string y{};  ///< a measure, or "success"
};

/// Success and measures over parameters: a map where two parameters make a grid, means with the extremes
/// where a parameter has few values, points where it has many. Throws msd_record::RecordError for a name
/// that the study does not have.
[[nodiscard]] std::vector<StudyChart> overParameters(const StudyTable& table,
                                                     const ChartChoice& choice);

/// How often each measure takes which values.
[[nodiscard]] std::vector<StudyChart> histograms(const StudyTable& table,
                                                 const ChartChoice& choice);

/// Cells of a grid, coloured by value.
struct HeatMap {
  std::string title{};
  std::string xName{}, yName{}, valueName{};
  std::vector<double> xs{}, ys{};
  std::vector<double> cells{};  ///< row by row, ys.size() rows of xs.size(); NaN stays empty
};
[[nodiscard]] std::string toSvg(const HeatMap& map);

}  // namespace msd_study
