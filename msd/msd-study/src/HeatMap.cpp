#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "msd-record/src/SvgChart.hpp"
#include "msd-study/src/StudyCharts.hpp"

namespace msd_study {

namespace {

using msd_record::escaped;

// The image and the plot inside it [px].
constexpr double kWidth = 860.0;
constexpr double kHeight = 460.0;
constexpr double kLeft = 84.0;
constexpr double kRight = 740.0;
constexpr double kTop = 50.0;
constexpr double kBottom = 400.0;
constexpr double kScaleLeft = 770.0;
constexpr double kScaleWidth = 18.0;
constexpr std::size_t kMostLabels = 12;

constexpr std::string_view kStyle = R"(<style>
.h-bg{fill:#fff}.h-text{fill:#3d4550;font:12px system-ui,sans-serif}.h-title{fill:#1d232b;font:600 15px system-ui,sans-serif}
@media (prefers-color-scheme:dark){.h-bg{fill:#161a20}.h-text{fill:#b9c1cb}.h-title{fill:#e8ecf1}}
</style>
)";

/// From violet through teal to yellow, lighter all the way, so that it reads in grey too.
std::string colour(double share) {
  struct Stop {
    double r, g, b;
  };
  static constexpr Stop kStops[] = {
      {68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
  constexpr int kLast = 4;
  const double at = std::clamp(share, 0.0, 1.0) * kLast;
  const int i = std::min(static_cast<int>(at), kLast - 1);
  const double t = at - i;
  const auto mix = [&](double a, double b) { return static_cast<int>(std::lround(a + t * (b - a))); };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(kStops[i].r, kStops[i + 1].r),
                     mix(kStops[i].g, kStops[i + 1].g), mix(kStops[i].b, kStops[i + 1].b));
}

void addText(std::string& svg, double x, double y, std::string_view anchor, std::string_view text) {
  fmt::format_to(std::back_inserter(svg),
                 "<text class=\"h-text\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x,
                 y, anchor, escaped(text));
}

/// Values beside an axis, as many as have room.
template <class Place>
void addLabels(const std::vector<double>& values, Place&& place) {
  const std::size_t every = (values.size() + kMostLabels - 1) / kMostLabels;
  for (std::size_t i = 0; i < values.size(); i += every) place(i, fmt::format("{:.4g}", values[i]));
}

void addScale(std::string& svg, double low, double high) {
  constexpr int kSteps = 40;
  const double height = (kBottom - kTop) / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    fmt::format_to(
        std::back_inserter(svg),
        "<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"{}\"/>\n", kScaleLeft,
        kBottom - (i + 1) * height, kScaleWidth, height + 0.5, colour((i + 0.5) / kSteps));
  }
  for (const double share : {0.0, 0.5, 1.0}) {
    addText(svg, kScaleLeft + kScaleWidth + 6.0, kBottom - share * (kBottom - kTop) + 4.0, "start",
            fmt::format("{:.4g}", low + share * (high - low)));
  }
}

}  // namespace

std::string toSvg(const HeatMap& map) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : map.cells) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (!(low < high)) {
    low = std::isfinite(low) ? low - 0.5 : 0.0;
    high = low + 1.0;
  }
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\">\n<title>{2}</title>\n{3}<rect class=\"h-bg\" width=\"{0}\" "
      "height=\"{1}\"/>\n<text class=\"h-title\" x=\"{4}\" y=\"26\">{2}</text>\n",
      kWidth, kHeight, escaped(map.title), kStyle, kLeft);
  const double width = (kRight - kLeft) / static_cast<double>(map.xs.size());
  const double height = (kBottom - kTop) / static_cast<double>(map.ys.size());
  for (std::size_t row = 0; row < map.ys.size(); ++row) {
    for (std::size_t column = 0; column < map.xs.size(); ++column) {
      const double value = map.cells[row * map.xs.size() + column];
      if (!std::isfinite(value)) continue;
      fmt::format_to(std::back_inserter(svg),
                     "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
                     "fill=\"{}\"/>\n",
                     kLeft + static_cast<double>(column) * width,
                     kBottom - static_cast<double>(row + 1) * height, width + 0.3, height + 0.3,
                     colour((value - low) / (high - low)));
    }
  }
  addLabels(map.xs, [&](std::size_t i, const std::string& text) {
    addText(svg, kLeft + (static_cast<double>(i) + 0.5) * width, kBottom + 18.0, "middle", text);
  });
  addLabels(map.ys, [&](std::size_t i, const std::string& text) {
    addText(svg, kLeft - 8.0, kBottom - (static_cast<double>(i) + 0.5) * height + 4.0, "end", text);
  });
  addText(svg, 0.5 * (kLeft + kRight), kBottom + 42.0, "middle", map.xName);
  fmt::format_to(std::back_inserter(svg),
                 "<text class=\"h-text\" transform=\"translate(18 {:.1f}) rotate(-90)\" "
                 "text-anchor=\"middle\">{}</text>\n",
                 0.5 * (kTop + kBottom), escaped(map.yName));
  addScale(svg, low, high);
  addText(svg, kScaleLeft + kScaleWidth, kTop - 12.0, "middle", map.valueName);
  return svg + "</svg>\n";
}

}  // namespace msd_study
