#pragma once

#include <random>

#include "msd-sim/src/DataTypes/Quaternion.hpp"
#include "msd-sim/src/Physics/RigidBody/InertialState.hpp"

namespace msd_sim::test_states {

/// Reproducible random states and vectors.
class Source {
 public:
  explicit Source(unsigned seed) : engine_{seed} {}
  double number(double low = -1.0, double high = 1.0) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1.0p-53;
  }
  Vector3D vector() { return {number(), number(), number()}; }
  Vector3D direction() {
    for (;;) {
      const Vector3D v = vector();
      if (v.norm() > 0.1 && v.norm() < 1.0) return v.normalized();
    }
  }
  InertialState state() {
    InertialState s;
    s.position = vector();
    s.orientation = Quaternion{number(), number(), number(), number()}.normalized();
    s.velocity = vector();
    s.angularVelocity = vector();
    return s;
  }

 private:
  std::mt19937_64 engine_;
};

/// The state after moving by `d` and turning by `angle` (small vectors, world axes).
inline InertialState moved(InertialState s, const Vector3D& d, const Vector3D& angle) {
  s.position += d;
  s.orientation = cayleyRotation(angle) * s.orientation;
  return s;
}

}  // namespace msd_sim::test_states
