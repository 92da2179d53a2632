#pragma once

#include <cmath>

namespace msd_sim {

inline constexpr double kPi = 3.14159265358979323846;

/// Angle of the vector (x, y) in (-π, π] from +, *, / and sqrt alone: the same bits on every
/// machine, which the C library does not promise. Error below 4 units in the last place.
[[nodiscard]] inline double angleOf(double y, double x) {
  const double ax = std::fabs(x), ay = std::fabs(y);
  const double high = ax > ay ? ax : ay, low = ax > ay ? ay : ax;
  if (!(high > 0.0)) return 0.0;
  // atan t = 4 atan s, s from t by tan(a/2) = tan a/(1 + sqrt(1 + tan² a)), twice: s <= tan(π/16).
  double s = low / high;
  s = s / (1.0 + std::sqrt(1.0 + s * s));
  s = s / (1.0 + std::sqrt(1.0 + s * s));
  const double s2 = s * s;
  double sum = 0.0;  // 1 - s²/3 + s⁴/5 - ..., to s²²
  for (int k = 11; k >= 0; --k) sum = 1.0 / (2 * k + 1) - s2 * sum;
  double angle = 4.0 * s * sum;
  if (ay > ax) angle = 0.5 * kPi - angle;
  if (x < 0.0) angle = kPi - angle;
  return y < 0.0 ? -angle : angle;
}

}  // namespace msd_sim
