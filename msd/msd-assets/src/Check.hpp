#pragma once

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>

#include "msd-assets/src/Tolerances.hpp"

/// Private to the library: refusals that name the quantity, its value and what was expected.
namespace msd_assets::check {

/// "Sphere.radius = -1 m: expected a positive, finite length".
[[noreturn]] inline void refuse(std::string_view name, const std::string& value,
                                std::string_view expected) {
  throw std::invalid_argument{fmt::format("{} = {}: expected {}", name, value, expected)};
}

inline std::string text(const Eigen::Vector3d& v) {
  return fmt::format("({}, {}, {})", v.x(), v.y(), v.z());
}

inline void positiveLength(std::string_view name, double value) {
  if (!(value > 0.0) || !std::isfinite(value)) {
    refuse(name, fmt::format("{} m", value), "a positive, finite length");
  }
}

/// A coordinate that is finite and within the range that a double resolves.
inline bool isCoordinate(double value) {
  return std::abs(value) <= tolerances::kMaxCoordinate;  // false for NaN
}

inline bool isPoint(const Eigen::Vector3d& p) {
  return isCoordinate(p.x()) && isCoordinate(p.y()) && isCoordinate(p.z());
}

inline std::string coordinateRange() {
  return fmt::format("finite coordinates of at most {:g} m", tolerances::kMaxCoordinate);
}

/// The longest side of a shape's bounds lies in the range the engine works in. `value` is the
/// quantity that sets it.
inline void size(std::string_view name, double value, double longestSide) {
  using namespace tolerances;
  if (longestSide < kMinSize || longestSide > kMaxSize) {
    refuse(name, fmt::format("{} m", value),
           fmt::format("a longest side between {:g} m and {:g} m, not {:g} m", kMinSize, kMaxSize,
                       longestSide));
  }
}

inline void size(std::string_view name, double longestSide) {
  size(name, longestSide, longestSide);
}

}  // namespace msd_assets::check
