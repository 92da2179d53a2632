#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "msd-exe/src/ValidateTosses.hpp"

namespace msd_exe {

namespace {

// Lengths of the drawing in its own units.
constexpr double kWidth = 360.0;
constexpr double kHeight = 240.0;
constexpr double kMargin = 48.0;
constexpr std::array<const char*, 4> kColours{"#1f6fb4", "#d1622b", "#3a9c4e", "#7b52ab"};

struct Axis {
  double left;     ///< of the panel
  double largest;  ///< value at its right end
  [[nodiscard]] double at(double value) const {
    return left + kWidth * std::min(value / largest, 1.0);
  }
};

double heightOf(double share) {
  return kMargin + kHeight * (1.0 - share);
}

/// A step curve: share of the tosses whose error is at most the abscissa.
void drawCurve(std::string& svg, const Axis& axis, const std::vector<double>& sorted,
               const char* colour) {
  svg +=
      fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\" points=\"", colour);
  fmt::format_to(std::back_inserter(svg), "{:.1f},{:.1f}", axis.at(0.0), heightOf(0.0));
  const auto n = static_cast<double>(sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double share = static_cast<double>(i + 1) / n;
    fmt::format_to(std::back_inserter(svg), " {:.1f},{:.1f}", axis.at(sorted[i]), heightOf(share));
  }
  svg += "\"/>\n";
}

void drawPanel(std::string& svg, const Axis& axis, const char* label) {
  fmt::format_to(std::back_inserter(svg),
                 "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
                 "stroke=\"#888\"/>\n",
                 axis.left, kMargin, kWidth, kHeight);
  for (int k = 0; k <= 4; ++k) {
    const double share = 0.25 * k;
    fmt::format_to(std::back_inserter(svg),
                   "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.3g}</text>\n"
                   "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.0f} %</text>\n",
                   axis.left + kWidth * share, kMargin + kHeight + 16.0, axis.largest * share,
                   axis.left - 6.0, heightOf(share) + 4.0, 100.0 * share);
  }
  fmt::format_to(std::back_inserter(svg),
                 "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                 axis.left + 0.5 * kWidth, kMargin + kHeight + 36.0, label);
}

}  // namespace

std::string drawTosses(const std::vector<TossCurve>& curves) {
  const double width = 2.0 * kWidth + 4.0 * kMargin, height = kHeight + 2.5 * kMargin;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n",
      width, height);
  // The worst twentieth may leave the panel; the curves then end below 100 %.
  const auto largest = [&](auto member) {
    double value = 0.0;
    for (const TossCurve& c : curves) {
      const std::vector<double>& v = c.*member;
      if (!v.empty()) value = std::max(value, v[(v.size() * 95) / 100]);
    }
    return value > 0.0 ? value : 1.0;
  };
  const Axis position{1.2 * kMargin, largest(&TossCurve::position)};
  const Axis rotation{kWidth + 2.9 * kMargin, 180.0};
  drawPanel(svg, position, "distance of the centres at rest [half-widths]");
  drawPanel(svg, rotation, "angle between the orientations at rest [degrees]");
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const char* colour = kColours[i % kColours.size()];
    drawCurve(svg, position, curves[i].position, colour);
    drawCurve(svg, rotation, curves[i].rotation, colour);
    fmt::format_to(
        std::back_inserter(svg), "<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\">{}</text>\n",
        position.left + 130.0 * static_cast<double>(i), 0.6 * kMargin, colour, curves[i].name);
  }
  return svg + "</svg>\n";
}

}  // namespace msd_exe
