#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <stdexcept>

#include "msd-sim/src/DataTypes/Tolerances.hpp"

namespace msd_sim {

namespace {

std::string withUnit(std::string_view unit) {
  return unit.empty() ? std::string{} : fmt::format(" {}", unit);
}

}  // namespace

double requireRange(double value, std::string_view name, std::string_view unit, double low,
                    double high) {
  if (!(value >= low && value <= high)) {
    throw std::invalid_argument(fmt::format("{} is {}{}; expected {} to {}{}", name, value,
                                            withUnit(unit), low, high, withUnit(unit)));
  }
  return value;
}

double requirePositive(double value, std::string_view name, std::string_view unit) {
  if (!(value > 0.0 && std::isfinite(value))) {
    throw std::invalid_argument(fmt::format("{} is {}{}; expected a finite number > 0{}", name,
                                            value, withUnit(unit), withUnit(unit)));
  }
  return value;
}

Vector3D requireFinite(const Vector3D& value, std::string_view name, std::string_view unit) {
  if (!value.allFinite()) {
    throw std::invalid_argument(fmt::format("{} is ({}, {}, {}){}; expected finite numbers", name,
                                            value.x(), value.y(), value.z(), withUnit(unit)));
  }
  return value;
}

Quaternion requireUnit(const Quaternion& value, std::string_view name) {
  const double norm = value.norm();
  if (!(std::abs(norm - 1.0) <= kUnitQuaternionTolerance)) {
    throw std::invalid_argument(
        fmt::format("{} is ({}, {}, {}, {}) of length {}; expected a unit quaternion w, x, y, z",
                    name, value.w(), value.x(), value.y(), value.z(), norm));
  }
  return value.normalized();
}

Vector3D requireDirection(const Vector3D& value, std::string_view name) {
  const double norm = value.norm();
  if (!(norm > 0.0 && std::isfinite(norm))) {
    throw std::invalid_argument(
        fmt::format("{} is ({}, {}, {}); expected a direction: finite numbers, not all zero", name,
                    value.x(), value.y(), value.z()));
  }
  return value / norm;
}

Matrix3D requireInertia(const Matrix3D& value, std::string_view name) {
  const double scale = value.cwiseAbs().maxCoeff();
  if (!value.allFinite() || !(scale > 0.0) ||
      (value - value.transpose()).cwiseAbs().maxCoeff() > kInertiaTolerance * scale) {
    throw std::invalid_argument(fmt::format(
        "{} is not a finite symmetric matrix; expected an inertia tensor in kg·m²", name));
  }
  const Eigen::SelfAdjointEigenSolver<Matrix3D> eigen{value};
  const Vector3D& moments = eigen.eigenvalues();  // ascending
  if (!(moments.x() > 0.0)) {
    throw std::invalid_argument(fmt::format(
        "{} has a principal moment {} kg·m²; expected all three > 0", name, moments.x()));
  }
  if (moments.x() + moments.y() < moments.z() * (1.0 - kInertiaTolerance)) {
    throw std::invalid_argument(fmt::format(
        "{} has principal moments {}, {}, {} kg·m²; expected the largest at most the sum of the "
        "other two (no distribution of mass gives more)",
        name, moments.x(), moments.y(), moments.z()));
  }
  return 0.5 * (value + value.transpose());
}

}  // namespace msd_sim
