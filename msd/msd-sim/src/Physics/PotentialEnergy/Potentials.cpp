#include "msd-sim/src/Physics/PotentialEnergy/Potentials.hpp"

#include <limits>

#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

GravityPotential::GravityPotential(const Acceleration& gravity)
    : gravity_{requireFinite(gravity, "gravity", "m/s²")} {}

Force GravityPotential::computeForce(const InertialState&, double mass) const {
  return mass * gravity_;
}

double GravityPotential::computeEnergy(const InertialState& state, double mass) const {
  return -mass * gravity_.dot(state.position);
}

PointGravityPotential::PointGravityPotential(const Coordinate& centre, double mu, double radius)
    : centre_{requireFinite(centre, "centre", "m")},
      mu_{requirePositive(mu, "mu", "m³/s²")},
      radius_{requirePositive(radius, "radius", "m")} {}

// Outside: F = -m μ d/r³. Inside a ball of radius R: F = -m μ d/R³.
Force PointGravityPotential::computeForce(const InertialState& state, double mass) const {
  const Vector3D d = state.position - centre_;
  const double r = std::max(d.norm(), radius_);
  return (-mass * mu_ / (r * r * r)) * d;
}

// Outside: U = -m μ/r. Inside: U = -m μ (3R² - r²)/(2R³), which agrees at r = R.
double PointGravityPotential::computeEnergy(const InertialState& state, double mass) const {
  const double r2 = (state.position - centre_).squaredNorm();
  if (r2 >= radius_ * radius_) return -mass * mu_ / std::sqrt(r2);
  return -mass * mu_ * (3.0 * radius_ * radius_ - r2) / (2.0 * radius_ * radius_ * radius_);
}

UniformForcePotential::UniformForcePotential(const Force& force, const Coordinate& localPoint)
    : force_{requireFinite(force, "force", "N")},
      local_point_{requireFinite(localPoint, "localPoint", "m")} {}

Force UniformForcePotential::computeForce(const InertialState&, double) const { return force_; }

Torque UniformForcePotential::computeTorque(const InertialState& state, const Matrix3D&) const {
  return (state.orientation * local_point_).cross(force_);
}

double UniformForcePotential::computeEnergy(const InertialState& state, double) const {
  return -force_.dot(state.position + state.orientation * local_point_);
}

AnchorSpringPotential::AnchorSpringPotential(const Coordinate& anchor, const Coordinate& localPoint,
                                             double stiffness, double length)
    : anchor_{requireFinite(anchor, "anchor", "m")},
      local_point_{requireFinite(localPoint, "localPoint", "m")},
      stiffness_{requirePositive(stiffness, "stiffness", "N/m")},
      length_{requireRange(length, "length", "m", 0.0, std::numeric_limits<double>::max())} {}

Vector3D AnchorSpringPotential::arm(const InertialState& state) const {
  return state.orientation * local_point_;
}

Force AnchorSpringPotential::computeForce(const InertialState& state, double) const {
  const Vector3D d = state.position + arm(state) - anchor_;
  const double r = d.norm();
  if (r <= 0.0) return Force::Zero();
  return (-stiffness_ * (r - length_) / r) * d;
}

Torque AnchorSpringPotential::computeTorque(const InertialState& state, const Matrix3D&) const {
  return arm(state).cross(computeForce(state, 0.0));
}

double AnchorSpringPotential::computeEnergy(const InertialState& state, double) const {
  const double stretch = (state.position + arm(state) - anchor_).norm() - length_;
  return 0.5 * stiffness_ * stretch * stretch;
}

std::unique_ptr<PotentialEnergy> GravityPotential::clone() const {
  return std::make_unique<GravityPotential>(*this);
}

std::unique_ptr<PotentialEnergy> PointGravityPotential::clone() const {
  return std::make_unique<PointGravityPotential>(*this);
}

std::unique_ptr<PotentialEnergy> UniformForcePotential::clone() const {
  return std::make_unique<UniformForcePotential>(*this);
}

std::unique_ptr<PotentialEnergy> AnchorSpringPotential::clone() const {
  return std::make_unique<AnchorSpringPotential>(*this);
}

}  // namespace msd_sim
