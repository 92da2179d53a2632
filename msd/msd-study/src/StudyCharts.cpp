#include "msd-study/src/StudyCharts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "msd-record/src/RecordError.hpp"
#include "msd-record/src/SvgChart.hpp"
#include "msd-scene/src/Suggestion.hpp"

namespace msd_study {

namespace {

using msd_record::Chart;
using msd_record::Mark;

/// A parameter with at most so many values is drawn by its means, one with more by its points.
constexpr std::size_t kFewValues = 60;
constexpr std::size_t kMostLines = 8;
constexpr std::size_t kMostCharts = 60;
constexpr std::size_t kBins = 40;

std::vector<double> distinct(const TableColumn& column) {
  std::vector<double> values;
  for (const double value : column.numbers) {
    if (std::isfinite(value)) values.push_back(value);
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

bool varies(const TableColumn& column) {
  return distinct(column).size() > 1;
}

std::string unitOf(const TableColumn& column) {
  return column.unit == "-" ? std::string{} : column.unit;
}

std::string labelled(const TableColumn& column) {
  const std::string unit = unitOf(column);
  return unit.empty() ? column.name : fmt::format("{} [{}]", column.name, unit);
}

std::string titleOf(const TableColumn& y, std::string_view over) {
  return fmt::format("{} over {}", y.name == "success" ? "share of successes" : y.name, over);
}

/// Mean, least and largest value of y for each value of x.
struct Summary {
  double sum{0.0};
  double count{0.0};
  double low{std::numeric_limits<double>::infinity()};
  double high{-std::numeric_limits<double>::infinity()};
  void add(double value) {
    if (!std::isfinite(value)) return;
    sum += value;
    count += 1.0;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  [[nodiscard]] double mean() const {
    return count > 0.0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
  }
};

Chart frame(const TableColumn& x, const TableColumn& y) {
  return {.title = titleOf(y, x.name),
          .quantity = y.name,
          .unit = unitOf(y),
          .fromZero = y.name == "success",
          .xQuantity = x.name,
          .xUnit = unitOf(x)};
}

Chart meanChart(const TableColumn& x, const TableColumn& y) {
  std::map<double, Summary> groups;
  for (std::size_t i = 0; i < x.numbers.size(); ++i) {
    if (std::isfinite(x.numbers[i])) groups[x.numbers[i]].add(y.numbers[i]);
  }
  Chart chart = frame(x, y);
  msd_record::Series mean{.name = "mean"}, low{.name = "least"}, high{.name = "largest"};
  bool spreads = false;
  for (const auto& [at, group] : groups) {
    for (msd_record::Series* series : {&mean, &low, &high}) series->x.push_back(at);
    mean.y.push_back(group.mean());
    low.y.push_back(group.count > 0.0 ? group.low : group.mean());
    high.y.push_back(group.count > 0.0 ? group.high : group.mean());
    spreads = spreads || group.low < group.high;
  }
  chart.series.push_back(mean);
  if (spreads && y.name != "success") {
    chart.series.push_back(low);
    chart.series.push_back(high);
  }
  msd_record::Series points = mean;
  points.name = "values";
  points.mark = Mark::kPoints;
  if (!spreads) chart.series.push_back(points);
  return chart;
}

Chart pointChart(const TableColumn& x, const TableColumn& y) {
  Chart chart = frame(x, y);
  if (y.name != "success") {
    chart.series.push_back(
        {.name = "cases", .x = x.numbers, .y = y.numbers, .mark = Mark::kPoints});
    return chart;
  }
  // A share needs cases to be a share of.
  const std::vector<double> all = distinct(x);
  constexpr std::size_t kGroups = 20;
  std::vector<Summary> groups(kGroups);
  const double width = (all.back() - all.front()) / kGroups;
  for (std::size_t i = 0; i < x.numbers.size(); ++i) {
    if (!std::isfinite(x.numbers[i])) continue;
    const auto group = static_cast<std::size_t>((x.numbers[i] - all.front()) / width);
    groups[std::min(group, kGroups - 1)].add(y.numbers[i]);
  }
  msd_record::Series share{.name = "share of successes", .mark = Mark::kBars, .barWidth = width};
  for (std::size_t i = 0; i < kGroups; ++i) {
    share.x.push_back(all.front() + (static_cast<double>(i) + 0.5) * width);
    share.y.push_back(groups[i].mean());
  }
  chart.series.push_back(share);
  return chart;
}

HeatMap mapOf(const TableColumn& x, const TableColumn& y, const TableColumn& value) {
  HeatMap map{.title = titleOf(value, fmt::format("{} and {}", x.name, y.name)),
              .xName = labelled(x),
              .yName = labelled(y),
              .valueName = value.name == "success" ? "share" : labelled(value),
              .xs = distinct(x),
              .ys = distinct(y)};
  std::vector<Summary> cells(map.xs.size() * map.ys.size());
  for (std::size_t i = 0; i < x.numbers.size(); ++i) {
    if (!std::isfinite(x.numbers[i]) || !std::isfinite(y.numbers[i])) continue;
    const auto column = std::ranges::lower_bound(map.xs, x.numbers[i]) - map.xs.begin();
    const auto row = std::ranges::lower_bound(map.ys, y.numbers[i]) - map.ys.begin();
    cells[static_cast<std::size_t>(row) * map.xs.size() + static_cast<std::size_t>(column)].add(
        value.numbers[i]);
  }
  for (const Summary& cell : cells) map.cells.push_back(cell.mean());
  return map;
}

/// The columns a chart may be about, those of a name where one was given.
std::vector<const TableColumn*> chosen(const StudyTable& table, std::string_view kind,
                                       const std::string& name) {
  std::vector<const TableColumn*> columns = table.ofKind(kind);
  const TableColumn* success = table.find("success");
  if (kind == "measure" && success != nullptr && varies(*success)) {
    columns.insert(columns.begin(), success);
  }
  if (name.empty()) {
    std::erase_if(columns, [](const TableColumn* c) { return c->isWords() || !varies(*c); });
    return columns;
  }
  std::vector<std::string_view> known;
  for (const TableColumn* column : columns) known.push_back(column->name);
  std::erase_if(columns, [&](const TableColumn* c) { return c->name != name; });
  if (columns.empty()) {
    throw msd_record::RecordError{fmt::format("found \"{}\", expected the name of a {} of the study{}",
                                              name, kind, msd_scene::suggestion(name, known))};
  }
  return columns;
}

}  // namespace

std::vector<StudyChart> overParameters(const StudyTable& table, const ChartChoice& choice) {
  const auto xs = chosen(table, "parameter", choice.x);
  const auto ys = chosen(table, "measure", choice.y);
  std::vector<StudyChart> charts;
  const bool isGrid = xs.size() == 2 && distinct(*xs[0]).size() <= kFewValues &&
                      distinct(*xs[1]).size() <= kFewValues;
  for (const TableColumn* y : ys) {
    if (isGrid) {
      const HeatMap map = mapOf(*xs[0], *xs[1], *y);
      charts.push_back({fmt::format("{}_over_{}_{}", y->name, xs[0]->name, xs[1]->name), map.title,
                        toSvg(map)});
      continue;
    }
    for (const TableColumn* x : xs) {
      if (charts.size() == kMostCharts) return charts;
      const bool few = distinct(*x).size() <= kFewValues;
      const Chart chart = few ? meanChart(*x, *y) : pointChart(*x, *y);
      charts.push_back({fmt::format("{}_over_{}", y->name, x->name), chart.title,
                        msd_record::toSvg(chart)});
    }
  }
  return charts;
}

std::vector<StudyChart> histograms(const StudyTable& table, const ChartChoice& choice) {
  std::vector<StudyChart> charts;
  for (const TableColumn* column : chosen(table, "measure", choice.y)) {
    if (column->name == "success") continue;
    const std::vector<double> values = distinct(*column);
    if (values.size() < 2) continue;
    const bool few = values.size() <= kMostLines * 2;
    double width = (values.back() - values.front()) / kBins;
    if (few) {
      width = values.back() - values.front();
      for (std::size_t i = 1; i < values.size(); ++i) {
        width = std::min(width, values[i] - values[i - 1]);
      }
      width *= 0.8;
    }
    std::map<double, double> bars;
    for (const double value : column->numbers) {
      if (!std::isfinite(value)) continue;
      const double bin = std::min(std::floor((value - values.front()) / width), kBins - 1.0);
      bars[few ? value : values.front() + (bin + 0.5) * width] += 1.0;
    }
    msd_record::Series series{.name = "cases", .mark = Mark::kBars, .barWidth = width};
    for (const auto& [at, count] : bars) {
      series.x.push_back(at);
      series.y.push_back(count);
    }
    const Chart chart{.title = fmt::format("How often which {}", column->name),
                      .quantity = "cases",
                      .series = {series},
                      .fromZero = true,
                      .xQuantity = column->name,
                      .xUnit = unitOf(*column)};
    charts.push_back({column->name + "_histogram", chart.title, msd_record::toSvg(chart)});
  }
  return charts;
}

}  // namespace msd_study
