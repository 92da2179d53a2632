#include "msd-study/src/StudyChecks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace msd_study {

namespace {

bool isWithin(double value, const std::optional<double>& min, const std::optional<double>& max) {
  return std::isfinite(value) && (!min || value >= *min) && (!max || value <= *max);
}

std::string describeBounds(const std::optional<double>& min, const std::optional<double>& max) {
  if (min && max) return fmt::format("{} to {}", *min, *max);
  return min ? fmt::format(">= {}", *min) : fmt::format("<= {}", max.value_or(0.0));
}

/// The values that a check looks at: of finished cases within its bounds that were measured.
std::vector<double> valuesOf(const StudyCheck& check, const StudyTable& table) {
  std::vector<double> values;
  const TableColumn* column = table.find(check.measure);
  if (column == nullptr) return values;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const bool counts = std::ranges::all_of(check.where, [&](const StudyBounds& bounds) {
      const TableColumn* of = table.find(bounds.name);
      return of != nullptr && isWithin(of->numbers[row], bounds.min, bounds.max);
    });
    if (counts && std::isfinite(column->numbers[row])) values.push_back(column->numbers[row]);
  }
  return values;
}

double mean(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double deviation(std::span<const double> values) {
  if (values.size() < 2) return 0.0;
  const double centre = mean(values);
  double sum = 0.0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

/// NaN where a value is none of the categories.
double chiSquareOf(std::span<const double> values, std::span<const double> categories) {
  std::vector<double> counts(categories.size(), 0.0);
  for (const double value : values) {
    const auto found = std::ranges::find(categories, value);
    if (found == categories.end()) return std::numeric_limits<double>::quiet_NaN();
    counts[static_cast<std::size_t>(found - categories.begin())] += 1.0;
  }
  return chiSquareChance(counts);
}

double evaluate(const StudyCheck& check, std::span<const double> values) {
  if (check.statistic == Statistic::kCount) return static_cast<double>(values.size());
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  switch (check.statistic) {
    case Statistic::kMean:
      return mean(values);
    case Statistic::kDeviation:
      return deviation(values);
    case Statistic::kMin:
      return *std::ranges::min_element(values);
    case Statistic::kMax:
      return *std::ranges::max_element(values);
    default:
      return chiSquareOf(values, check.categories);
  }
}

}  // namespace

double upperGammaShare(double a, double x) {
  if (!(x > 0.0)) return 1.0;
  constexpr int kMost = 10000;
  constexpr double kSmall = 1e-15;
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1.0) {  // P by its series: x^a e^-x / Γ(a) · Σ x^n / (a (a+1) ... (a+n))
    double term = 1.0 / a;
    double sum = term;
    for (int n = 1; n < kMost && term > kSmall * sum; ++n) {
      term *= x / (a + n);
      sum += term;
    }
    return 1.0 - front * sum;
  }
  // Q by its continued fraction, after Lentz.
  double b = x + 1.0 - a;
  double c = 1.0 / std::numeric_limits<double>::min();
  double d = 1.0 / b;
  double fraction = d;
  for (int n = 1; n < kMost; ++n) {
    const double an = -n * (n - a);
    b += 2.0;
    d = 1.0 / (an * d + b);
    c = b + an / c;
    fraction *= d * c;
    if (std::abs(d * c - 1.0) < kSmall) break;
  }
  return front * fraction;
}

double chiSquareChance(std::span<const double> counts) {
  double total = 0.0;
  for (const double count : counts) total += count;
  const double expected = total / static_cast<double>(counts.size());
  double sum = 0.0;
  for (const double count : counts) sum += (count - expected) * (count - expected) / expected;
  return upperGammaShare(0.5 * static_cast<double>(counts.size() - 1), 0.5 * sum);
}

std::vector<StudyCheckResult> evaluateChecks(const StudyDocument& study, const StudyTable& table) {
  std::vector<StudyCheckResult> results;
  for (const StudyCheck& check : study.expect) {
    const std::vector<double> values = valuesOf(check, table);
    StudyCheckResult& r = results.emplace_back();
    r.cases = values.size();
    r.measured = evaluate(check, values);
    r.holds = isWithin(r.measured, check.min, check.max);
    std::string where;
    for (const StudyBounds& bounds : check.where) {
      where += fmt::format("{}{} {}", where.empty() ? " where " : " and ", bounds.name,
                           describeBounds(bounds.min, bounds.max));
    }
    r.line = fmt::format("{} {} of {}{}: {:.6g} ({} cases), expected {}",
                         r.holds ? "ok    " : "FAILED",
                         kStatisticNames[static_cast<std::size_t>(check.statistic)], check.measure,
                         where, r.measured, r.cases, describeBounds(check.min, check.max));
  }
  return results;
}

}  // namespace msd_study
