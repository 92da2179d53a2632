#pragma once

#include "msd-sim/src/Physics/PotentialEnergy/CopyablePotential.hpp"

namespace msd_sim {

/// Uniform gravity: U = -m g·x.
class GravityPotential final : public CopyablePotential {
 public:
  explicit GravityPotential(const Acceleration& gravity);
  [[nodiscard]] Force computeForce(const InertialState& state, double mass) const override;
  [[nodiscard]] double computeEnergy(const InertialState& state, double mass) const override;
  [[nodiscard]] std::unique_ptr<PotentialEnergy> clone() const override;
  [[nodiscard]] const Acceleration& gravity() const { return gravity_; }

 private:
  Acceleration gravity_;
};

/// Attraction by a point mass: U = -m μ / |x - c|, with μ = G M [m³/s²]. Softened below `radius` [m],
/// where the field is that inside a homogeneous ball, so that it stays finite.
class PointGravityPotential final : public CopyablePotential {
 public:
  PointGravityPotential(const Coordinate& centre, double mu, double radius);
  [[nodiscard]] Force computeForce(const InertialState& state, double mass) const override;
  [[nodiscard]] double computeEnergy(const InertialState& state, double mass) const override;
  [[nodiscard]] std::unique_ptr<PotentialEnergy> clone() const override;

 private:
  Coordinate centre_;
  double mu_;
  double radius_;
};

/// A constant force F on a point p of the body: U = -F·(x + R p), torque R p × F. A dipole is two of
/// them; wind on a sail, lift of a float, a charge in a field are one.
class UniformForcePotential final : public CopyablePotential {
 public:
  /// `force` in world axes [N]; `localPoint` from the centre of mass in body axes [m].
  UniformForcePotential(const Force& force, const Coordinate& localPoint);
  [[nodiscard]] Force computeForce(const InertialState& state, double mass) const override;
  [[nodiscard]] Torque computeTorque(const InertialState& state,
                                     const Matrix3D& inertia) const override;
  [[nodiscard]] double computeEnergy(const InertialState& state, double mass) const override;
  [[nodiscard]] std::unique_ptr<PotentialEnergy> clone() const override;

 private:
  Force force_;
  Coordinate local_point_;
};

/// A spring from a fixed point of the world to a point of the body: U = ½ k (|p - a| - l)².
class AnchorSpringPotential final : public CopyablePotential {
 public:
  /// `localPoint` is given from the centre of mass in body axes [m]; stiffness [N/m], length [m].
  AnchorSpringPotential(const Coordinate& anchor, const Coordinate& localPoint, double stiffness,
                        double length);
  [[nodiscard]] Force computeForce(const InertialState& state, double mass) const override;
  [[nodiscard]] Torque computeTorque(const InertialState& state,
                                     const Matrix3D& inertia) const override;
  [[nodiscard]] double computeEnergy(const InertialState& state, double mass) const override;
  [[nodiscard]] std::unique_ptr<PotentialEnergy> clone() const override;

 private:
  [[nodiscard]] Vector3D arm(const InertialState& state) const;

  Coordinate anchor_;
  Coordinate local_point_;
  double stiffness_;
  double length_;
};

}  // namespace msd_sim
