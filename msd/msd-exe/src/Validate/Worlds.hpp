#pragma once

#include <cmath>
#include <numbers>

#include "msd-sim/src/Environment/WorldModel.hpp"

/// Small worlds that the phenomena share.
namespace msd_exe {

using msd_sim::BodyId;
using msd_sim::Coordinate;
using msd_sim::EnvironmentDescription;
using msd_sim::InertialDescription;
using msd_sim::InertialState;
using msd_sim::Settings;
using msd_sim::Vector3D;
using msd_sim::WorldModel;

inline constexpr double kStep = 1.0 / 60.0;  ///< [s]
inline constexpr double kGravity = 9.81;     ///< [m/s²]
inline const Vector3D kWeightless{0.0, 0.0, 0.0};

/// Floor with its top at z = 0.
inline BodyId addFloor(WorldModel& world, double friction, double restitution) {
  return world.spawn(EnvironmentDescription{.name = "floor",
                                            .shape = msd_sim::Box{{50.0, 50.0, 1.0}},
                                            .position = {0.0, 0.0, -1.0},
                                            .friction = friction,
                                            .restitution = restitution});
}

[[nodiscard]] inline const InertialState& stateOf(const WorldModel& world, BodyId body) {
  return world.inertial(body).getInertialState();
}

inline void run(WorldModel& world, int steps, double dt = kStep) {
  for (int i = 0; i < steps; ++i) world.update(dt);
}

/// About the world's origin [kg·m²/s].
[[nodiscard]] inline Vector3D angularMomentum(const WorldModel& world, BodyId body) {
  const auto& asset = world.inertial(body);
  const InertialState& s = asset.getInertialState();
  const msd_sim::Matrix3D r = s.orientation.toRotationMatrix();
  const msd_sim::Matrix3D inertia = r * asset.getInertiaTensor() * r.transpose();
  return asset.getMass() * s.position.cross(s.velocity) + inertia * s.angularVelocity;
}

[[nodiscard]] inline double degrees(double angle) {
  return angle * std::numbers::pi / 180.0;
}

}  // namespace msd_exe
