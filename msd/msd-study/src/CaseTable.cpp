#include "msd-study/src/CaseTable.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "msd-scene/src/JsonText.hpp"
#include "msd-scene/src/SceneError.hpp"
#include "msd-scene/src/Suggestion.hpp"
#include "msd-study/src/Draws.hpp"

namespace msd_study {

namespace {

constexpr std::array<std::string_view, 4> kRotationParts{"_w", "_x", "_y", "_z"};

std::uint64_t listLength(const StudyParameter& p) {
  return p.source == Source::kRange ? p.count : p.values.size();
}

double listed(const StudyParameter& p, std::uint64_t i) {
  if (p.source == Source::kValues) return p.values[i];
  if (i + 1 == p.count) return p.high;
  return p.low + (p.high - p.low) * static_cast<double>(i) / static_cast<double>(p.count - 1);
}

std::size_t findColumn(const StudyDocument& document, const CsvTable& rows,
                       const std::string& name) {
  const auto found = std::ranges::find(rows.columns, name);
  if (found != rows.columns.end()) return static_cast<std::size_t>(found - rows.columns.begin());
  const std::vector<std::string_view> known{rows.columns.begin(), rows.columns.end()};
  throw msd_scene::SceneError{
      {.source = document.table,
       .found = fmt::format("no column {}", msd_scene::jsonString(name)),
       .expected = fmt::format("the values of this parameter{}",
                               msd_scene::suggestion(name, known))}};
}

}  // namespace

CaseTable::CaseTable(const StudyDocument& document, const CsvTable& rows) : document_{document} {
  std::vector<std::size_t> wanted;
  bool tooMany = false;
  const auto times = [&](std::uint64_t& product, std::uint64_t factor) {
    tooMany = tooMany || factor > kMostCases / product;
    if (!tooMany) product *= factor;
  };
  for (std::size_t i = 0; i < document.parameters.size(); ++i) {
    const StudyParameter& p = document.parameters[i];
    if (p.source == Source::kRotation) {
      for (const std::string_view part : kRotationParts) {
        columns_.push_back({p.name + std::string{part}, i});
      }
      continue;
    }
    columns_.push_back({p.name, i});
    if (p.source == Source::kColumn) wanted.push_back(findColumn(document, rows, p.name));
    if (p.isListed()) times(grid_, listLength(p));
  }
  row_width_ = wanted.size();
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    for (const std::size_t column : wanted) {
      rows_.push_back(rows.numbers[row * rows.columns.size() + column]);
    }
  }
  if (rows.rows() > 0) row_count_ = rows.rows();
  if (document.samples > 0) samples_ = document.samples;
  size_ = row_count_;
  times(size_, grid_);
  times(size_, samples_);
  if (tooMany) {
    throw msd_scene::SceneError{{.found = "more cases than a study may have",
                                 .expected = fmt::format("at most {}", kMostCases)}};
  }
}

double CaseTable::unit(std::uint64_t point, std::uint64_t sample, std::uint64_t stream) const {
  const double u = drawUnit(document_.seed, stream, point * samples_ + sample);
  if (document_.sampling == Sampling::kRandom) return u;
  // One draw in each of as many equal parts of (0, 1) as there are samples.
  const std::uint64_t part =
      permuted(document_.seed, stream * row_count_ * grid_ + point, sample, samples_);
  return (static_cast<double>(part) + u) / static_cast<double>(samples_);
}

void CaseTable::draw(const StudyParameter& p, std::span<const double, 3> u,
                     std::span<double> out) const {
  switch (p.source) {
    case Source::kUniform:
      out[0] = p.low + (p.high - p.low) * u[0];
      break;
    case Source::kLogUniform:
      out[0] = logUniform(u[0], p.low, p.high);
      break;
    case Source::kNormal:
      out[0] = p.low + p.high * normalQuantile(u[0]);
      break;
    default:
      std::ranges::copy(uniformRotation(u[0], u[1], u[2]), out.begin());
  }
}

void CaseTable::fill(std::uint64_t index, std::span<double> values) const {
  const std::uint64_t sample = index % samples_;
  const std::uint64_t point = index / samples_;
  std::uint64_t inGrid = point % grid_;
  const std::uint64_t row = point / grid_;
  std::uint64_t below = grid_;  // points of the grid of the parameters that follow
  std::size_t fromRow = 0;
  std::size_t column = 0;
  std::uint64_t stream = 0;
  for (const StudyParameter& p : document_.parameters) {
    const bool isRotation = p.source == Source::kRotation;
    const std::span<double> out = values.subspan(column, isRotation ? 4 : 1);
    column += out.size();
    if (p.source == Source::kColumn) {
      out[0] = rows_[row * row_width_ + fromRow++];
    } else if (p.isListed()) {
      below /= listLength(p);
      out[0] = listed(p, inGrid / below);
      inGrid %= below;
    } else {
      std::array<double, 3> u{};
      const std::size_t needed = isRotation ? 3 : 1;
      for (std::size_t k = 0; k < needed; ++k) u[k] = unit(point, sample, stream++);
      draw(p, u, out);
    }
  }
}

std::vector<double> CaseTable::values(std::uint64_t index) const {
  std::vector<double> result(columns_.size());
  fill(index, result);
  return result;
}

}  // namespace msd_study
