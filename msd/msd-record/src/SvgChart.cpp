#include "msd-record/src/SvgChart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

namespace msd_record {

namespace {

// The image and the plot inside it [px].
constexpr double kWidth = 860.0;
constexpr double kHeight = 340.0;
constexpr double kLeft = 74.0;
constexpr double kRight = 840.0;
constexpr double kTop = 66.0;
constexpr double kBottom = 290.0;
constexpr int kTicks = 6;

/// Told apart by colour-blind eyes, and visible on white and on black.
constexpr std::array<std::string_view, 8> kColours{"#3b7dd8", "#d9822b", "#2f9e6e", "#d0485f",
                                                   "#8d62d1", "#22a3b8", "#9a7348", "#7d8590"};

constexpr std::string_view kStyle = R"(<style>
.c-bg{fill:#fff}.c-grid{stroke:#e4e7eb;stroke-width:1}.c-zero{stroke:#9aa3ad;stroke-width:1}
.c-axis{stroke:#5b6470;stroke-width:1}.c-line{fill:none;stroke-width:1.6;stroke-linejoin:round}
.c-text{fill:#3d4550;font:12px system-ui,sans-serif}.c-title{fill:#1d232b;font:600 15px system-ui,sans-serif}
@media (prefers-color-scheme:dark){.c-bg{fill:#161a20}.c-grid{stroke:#2a3039}.c-zero{stroke:#66707c}
.c-axis{stroke:#8b95a1}.c-text{fill:#b9c1cb}.c-title{fill:#e8ecf1}}
</style>
)";

struct Range {
  double low{std::numeric_limits<double>::infinity()};
  double high{-std::numeric_limits<double>::infinity()};

  /// Values beyond this would leave no room for the arithmetic of an axis.
  static constexpr double kLargest = 1e300;

  void include(double value) {
    if (!std::isfinite(value)) return;
    value = std::clamp(value, -kLargest, kLargest);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  [[nodiscard]] bool isEmpty() const { return low > high; }
  [[nodiscard]] double size() const { return high - low; }
};

/// A step of 1, 2 or 5 times a power of ten that cuts a length into about `count` parts.
double niceStep(double length, int count) {
  const double raw = length / count;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw * (1.0 - 1e-9)) return factor * power;
  }
  return 10.0 * power;
}

/// One axis: a range of round numbers, and where they lie in the image.
class Axis {
 public:
  Axis(Range range, double from, double to) : from_{from}, to_{to} {
    if (range.isEmpty()) range = {0.0, 1.0};
    // A constant gets room around it: a share of its size, or 1 where it is zero.
    const double scale = std::max(std::abs(range.low), std::abs(range.high));
    if (range.size() <= 1e-12 * scale || scale == 0.0) {
      const double room = scale > 0.0 ? 0.1 * scale : 1.0;
      range.include(range.low - (range.low == 0.0 ? 0.0 : room));
      range.include(range.high + room);
    }
    step_ = niceStep(range.size(), kTicks);
    low_ = step_ * std::floor(range.low / step_ + 1e-9);
    high_ = step_ * std::ceil(range.high / step_ - 1e-9);
  }

  [[nodiscard]] double place(double value) const {
    return from_ + (to_ - from_) * (value - low_) / (high_ - low_);
  }
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }
  [[nodiscard]] int tickCount() const {
    return static_cast<int>(std::lround((high_ - low_) / step_)) + 1;
  }
  [[nodiscard]] double tick(int i) const {
    const double value = low_ + i * step_;
    return std::abs(value) < 1e-9 * step_ ? 0.0 : value;
  }
  [[nodiscard]] std::string tickText(int i) const {
    const double value = tick(i);
    const double largest = std::max(std::abs(low_), std::abs(high_));
    if (largest >= 1e6 || largest < 1e-3) return fmt::format("{:.6g}", value);
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step_) - 1e-9)));
    return fmt::format("{:.{}f}", value, std::min(decimals, 9));
  }

