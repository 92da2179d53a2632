#pragma once

#include <cmath>
#include <functional>
#include <numbers>

#include "msd-sim/src/Environment/WorldModel.hpp"

/// Small worlds that the tests of the exact mode share.
namespace msd_sim::exact_worlds {

inline constexpr double kDt = 1.0 / 60.0;  ///< [s]
inline constexpr double kG = 9.81;         ///< [m/s²]

[[nodiscard]] inline Settings exactSettings(double tolerance = 1e-8) {
  Settings s;
  s.gravity = {0.0, 0.0, -kG};
  s.method = Method::kExact;
  s.exactTolerance = tolerance;
  s.sleeping = false;
  return s;
}

/// Half space z <= 0.
inline BodyId addFloor(WorldModel& world, double friction, double restitution = 0.0) {
  return world.spawn(EnvironmentDescription{
      .name = "floor", .shape = Plane{}, .friction = friction, .restitution = restitution});
}

struct Block {
  Vector3D half{0.5, 0.5, 0.5};  ///< [m]
  Coordinate at{0.0, 0.0, 0.5};
  double friction{0.5};
  double density{1000.0};
  CoordinateRate velocity{0.0, 0.0, 0.0};
  Quaternion orientation{1.0, 0.0, 0.0, 0.0};
  double restitution{0.0};
};

inline BodyId addBlock(WorldModel& world, const Block& b) {
  return world.spawn(InertialDescription{.shape = Box{b.half},
                                         .density = b.density,
                                         .position = b.at,
                                         .orientation = b.orientation,
                                         .linearVelocity = b.velocity,
                                         .friction = b.friction,
                                         .restitution = b.restitution});
}

[[nodiscard]] inline const InertialState& stateOf(const WorldModel& world, BodyId body) {
  return world.inertial(body).getInertialState();
}

/// Fastest speed of any body, rotation counted with a lever of one metre [m/s].
[[nodiscard]] inline double fastest(const WorldModel& world) {
  double speed = 0.0;
  for (const BodyId id : world.bodies()) {
    if (world.isEnvironment(id)) continue;
    const InertialState& s = stateOf(world, id);
    speed = std::fmax(speed, s.velocity.norm() + s.angularVelocity.norm());
  }
  return speed;
}

/// Largest value at which `stands` holds, between one where it does and one where it does not.
[[nodiscard]] inline double bisect(double standing, double falling, int halvings,
                                   const std::function<bool(double)>& stands) {
  for (int i = 0; i < halvings; ++i) {
    const double middle = 0.5 * (standing + falling);
    (stands(middle) ? standing : falling) = middle;
  }
  return 0.5 * (standing + falling);
}

}  // namespace msd_sim::exact_worlds
