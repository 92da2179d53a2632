#pragma once

#include <vector>

#include <Eigen/Core>

#include "msd-sim/src/DataTypes/Id.hpp"
#include "msd-sim/src/DataTypes/Vector3D.hpp"

namespace msd_sim {

/// The free coordinates q of some joints, for control, at the moment it was made:
///
///   H q̈ + h = τ                                                                          (J-30)
///
/// with the mass matrix H, the forces h that gravity, applied forces, springs, dampers and the
/// motion itself ask for, and the forces τ of motors. Whatever else the mechanism can do, it does
/// freely: joints that are not listed follow, and so does a base that nothing holds. Dry friction,
/// stops, contacts and the motors that are there do not count. docs/theory/joints.md, section 8.
class Mechanism {
 public:
  /// Motion of one body for unit speeds of the coordinates.
  struct BodyMotion {
    BodyId body;
    Coordinate centre{0.0, 0.0, 0.0};  ///< of mass [m]
    Eigen::Matrix<double, 6, Eigen::Dynamic> jacobian;  ///< of the centre: linear, then angular
  };
  struct Values {
    Eigen::VectorXd position, velocity;
    Eigen::MatrixXd massMatrix;
    Eigen::VectorXd bias;
    std::vector<BodyMotion> bodies;
  };

  explicit Mechanism(Values values) : values_{std::move(values)} {}

  [[nodiscard]] Eigen::Index size() const { return values_.position.size(); }
  [[nodiscard]] const Eigen::VectorXd& position() const { return values_.position; }  ///< [rad], [m]
  [[nodiscard]] const Eigen::VectorXd& velocity() const { return values_.velocity; }
  [[nodiscard]] const Eigen::MatrixXd& massMatrix() const { return values_.massMatrix; }  ///< H
  /// h: the forces that keep the coordinates from accelerating [N·m], [N].
  [[nodiscard]] const Eigen::VectorXd& bias() const { return values_.bias; }
  /// τ for given accelerations.
  [[nodiscard]] Eigen::VectorXd inverseDynamics(const Eigen::VectorXd& acceleration) const;
  /// q̈ for given forces.
  [[nodiscard]] Eigen::VectorXd forwardDynamics(const Eigen::VectorXd& force) const;
  /// Rows: velocity of a point of the body (world axes, where it is now) [m/s], then its angular
  /// velocity [rad/s]; columns: the coordinates. Zero for a body that does not belong to it.
  [[nodiscard]] Eigen::Matrix<double, 6, Eigen::Dynamic> jacobian(BodyId body,
                                                                  const Coordinate& point) const;

 private:
  Values values_;
};

}  // namespace msd_sim
