#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace msd_record {

enum class Mark { kLine, kPoints, kBars };

/// A line of a chart, or its points or bars. NaN leaves a gap.
struct Series {
  std::string name{};
  std::vector<double> x{};
  std::vector<double> y{};
  Mark mark{Mark::kLine};
  double barWidth{0.0};  ///< in units of x
};

/// A chart of lines, points or bars. Values are in SI units; the axis chooses the prefix that reads best.
struct Chart {
  std::string title{};
  std::string quantity{};  ///< on the y axis: "energy"
  std::string unit{};      ///< "J"; empty for counts
  std::vector<Series> series{};
  bool fromZero{false};  ///< the y axis starts at 0
  std::string xQuantity{"simulated time"};
  std::string xUnit{"s"};
};

/// The chart as an SVG image, complete in itself; light or dark as the reader's screen is.
[[nodiscard]] std::string toSvg(const Chart& chart);

/// A value's best prefix: 0.0032 m is 3.2 of "mm".
struct Scaled {
  double factor{1.0};  ///< multiply SI values by this
  std::string unit{};
};
[[nodiscard]] Scaled bestPrefix(double largest, std::string_view unit);

/// Text for XML and HTML: & < > " ' and control characters made harmless.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace msd_record
