#pragma once

#include <string>
#include <string_view>

#include "msd-scene/src/ValidateScene.hpp"

namespace msd_scene {

/// An interval of allowed numbers.
struct Range {
  double low;
  double high;
  std::string_view unit;
  bool aboveLow{false};  ///< low itself is not allowed

  [[nodiscard]] bool contains(double value) const {
    return (aboveLow ? value > low : value >= low) && value <= high;
  }
  /// "a number > 0 and <= 1000 [kg]"
  [[nodiscard]] std::string describe() const;
};

/// Collects issues. Paths are given as functions, so that a right value costs nothing.
class IssueList {
 public:
  explicit IssueList(std::vector<SceneIssue>& issues) : issues_{issues} {}

  /// Are there as many errors as are kept? Further ones are only counted.
  [[nodiscard]] bool isFull() const { return error_count_ >= Validation::kMaxIssues; }
  void error(JsonPath path, std::string found, std::string expected);
  void warning(JsonPath path, std::string found, std::string expected);

  template <class MakePath>
  bool demand(double value, const Range& range, MakePath&& makePath) {
    if (range.contains(value)) return true;
    outOfRange(makePath(), value, range);
    return false;
  }
  template <class MakePath>
  bool demandVector(const Vector3D& v, double most, std::string_view unit, MakePath&& makePath) {
    bool good = true;
    for (int i = 0; i < 3; ++i) {
      good &= demand(v[i], {-most, most, unit}, [&] { return makePath() / std::size_t(i); });
    }
    return good;
  }
  /// Unit length to Limits::kUnitTolerance.
  template <class MakePath>
  bool demandUnit(double squaredLength, MakePath&& makePath) {
    if (isUnit(squaredLength)) return true;
    notUnit(makePath(), squaredLength);
    return false;
  }

 private:
  [[nodiscard]] static bool isUnit(double squaredLength);
  void add(SceneIssue issue);
  void outOfRange(JsonPath path, double value, const Range& range);
  void notUnit(JsonPath path, double squaredLength);
  std::vector<SceneIssue>& issues_;
  std::size_t error_count_{0};
  std::size_t warning_count_{0};
};

}  // namespace msd_scene
