#include "msd-scene/src/IssueList.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "msd-scene/src/Limits.hpp"

namespace msd_scene {

std::string Range::describe() const {
  return aboveLow ? fmt::format("a number > {} and <= {} {}", low, high, unit)
                  : fmt::format("a number from {} to {} {}", low, high, unit);
}

void IssueList::add(SceneIssue issue) {
  // Counted apart, so that many warnings never crowd out an error.
  std::size_t& count =
      issue.severity == SceneIssue::Severity::kError ? error_count_ : warning_count_;
  if (count++ < Validation::kMaxIssues) issues_.push_back(std::move(issue));
}

void IssueList::error(JsonPath path, std::string found, std::string expected) {
  add({SceneIssue::Severity::kError, std::move(path), std::move(found), std::move(expected)});
}

void IssueList::warning(JsonPath path, std::string found, std::string expected) {
  add({SceneIssue::Severity::kWarning, std::move(path), std::move(found), std::move(expected)});
}

void IssueList::outOfRange(JsonPath path, double value, const Range& range) {
  error(std::move(path), fmt::format("{}", value), range.describe());
}

bool IssueList::isUnit(double squaredLength) {
  return std::abs(std::sqrt(squaredLength) - 1.0) <= Limits::kUnitTolerance;
}

void IssueList::notUnit(JsonPath path, double squaredLength) {
  error(std::move(path), fmt::format("a length of {:.6g}", std::sqrt(squaredLength)),
        fmt::format("1 (to {})", Limits::kUnitTolerance));
}

}  // namespace msd_scene