 private:
  double from_, to_;
  double low_{0.0}, high_{1.0}, step_{1.0};
};

/// The points of a line, at most a few per pixel: of the points in one column the first, the
/// lowest, the highest and the last stay, so that no peak is lost.
std::string pathOf(const Series& series, const Axis& x, const Axis& y, double xFactor,
                   double yFactor) {
  std::string path;
  bool pen = false;
  const auto put = [&](std::size_t i) {
    fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", pen ? "L" : "M",
                   x.place(xFactor * series.x[i]), y.place(yFactor * series.y[i]));
    pen = true;
  };
  const std::size_t count = std::min(series.x.size(), series.y.size());
  const auto isDrawn = [&](std::size_t i) {
    return std::isfinite(series.x[i]) && std::isfinite(series.y[i]);
  };
  const auto column = [&](std::size_t i) { return std::floor(x.place(xFactor * series.x[i])); };
  for (std::size_t i = 0; i < count;) {
    if (!isDrawn(i)) {
      pen = false;
      ++i;
      continue;
    }
    std::size_t low = i, high = i, last = i;
    const std::size_t first = i;
    for (; i < count && isDrawn(i) && column(i) == column(first); ++i) {
      if (series.y[i] < series.y[low]) low = i;
      if (series.y[i] > series.y[high]) high = i;
      last = i;
    }
    std::array<std::size_t, 4> kept{first, std::min(low, high), std::max(low, high), last};
    std::ranges::sort(kept);
    const auto end = std::unique(kept.begin(), kept.end());
    for (auto it = kept.begin(); it != end; ++it) put(*it);
  }
  return path;
}

/// Points as round ends of lines of no length; those that would fall on the same pixel are drawn once.
std::string pointsOf(const Series& series, const Axis& x, const Axis& y, double yFactor) {
  std::string path;
  std::set<std::pair<int, int>> drawn;
  const std::size_t count = std::min(series.x.size(), series.y.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i])) continue;
    const double px = x.place(series.x[i]);
    const double py = y.place(yFactor * series.y[i]);
    const std::pair pixel{static_cast<int>(std::lround(px)), static_cast<int>(std::lround(py))};
    if (!drawn.insert(pixel).second) continue;
    fmt::format_to(std::back_inserter(path), "M{:.1f} {:.1f}h0", px, py);
  }
  return path;
}

std::string barsOf(const Series& series, const Axis& x, const Axis& y, double yFactor) {
  std::string path;
  const std::size_t count = std::min(series.x.size(), series.y.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i])) continue;
    const double left = x.place(series.x[i] - 0.5 * series.barWidth) + 0.5;
    const double right = x.place(series.x[i] + 0.5 * series.barWidth) - 0.5;
    fmt::format_to(std::back_inserter(path), "M{:.1f} {:.1f}V{:.1f}H{:.1f}V{:.1f}Z", left,
                   y.place(0.0), y.place(yFactor * series.y[i]), std::max(right, left + 0.5),
                   y.place(0.0));
  }
  return path;
}

void addSeries(std::string& svg, const Series& series, std::string_view colour, const Axis& x,
               const Axis& y, double xFactor, double yFactor) {
  auto out = std::back_inserter(svg);
  switch (series.mark) {
    case Mark::kLine:
      fmt::format_to(out, "<path class=\"c-line\" stroke=\"{}\" d=\"{}\"/>\n", colour,
                     pathOf(series, x, y, xFactor, yFactor));
      break;
    case Mark::kPoints:
      fmt::format_to(out,
                     "<path fill=\"none\" stroke=\"{}\" stroke-width=\"4\" stroke-linecap=\"round\" "
                     "stroke-opacity=\"0.6\" d=\"{}\"/>\n",
                     colour, pointsOf(series, x, y, yFactor));
      break;
    case Mark::kBars:
      fmt::format_to(out, "<path fill=\"{}\" fill-opacity=\"0.8\" d=\"{}\"/>\n", colour,
                     barsOf(series, x, y, yFactor));
      break;
  }
}

