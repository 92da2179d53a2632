#pragma once

#include <bit>
#include <cstdint>
#include <limits>

/// Private to the library: bounds in single precision that never cut into what they hold.
namespace msd_sim {

/// The next larger number of single precision, as std::nextafter finds it in a library.
[[nodiscard]] inline float nextAbove(float f) {
  if (!(f < std::numeric_limits<float>::infinity())) return f;
  if (f == 0.0f) return std::numeric_limits<float>::denorm_min();
  const auto bits = std::bit_cast<std::int32_t>(f);
  return std::bit_cast<float>(f > 0.0f ? bits + 1 : bits - 1);
}
[[nodiscard]] inline float nextBelow(float f) {
  return -nextAbove(-f);
}

[[nodiscard]] inline float roundDown(double x) {
  const auto f = static_cast<float>(x);
  return static_cast<double>(f) > x ? nextBelow(f) : f;
}

[[nodiscard]] inline float roundUp(double x) {
  const auto f = static_cast<float>(x);
  return static_cast<double>(f) < x ? nextAbove(f) : f;
}

}  // namespace msd_sim
