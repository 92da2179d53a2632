#include "msd-sim/src/Physics/Integration/SemiImplicitEulerIntegrator.hpp"

#include <Eigen/LU>

#include "msd-sim/src/DataTypes/Rotation.hpp"
#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

namespace {

// Each brings the spin halfway nearer by about a quarter of the angle of the step: 12 leave
// rounding at angles of 0.1 rad.
constexpr int kSpinSweeps = 12;

}  // namespace

InertialState SemiImplicitEulerIntegrator::step(const InertialState& state,
                                                const IntegratedBody& body,
                                                const SpatialVector& load, double dt) const {
  requirePositive(dt, "dt", "s");
  requirePositive(body.mass, "mass", "kg");
  const Matrix3D inertia = requireInertia(body.inertia, "inertia");
  const Matrix3D inverse = inertia.inverse();
  const auto turned = [](const Quaternion& q, const Matrix3D& m, const Vector3D& a) -> Vector3D {
    return q * (m * (q.conjugate() * a));
  };
  InertialState next = state;
  next.velocity += (dt / body.mass) * load.linear;
  next.position += dt * next.velocity;
  const Vector3D momentum =
      turned(state.orientation, inertia, state.angularVelocity) + dt * load.angular;
  // The spin halfway, which turns the body to where that spin is: read backwards the step is the
  // same, so that the energy of a free top comes back and does not drift.
  Vector3D spin = turned(state.orientation, inverse, momentum);
  for (int sweep = 0; sweep < kSpinSweeps; ++sweep) {
    const Quaternion middle = exponentialRotation(0.5 * dt * spin) * state.orientation;
    spin = turned(middle, inverse, momentum);
  }
  next.orientation = exponentialRotation(dt * spin) * state.orientation;
  next.orientation.normalize();
  next.angularVelocity = turned(next.orientation, inverse, momentum);
  return next;
}

}  // namespace msd_sim
