#pragma once

#include <limits>

namespace msd_sim {

/// Between which values a constraint's multiplier λ may lie.
struct LambdaBounds {
  double lower;
  double upper;

  /// Pushes and pulls: joints.
  [[nodiscard]] static LambdaBounds bilateral() {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  /// Pushes only: contacts, stops.
  [[nodiscard]] static LambdaBounds unilateral() {
    return {0.0, std::numeric_limits<double>::infinity()};
  }
  /// Of limited strength: friction, motors.
  [[nodiscard]] static LambdaBounds boxConstrained(double lo, double hi) { return {lo, hi}; }

  [[nodiscard]] bool isBilateral() const {
    return lower == -std::numeric_limits<double>::infinity() &&
           upper == std::numeric_limits<double>::infinity();
  }
  [[nodiscard]] bool isUnilateral() const {
    return lower == 0.0 && upper == std::numeric_limits<double>::infinity();
  }
  [[nodiscard]] bool isBoxConstrained() const { return !isBilateral() && !isUnilateral(); }

  bool operator==(const LambdaBounds&) const = default;
};

}  // namespace msd_sim
