#include "msd-sim/src/Physics/Constraints/Joints/JointMotion.hpp"

#include <cmath>

namespace msd_sim {

namespace {

// As in the body kernels: Newton's method on (T-9), and the largest turn taken in one part [rad].
constexpr int kMaxNewton = 8;
constexpr double kNewtonTolerance = 1e-15;
constexpr double kLargestTurn = 0.5;
constexpr int kMostTurns = 64;

Vector3D times(const double (&s)[6], const Vector3D& a) {
  return {s[0] * a[0] + s[3] * a[1] + s[4] * a[2], s[3] * a[0] + s[1] * a[1] + s[5] * a[2],
          s[4] * a[0] + s[5] * a[1] + s[2] * a[2]};
}

/// x - m0 - (h/2) x × Jx = 0.
Vector3D midpointMomentum(const Vector3D& m0, const double (&j)[6], double h) {
  Vector3D x = m0;
  const double limit = kNewtonTolerance * kNewtonTolerance * m0.squaredNorm();
  for (int i = 0; i < kMaxNewton; ++i) {
    const Vector3D jx = times(j, x);
    const Vector3D f = x - m0 - 0.5 * h * x.cross(jx);
    if (f.squaredNorm() <= limit) break;
    const Vector3D ja{j[0], j[3], j[4]}, jb{j[3], j[1], j[5]}, jc{j[4], j[5], j[2]};
    const Vector3D ca = Vector3D::UnitX() + 0.5 * h * (jx.cross(Vector3D::UnitX()) - x.cross(ja));
    const Vector3D cb = Vector3D::UnitY() + 0.5 * h * (jx.cross(Vector3D::UnitY()) - x.cross(jb));
    const Vector3D cc = Vector3D::UnitZ() + 0.5 * h * (jx.cross(Vector3D::UnitZ()) - x.cross(jc));
    const Vector3D bc = cb.cross(cc);
    const double inverse = 1.0 / ca.dot(bc);
    x -= inverse * Vector3D{f.dot(bc), ca.dot(f.cross(cc)), ca.dot(cb.cross(f))};
  }
  return x;
}

/// (T-11a): tan(φ)/φ with φ = h (m·Jm)/(2 |m|).
double stretch(const Vector3D& m, const double (&j)[6], double h) {
  const double spin = m.dot(times(j, m));
  const double squared = m.squaredNorm();
  if (!(squared > 0.0)) return 1.0;
  const double phi2 = 0.25 * h * h * spin * spin / squared;
  return (10395.0 + phi2 * (21.0 * phi2 - 1260.0)) /
         (10395.0 + phi2 * (phi2 * (210.0 - phi2) - 4725.0));
}

}  // namespace

DriftedPose drifted(const SolverBodies& bodies, std::uint32_t slot, double h) {
  const BodyMotion& motion = bodies.motion[slot];
  const BodyMass& mass = bodies.mass[slot];
  DriftedPose pose{vectorOf(bodies.pose[slot].x) + h * vectorOf(motion.v),
                   quaternionOf(bodies.pose[slot].q)};
  const Vector3D w = pose.q.conjugate() * vectorOf(motion.w);
  const double angle = h * w.norm();
  if (!(angle > 0.0)) return pose;
  int parts = 1;
  while (parts < kMostTurns && angle > kLargestTurn * parts) parts *= 2;
  Vector3D m = times(mass.inertia, w);
  const double part = stretch(m, mass.inverseInertia, h / parts) * (h / parts);
  for (int i = 0; i < parts; ++i) {
    const Vector3D mean = midpointMomentum(m, mass.inverseInertia, part);
    const Vector3D half = 0.5 * part * times(mass.inverseInertia, mean);
    pose.q = (pose.q * Quaternion{1.0, half.x(), half.y(), half.z()}).normalized();
    m = 2.0 * mean - m;
  }
  return pose;
}

}  // namespace msd_sim
