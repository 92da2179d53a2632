#pragma once

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointDefinition.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/SolverBodies.hpp"

namespace msd_sim {

/// World inverse inertia times a vector.
[[nodiscard]] inline Vector3D inverseInertiaTimes(const BodyMotion& m, const Vector3D& a) {
  return {m.inverseXX * a[0] + m.inverseXY * a[1] + m.inverseXZ * a[2],
          m.inverseXY * a[0] + m.inverseYY * a[1] + m.inverseYZ * a[2],
          m.inverseXZ * a[0] + m.inverseYZ * a[1] + m.inverseZZ * a[2]};
}

/// Adds a linear [N·s] and an angular [N·m·s] impulse.
inline void push(BodyMotion& m, const Vector3D& linear, const Vector3D& angular) {
  const Vector3D turn = inverseInertiaTimes(m, angular);
  for (int c = 0; c < 3; ++c) {
    m.v[c] += m.inverseMass * linear[c];
    m.w[c] += turn[c];
  }
}

/// Displaces a body [m] and turns it [rad], apart from its motion.
inline void moveBody(SolverBodies& bodies, std::uint32_t slot, const Vector3D& d, const Vector3D& theta) {
  BodyPose& pose = bodies.pose[slot];
  BodyShift& shift = bodies.shift[slot];
  const Vector3D half = 0.5 * theta;
  const Quaternion q = (Quaternion{1.0, half.x(), half.y(), half.z()} * quaternionOf(pose.q)).normalized();
  pose.q[0] = q.w(), pose.q[1] = q.x(), pose.q[2] = q.y(), pose.q[3] = q.z();
  for (int c = 0; c < 3; ++c) {
    pose.x[c] += d[c];
    shift.d[c] += d[c];
    shift.theta[c] += theta[c];
  }
}

[[nodiscard]] inline JointPlace placeOf(const SolverBodies& bodies, std::uint32_t a,
                                        std::uint32_t b) {
  return {vectorOf(bodies.pose[a].x),   vectorOf(bodies.pose[b].x),   quaternionOf(bodies.pose[a].q),
          quaternionOf(bodies.pose[b].q), 0.0,
          vectorOf(bodies.motion[a].v), vectorOf(bodies.motion[a].w),
          vectorOf(bodies.motion[b].v), vectorOf(bodies.motion[b].w)};
}

}  // namespace msd_sim
