#include "msd-sim/src/Physics/Integration/MomentumIntegrator.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

namespace {

constexpr int kMaxNewton = 8;
// Newton has converged when a step began with a residual below this share of the momentum.
constexpr double kNewtonTolerance = 1e-9;
// A body that turns farther than this in one step turns in several equal parts [rad].
constexpr double kLargestTurn = 0.5;
constexpr int kMostTurns = 64;

Matrix3D crossMatrix(const Vector3D& v) {
  Matrix3D m;
  m << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return m;
}

/// m̄ of m̄ - m₀ - ½h m̄ × Jm̄ = 0.
Vector3D midpointMomentum(const Vector3D& m0, const Matrix3D& J, double h) {
  Vector3D m = m0;
  for (int i = 0; i < kMaxNewton; ++i) {
    const Vector3D Jm = J * m;
    const Vector3D residual = m - m0 - 0.5 * h * m.cross(Jm);
    if (residual.squaredNorm() == 0.0) break;
    const Matrix3D slope = Matrix3D::Identity() + 0.5 * h * (crossMatrix(Jm) - crossMatrix(m) * J);
    m -= slope.inverse() * residual;
    if (residual.norm() <= kNewtonTolerance * m0.norm()) break;
  }
  return m;
}

/// tan(φ)/φ, φ = ½h m·Jm/|m|.
double stretch(const Vector3D& m, const Matrix3D& J, double h) {
  const double m2 = m.squaredNorm();
  if (!(m2 > 0.0)) return 1.0;
  const double rate = 0.5 * h * m.dot(J * m);
  const double t = rate * rate / m2;
  return (10395.0 + t * (-1260.0 + 21.0 * t)) / (10395.0 + t * (-4725.0 + t * (210.0 - t)));
}

}  // namespace

InertialState MomentumIntegrator::step(const InertialState& state, const IntegratedBody& body,
                                       const SpatialVector& load, double dt) const {
  requirePositive(dt, "dt", "s");
  requirePositive(body.mass, "mass", "kg");
  const Matrix3D inertia = requireInertia(body.inertia, "inertia");
  const Matrix3D J = inertia.inverse();
  const double half = 0.5 * dt;
  InertialState next = state;

  // Kick. The torque is constant in the world.
  next.velocity += (half / body.mass) * load.linear;
  Vector3D m = inertia * (state.orientation.conjugate() * state.angularVelocity) +
               half * (state.orientation.conjugate() * load.angular);

  // Drift.
  next.position += dt * next.velocity;
  const double angle = dt * (J * m).norm();
  int parts = 1;
  while (parts < kMostTurns && angle > kLargestTurn * parts) parts *= 2;
  const double part = stretch(m, J, dt / parts) * (dt / parts);
  for (int i = 0; i < parts; ++i) {
    const Vector3D mean = midpointMomentum(m, J, part);
    const Vector3D turn = 0.5 * part * (J * mean);
    next.orientation = next.orientation * Quaternion{1.0, turn.x(), turn.y(), turn.z()};
    next.orientation.normalize();
    m = 2.0 * mean - m;
  }

  // Kick.
  next.velocity += (half / body.mass) * load.linear;
  m += half * (next.orientation.conjugate() * load.angular);
  next.angularVelocity = next.orientation * (J * m);
  return next;
}

}  // namespace msd_sim
