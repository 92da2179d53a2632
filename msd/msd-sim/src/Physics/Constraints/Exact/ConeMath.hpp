#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "msd-sim/src/Physics/Constraints/Exact/FrictionProblem.hpp"

namespace msd_sim {

enum class ConeState : std::uint8_t { kOpen, kStick, kSlip };

/// Orthogonal projection on K_µ = { |x_T| <= µ x_N }.
[[nodiscard]] inline Eigen::Vector3d projectOntoCone(const Eigen::Vector3d& x, double mu) {
  const double tangent = std::sqrt(x[1] * x[1] + x[2] * x[2]);
  if (mu * tangent <= -x[0]) return Eigen::Vector3d::Zero();
  if (tangent <= mu * x[0]) return x;
  const double normal = (mu * tangent + x[0]) / (1.0 + mu * mu);
  const double scale = mu * normal / tangent;
  return {normal, scale * x[1], scale * x[2]};
}

/// The nearest point of K_µ with the same (or zero) normal part: shortens the tangential part.
[[nodiscard]] inline Eigen::Vector3d clampToCone(const Eigen::Vector3d& x, double mu) {
  if (!(x[0] > 0.0)) return Eigen::Vector3d::Zero();
  const double tangent = std::sqrt(x[1] * x[1] + x[2] * x[2]);
  const double limit = mu * x[0];
  if (tangent <= limit) return x;
  const double scale = limit / tangent;
  return {x[0], scale * x[1], scale * x[2]};
}

/// (E-6): Coulomb's law as a function (Alart and Curnier 1991): with z = (ζ_N/s_N, ζ_T/s_T),
///
///   r_N = max(0, z_N),   r_T = z_T clipped to the disc of radius µ r_N.
///
/// `response` is ∂r/∂ζ.
struct CoulombResponse {
  Eigen::Vector3d impulse;
  ConeState state;
};

[[nodiscard]] inline CoulombResponse coulombImpulse(const Eigen::Vector3d& zeta,
                                                    double inverseNormalStiffness,
                                                    double inverseTangentStiffness, double mu) {
  const double normal = zeta[0] * inverseNormalStiffness;
  if (!(normal > 0.0)) return {Eigen::Vector3d::Zero(), ConeState::kOpen};
  const double t1 = zeta[1] * inverseTangentStiffness;
  const double t2 = zeta[2] * inverseTangentStiffness;
  const double radius = mu * normal;
  const double squared = t1 * t1 + t2 * t2;
  if (mu > 0.0 && squared <= radius * radius) return {{normal, t1, t2}, ConeState::kStick};
  const double length = std::sqrt(squared);
  const double scale = length > 0.0 ? radius / length : 0.0;
  return {{normal, scale * t1, scale * t2}, ConeState::kSlip};
}

[[nodiscard]] inline ContactBlock coulombDerivative(const Eigen::Vector3d& zeta,
                                                    double inverseNormalStiffness,
                                                    double inverseTangentStiffness, double mu,
                                                    ConeState state) {
  ContactBlock response = ContactBlock::Zero();
  if (state == ConeState::kOpen) return response;
  response(0, 0) = inverseNormalStiffness;
  if (state == ConeState::kStick) {
    response(1, 1) = inverseTangentStiffness;
    response(2, 2) = inverseTangentStiffness;
    return response;
  }
  const double t1 = zeta[1] * inverseTangentStiffness;
  const double t2 = zeta[2] * inverseTangentStiffness;
  const double length = std::sqrt(t1 * t1 + t2 * t2);
  if (!(length > 0.0)) return response;
  const double d1 = t1 / length;
  const double d2 = t2 / length;
  response(1, 0) = mu * d1 * inverseNormalStiffness;
  response(2, 0) = mu * d2 * inverseNormalStiffness;
  const double radius = mu * zeta[0] * inverseNormalStiffness;
  const double turn = radius / length * inverseTangentStiffness;
  response(1, 1) = turn * d2 * d2;
  response(1, 2) = -turn * d1 * d2;
  response(2, 1) = -turn * d1 * d2;
  response(2, 2) = turn * d1 * d1;
  return response;
}

}  // namespace msd_sim
