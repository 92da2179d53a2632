#pragma once

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/SolverBodies.hpp"

namespace msd_sim {

/// A phase that has been solved.
struct PhaseEnd {
  double lead;  ///< see PhaseKick [s]
  bool passed{
      false};  ///< the body kernels have passed, and have left the mean velocities in BodyMean
};

/// Mean velocities of a body over a phase: with them the works of its constraints are measured
/// (L-7).
struct MeanMotion {
  Vector3D v, w;

  MeanMotion(const SolverBodies& bodies, std::uint32_t slot, const PhaseEnd& end) {
    if (end.passed) {
      v = vectorOf(bodies.mean[slot].v);
      w = vectorOf(bodies.mean[slot].w);
      return;
    }
    const BodyMotion& now = bodies.motion[slot];
    const BodyBefore& before = bodies.before[slot];
    v = 0.5 * (vectorOf(now.v) + vectorOf(before.v)) + end.lead * vectorOf(bodies.load[slot].a);
    w = 0.5 * (vectorOf(now.w) + vectorOf(before.w));
  }
};

/// Is it driven, or fixed? What is done on such a body is no work on the world's bodies: it gives
/// the opposite.
[[nodiscard]] inline bool cannotBePushed(const SolverBodies& bodies, std::uint32_t slot) {
  return !(bodies.motion[slot].inverseMass > 0.0);
}

}  // namespace msd_sim