void addAxes(std::string& svg, const Chart& chart, const Axis& x, const Axis& y,
             const std::string& xUnit, const std::string& yUnit) {
  auto out = std::back_inserter(svg);
  for (int i = 0; i < y.tickCount(); ++i) {
    const double place = y.place(y.tick(i));
    fmt::format_to(out, "<line class=\"{}\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                   y.tick(i) == 0.0 ? "c-zero" : "c-grid", kLeft, kRight, place, place);
    fmt::format_to(out,
                   "<text class=\"c-text\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                   kLeft - 8.0, place + 4.0, y.tickText(i));
  }
  for (int i = 0; i < x.tickCount(); ++i) {
    const double place = x.place(x.tick(i));
    fmt::format_to(out,
                   "<line class=\"c-axis\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>\n",
                   place, kBottom, kBottom + 5.0);
    fmt::format_to(
        out, "<text class=\"c-text\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
        place, kBottom + 19.0, x.tickText(i));
  }
  fmt::format_to(out, "<path class=\"c-axis\" fill=\"none\" d=\"M{} {}V{}H{}\"/>\n", kLeft, kTop,
                 kBottom, kRight);
  const auto label = [](const std::string& name, const std::string& unit) {
    return escaped(unit.empty() ? name : fmt::format("{} [{}]", name, unit));
  };
  fmt::format_to(out, "<text class=\"c-text\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                 0.5 * (kLeft + kRight), kBottom + 40.0, label(chart.xQuantity, xUnit));
  fmt::format_to(out,
                 "<text class=\"c-text\" transform=\"translate(18 {}) rotate(-90)\" "
                 "text-anchor=\"middle\">{}</text>\n",
                 0.5 * (kTop + kBottom), label(chart.quantity, yUnit));
}

/// Names of the lines, side by side above the plot, as one text that the reader's font spaces.
void addLegend(std::string& svg, const Chart& chart) {
  fmt::format_to(std::back_inserter(svg), "<text class=\"c-text\" x=\"{}\" y=\"52\">", kLeft);
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    fmt::format_to(std::back_inserter(svg),
                   "<tspan dx=\"{}\" fill=\"{}\" font-weight=\"700\">&#9473;&#9473;</tspan>"
                   "<tspan dx=\"6\">{}</tspan>",
                   i > 0 ? 20 : 0, kColours[i % kColours.size()], escaped(chart.series[i].name));
  }
  svg += "</text>\n";
}

}  // namespace

Scaled bestPrefix(double largest, std::string_view unit) {
  static constexpr std::array<std::pair<double, std::string_view>, 7> kPrefixes{
      {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1.0, ""}, {1e-3, "m"}, {1e-6, "\u00b5"}, {1e-9, "n"}}};
  if (unit.empty() || !(largest > 0.0) || !std::isfinite(largest)) return {1.0, std::string{unit}};
  for (const auto& [size, prefix] : kPrefixes) {
    if (prefix == "k" && unit == "s") continue;
    if (largest >= size) return {1.0 / size, fmt::format("{}{}", prefix, unit)};
  }
  return {1e9, fmt::format("n{}", unit)};
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

std::string toSvg(const Chart& chart) {
  Range xRange, yRange;
  for (const Series& series : chart.series) {
    for (const double value : series.x) {
      xRange.include(value - 0.5 * series.barWidth);
      xRange.include(value + 0.5 * series.barWidth);
    }
    for (const double value : series.y) yRange.include(value);
  }
  if (chart.fromZero) yRange.include(0.0);
  const auto largest = [](const Range& range) {
    return range.isEmpty() ? 0.0 : std::max(std::abs(range.low), std::abs(range.high));
  };
  const Scaled xScale{1.0, chart.xUnit};
  const Scaled yScale = bestPrefix(largest(yRange), chart.unit);
  const auto scaled = [](Range range, double factor) {
    if (!range.isEmpty()) range = {range.low * factor, range.high * factor};
    return range;
  };
  const Axis x{scaled(xRange, xScale.factor), kLeft, kRight};
  const Axis y{scaled(yRange, yScale.factor), kBottom, kTop};
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\">\n<title>{2}</title>\n{3}<rect class=\"c-bg\" width=\"{0}\" "
      "height=\"{1}\"/>\n<text class=\"c-title\" x=\"{4}\" y=\"26\">{2}</text>\n",
      kWidth, kHeight, escaped(chart.title), kStyle, kLeft);
  addLegend(svg, chart);
  addAxes(svg, chart, x, y, xScale.unit, yScale.unit);
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    addSeries(svg, chart.series[i], kColours[i % kColours.size()], x, y, xScale.factor,
              yScale.factor);
  }
  return svg + "</svg>\n";
}

}  // namespace msd_record
