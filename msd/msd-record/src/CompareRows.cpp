#include "msd-record/src/CompareRows.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "msd-record/src/Schema.hpp"
#include "msd-record/src/StepColumns.hpp"
#include "msd-sim/src/Diagnostics/FaultText.hpp"

namespace msd_record {

namespace {

using msd_sim::StepReport;

std::optional<Unlike> unlike(std::string_view quantity, std::string recorded, std::string found) {
  return Unlike{.quantity = std::string{quantity},
                .recorded = std::move(recorded),
                .found = std::move(found)};
}

std::optional<Unlike> compareNumbers(std::string_view quantity, double recorded, double found) {
  if (isSame(recorded, found)) return std::nullopt;
  auto result = unlike(quantity, fmt::format("{}", recorded), fmt::format("{}", found));
  result->recordedNumber = recorded;
  result->foundNumber = found;
  return result;
}

template <class Whole>
std::optional<Unlike> compareWhole(std::string_view quantity, Whole recorded, Whole found) {
  if (recorded == found) return std::nullopt;
  return unlike(quantity, fmt::format("{}", recorded), fmt::format("{}", found));
}

/// Of a report's column; none where they are the same.
std::optional<Unlike> compareColumn(const StepColumn& column, StepReport& recorded,
                                    StepReport& found) {
  const std::string_view name = column.column.name;
  switch (column.value) {
    case StepValue::kStep:
      return compareWhole(name, recorded.step, found.step);
    case StepValue::kReal:
      return compareNumbers(name, column.real(recorded), column.real(found));
    case StepValue::kCount:
      return compareWhole(name, column.count(recorded), column.count(found));
    case StepValue::kLargeCount:
      return compareWhole(name, column.largeCount(recorded), column.largeCount(found));
    case StepValue::kStatus:
      return compareWhole(name, msd_sim::statusName(recorded.status),
                          msd_sim::statusName(found.status));
    case StepValue::kFaults:
      return compareWhole(name, msd_sim::faultText(recorded.faults),
                          msd_sim::faultText(found.faults));
    case StepValue::kHash:
      return compareWhole(name, recorded.hash.toString(), found.hash.toString());
    case StepValue::kWall:
      break;
  }
  return std::nullopt;
}

/// The names of a table's columns without its key, as "name [unit]".
std::vector<std::string> quantitiesOf(std::string_view name) {
  std::vector<std::string> names;
  for (const Column& column : table(name).columns) {
    if (column.type == ColumnType::kKey) continue;
    names.push_back(column.unit == "-" ? std::string{column.name}
                                       : fmt::format("{} [{}]", column.name, column.unit));
  }
  return names;
}

/// Compares rows: first how many there are, then `numbers` from column `first` on, then what
/// `whole(row)` tells: pairs of a column and its value.
template <class Row, class Whole>
std::optional<Unlike> compareRows(std::string_view tableName, std::span<const Row> recorded,
                                  std::span<const Row> found, std::size_t first,
                                  const Whole& whole) {
  if (recorded.size() != found.size()) {
    return unlike(fmt::format("rows of {}", tableName), fmt::format("{}", recorded.size()),
                  fmt::format("{}", found.size()));
  }
  const std::vector<std::string> names = quantitiesOf(tableName);
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    for (std::size_t k = 0; k < recorded[i].numbers.size(); ++k) {
      auto difference =
          compareNumbers(names[first + k], recorded[i].numbers[k], found[i].numbers[k]);
      if (difference) return difference;
    }
    const auto a = whole(recorded[i]), b = whole(found[i]);
    for (std::size_t k = 0; k < a.size(); ++k) {
      auto difference = compareWhole(names[a[k].first], a[k].second, b[k].second);
      if (difference) return difference;
    }
  }
  return std::nullopt;
}

using Place = std::pair<std::size_t, std::uint32_t>;  ///< column without the key, value

}  // namespace

bool isSame(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

std::optional<Unlike> compareReports(const StepReport& recorded, const StepReport& found,
                                     std::int32_t schema) {
  StepReport a = recorded, b = found;
  // The hash first: it says that the run itself is another.
  if (a.step == b.step && a.hash != b.hash) {
    return unlike("hash", a.hash.toString(), b.hash.toString());
  }
  for (const StepColumn& column : stepColumns()) {
    if (column.isTime || column.column.since > schema) continue;
    if (auto difference = compareColumn(column, a, b)) return difference;
  }
  return std::nullopt;
}

std::optional<Unlike> compareStates(std::span<const BodyState> recorded,
                                    std::span<const BodyState> found) {
  // A body at a time, so that the difference can be told by its name.
  if (recorded.size() == found.size()) {
    for (std::size_t i = 0; i < recorded.size(); ++i) {
      auto difference = compareRows(
          "body_state_data", recorded.subspan(i, 1), found.subspan(i, 1), 1,
          [](const BodyState& s) {
            return std::array<Place, 3>{{{0, s.body}, {14, s.awake}, {15, s.island}}};
          });
      if (!difference) continue;
      difference->body = found[i].body;
      return difference;
    }
    return std::nullopt;
  }
  return compareRows("body_state_data", recorded, found, 1,
                     [](const BodyState&) { return std::array<Place, 0>{}; });
}

std::optional<Unlike> compareContacts(std::span<const ContactRow> recorded,
                                      std::span<const ContactRow> found) {
  return compareRows("contact_data", recorded, found, 2, [](const ContactRow& c) {
    return std::array<Place, 4>{{{0, c.bodyA}, {1, c.bodyB}, {16, c.state}, {17, c.feature}}};
  });
}

std::optional<Unlike> compareReactions(std::span<const ReactionRow> recorded,
                                       std::span<const ReactionRow> found) {
  return compareRows("joint_reaction_data", recorded, found, 1, [](const ReactionRow& r) {
    return std::array<Place, 2>{{{0, r.joint}, {8, r.broken}}};
  });
}

std::optional<Unlike> compareEvents(const RecordedEvent& recorded, const RecordedEvent& found) {
  if (recorded.kind != found.kind) return unlike("event kind", recorded.kind, found.kind);
  if (auto d = compareWhole("event body_a", recorded.bodyA, found.bodyA)) return d;
  if (auto d = compareWhole("event body_b", recorded.bodyB, found.bodyB)) return d;
  static constexpr std::array<std::string_view, 6> kNames{"event px [m]", "event py [m]",
                                                          "event pz [m]", "event nx",
                                                          "event ny",     "event nz"};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    if (auto d = compareNumbers(kNames[k], recorded.point[i], found.point[i])) return d;
    if (auto d = compareNumbers(kNames[3 + k], recorded.normal[i], found.normal[i])) return d;
  }
  return compareNumbers("event approach_speed [m/s]", recorded.approachSpeed, found.approachSpeed);
}

RecordedEvent recordedEvent(const msd_sim::ContactEvent& event, std::uint64_t step,
                            const BodyNumbers& numbers) {
  static constexpr std::string_view kKinds[] = {"begin", "end", "hit"};
  const bool isHit = event.kind == msd_sim::ContactEventKind::kHit;
  return {.step = step,
          .kind = std::string{kKinds[static_cast<std::size_t>(event.kind)]},
          .bodyA = numbers(event.bodyA),
          .bodyB = numbers(event.bodyB),
          .point = event.point,
          .normal = event.normal,
          .approachSpeed =
              isHit ? event.approachSpeed : std::numeric_limits<double>::quiet_NaN()};
}

}  // namespace msd_record
