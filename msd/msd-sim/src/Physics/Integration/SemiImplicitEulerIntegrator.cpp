#include "msd-sim/src/Physics/Integration/SemiImplicitEulerIntegrator.hpp"

#include <Eigen/LU>

#include "msd-sim/src/DataTypes/Rotation.hpp"
#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

InertialState SemiImplicitEulerIntegrator::step(const InertialState& state,
                                                const IntegratedBody& body,
                                                const SpatialVector& load, double dt) const {
  requirePositive(dt, "dt", "s");
  requirePositive(body.mass, "mass", "kg");
  const Matrix3D inertia = requireInertia(body.inertia, "inertia");
  const Matrix3D R_WB = state.orientation.toRotationMatrix();
  const Matrix3D inertia_W = R_WB * inertia * R_WB.transpose();
  InertialState next = state;
  next.velocity += (dt / body.mass) * load.linear;
  const Vector3D& w = state.angularVelocity;
  next.angularVelocity += dt * (inertia_W.inverse() * (load.angular - w.cross(inertia_W * w)));
  next.position += dt * next.velocity;
  next.orientation = exponentialRotation(dt * next.angularVelocity) * state.orientation;
  next.orientation.normalize();
  return next;
}

}  // namespace msd_sim
