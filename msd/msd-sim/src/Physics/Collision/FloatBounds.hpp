#pragma once

#include <cmath>
#include <limits>

/// Private to the library: bounds in single precision that never cut into what they hold.
namespace msd_sim {

[[nodiscard]] inline float roundDown(double x) {
  const auto f = static_cast<float>(x);
  return static_cast<double>(f) > x ? std::nextafter(f, -std::numeric_limits<float>::infinity()) : f;
}

[[nodiscard]] inline float roundUp(double x) {
  const auto f = static_cast<float>(x);
  return static_cast<double>(f) < x ? std::nextafter(f, std::numeric_limits<float>::infinity()) : f;
}

}  // namespace msd_sim
