// Bars of the time per step of every engine over that of msd-sim, one group a scene.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "msd-exe/src/Bench/BenchResult.hpp"

namespace msd_exe {

namespace {

constexpr double kLeft = 130.0;
constexpr double kRight = 90.0;
constexpr double kTop = 56.0;
constexpr double kBar = 14.0;
constexpr double kGap = 14.0;
constexpr double kWidth = 760.0;
constexpr std::array<const char*, 6> kColours{"#1f6f8b", "#e07a5f", "#81b29a",
                                              "#f2cc8f", "#8d6a9f", "#6c757d"};

std::vector<std::string> barsOf(const BenchResult& result) {
  std::vector<std::string> labels;
  for (const SceneResult& scene : result.scenes) {
    for (const EngineResult& e : scene.engines) {
      if (e.ran() && std::ranges::find(labels, e.label()) == labels.end())
        labels.push_back(e.label());
    }
  }
  return labels;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return result;
}

}  // namespace

std::string benchPlot(const BenchResult& result) {
  const std::vector<std::string> labels = barsOf(result);
  double greatest = 1.0;
  std::size_t bars = 0;
  for (const SceneResult& scene : result.scenes) {
    for (const EngineResult& e : scene.engines) {
      if (!e.ran() || !std::isfinite(scene.ratio(e, &BenchTimes::all))) continue;
      greatest = std::max(greatest, scene.ratio(e, &BenchTimes::all));
      ++bars;
    }
  }
  const double height = kTop + kBar * static_cast<double>(bars) +
                        kGap * static_cast<double>(result.scenes.size()) + 30.0;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 "
      "0 {0:.0f} {1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n"
      "<text x=\"{2:.0f}\" y=\"18\" font-size=\"14\">Time per step, mean over all, over that of {3}</text>\n",
      kWidth, height, kLeft, labels.empty() ? "msd" : escaped(labels.front()));
  double legend = kLeft;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    svg += fmt::format(
        "<rect x=\"{:.0f}\" y=\"28\" width=\"10\" height=\"10\" fill=\"{}\"/><text x=\"{:.0f}\" "
        "y=\"37\">{}</text>\n",
        legend, kColours[i % kColours.size()], legend + 14.0, escaped(labels[i]));
    legend += 30.0 + 7.0 * static_cast<double>(labels[i].size());
  }
  double y = kTop;
  const double scale = (kWidth - kLeft - kRight) / greatest;
  for (const SceneResult& scene : result.scenes) {
    svg += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"end\">{}</text>\n",
                       kLeft - 8.0, y + 11.0,
                       escaped(scene.title(result.seeds.empty() ? 0 : result.seeds.front())));
    for (const EngineResult& e : scene.engines) {
      if (!e.ran() || !std::isfinite(scene.ratio(e, &BenchTimes::all))) continue;
      const auto colour =
          static_cast<std::size_t>(std::ranges::find(labels, e.label()) - labels.begin());
      svg += fmt::format(
          "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"{:.0f}\" fill=\"{}\"/>"
          "<text x=\"{:.1f}\" y=\"{:.0f}\">{:.3g} ({:.3g} ms)</text>\n",
          kLeft, y, scale * scene.ratio(e, &BenchTimes::all), kBar - 3.0, kColours[colour % kColours.size()],
          kLeft + scale * scene.ratio(e, &BenchTimes::all) + 4.0, y + 10.0, scene.ratio(e, &BenchTimes::all), median(e.times.all));
      y += kBar;
    }
    y += kGap;
  }
  return svg + "</svg>\n";
}

}  // namespace msd_exe
