#include "msd-record/src/ReadRows.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <limits>

#include "msd-record/src/StepColumns.hpp"
#include "msd-sim/src/Diagnostics/FaultText.hpp"

namespace msd_record {

namespace {

std::uint32_t count(const Statement& statement, int column) {
  const std::int64_t value = statement.integer(column);
  if (value < 0 || value > std::numeric_limits<std::uint32_t>::max()) {
    throw SqliteError{SQLITE_CORRUPT,
                      fmt::format("found {}, expected a number of a thing or a count", value)};
  }
  return static_cast<std::uint32_t>(value);
}

template <std::size_t n>
void readNumbers(const Statement& statement, int first, std::array<double, n>& numbers) {
  for (std::size_t i = 0; i < n; ++i) {
    numbers[i] = statement.real(first + static_cast<int>(i));
  }
}

/// Longest time a run can come to [s]: the most steps of the longest length, many times over.
constexpr double kLongestTime = 1e12;

void requireTime(double time) {
  if (time >= 0.0 && time <= kLongestTime) return;
  throw SqliteError{SQLITE_CORRUPT,
                    fmt::format("found a time of {} s, expected 0 to {}", time, kLongestTime)};
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

msd_sim::Hash128 readHash(const std::string& text) {
  msd_sim::Hash128 hash;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int value = digit(text[i]);
    if (value < 0 || text.size() != 32) {
      throw SqliteError{SQLITE_CORRUPT, "a hash is not 32 hexadecimal digits"};
    }
    std::uint64_t& half = i < 16 ? hash.high : hash.low;
    half = (half << 4) | static_cast<std::uint64_t>(value);
  }
  return hash;
}

msd_sim::StepStatus readStatus(const std::string& text) {
  for (const auto status : {msd_sim::StepStatus::kOk, msd_sim::StepStatus::kDegraded,
                            msd_sim::StepStatus::kFailed}) {
    if (text == msd_sim::statusName(status)) return status;
  }
  throw SqliteError{SQLITE_CORRUPT, "a step has an unknown status"};
}

msd_sim::StepFaults readStepFaults(const std::string& text) {
  if (const auto faults = msd_sim::readFaults(text)) return *faults;
  throw SqliteError{SQLITE_CORRUPT, "a step has an unknown fault"};
}

}  // namespace

template <>
BodyState readRow<BodyState>(const Statement& s, int first) {
  BodyState row{.body = count(s, first)};
  readNumbers(s, first + 1, row.numbers);
  row.awake = count(s, first + 14);
  row.island = s.isNull(first + 15) ? BodyState::kNoIsland : count(s, first + 15);
  return row;
}

template <>
ContactRow readRow<ContactRow>(const Statement& s, int first) {
  ContactRow row{.bodyA = count(s, first),
                 .bodyB = count(s, first + 1),
                 .state = count(s, first + 16),
                 .feature = count(s, first + 17)};
  readNumbers(s, first + 2, row.numbers);
  return row;
}

template <>
ReactionRow readRow<ReactionRow>(const Statement& s, int first) {
  ReactionRow row{.joint = count(s, first), .broken = count(s, first + 8)};
  readNumbers(s, first + 1, row.numbers);
  return row;
}

double readTime(const Statement& s, int column) {
  const double time = s.real(column);
  requireTime(time);
  return time;
}

RecordedStep readStep(const Statement& s) {
  RecordedStep result;
  msd_sim::StepReport& r = result.report;
  int i = 0;
  for (const StepColumn& column : stepColumns()) {
    switch (column.value) {
      case StepValue::kStep:
        r.step = static_cast<std::uint64_t>(s.integer(i));
        break;
      case StepValue::kReal:
        column.real(r) = s.real(i);
        break;
      case StepValue::kCount:
        column.count(r) = count(s, i);
        break;
      case StepValue::kLargeCount:
        column.largeCount(r) = static_cast<std::uint64_t>(s.integer(i));
        break;
      case StepValue::kStatus:
        r.status = readStatus(s.text(i));
        break;
      case StepValue::kFaults:
        r.faults = readStepFaults(s.text(i));
        break;
      case StepValue::kHash:
        r.hash = readHash(s.text(i));
        break;
      case StepValue::kWall:
        result.wall = s.real(i);
        break;
    }
    ++i;
  }
  requireTime(r.time);
  return result;
}

RecordedEvent readEvent(const Statement& s) {
  return {.step = static_cast<std::uint64_t>(s.integer(1)),
          .kind = s.text(2),
          .bodyA = s.integer(3),
          .bodyB = s.integer(4),
          .point = {s.real(5), s.real(6), s.real(7)},
          .normal = {s.real(8), s.real(9), s.real(10)},
          .approachSpeed = s.real(11)};
}

}  // namespace msd_record
