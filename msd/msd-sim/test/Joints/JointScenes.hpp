#pragma once

#include <span>
#include <string>

#include "msd-sim/src/Environment/WorldModel.hpp"

namespace msd_sim::joint_scenes {

/// A body of given mass and principal inertia that touches nothing.
inline InertialDescription body(const std::string& name, const Coordinate& place, double mass,
                                const Vector3D& inertia, double size = 0.1) {
  return {.name = name,
          .shape = Sphere{size},
          .mass = mass,
          .inertia = Matrix3D{inertia.asDiagonal()},
          .centreOfMass = Coordinate::Zero(),
          .position = place,
          .collides = false};
}

/// A point mass, as far as a rigid body can be one.
inline InertialDescription bead(const std::string& name, const Coordinate& place,
                                double mass = 1.0) {
  return body(name, place, mass, {1e-9, 1e-9, 1e-9}, 1e-3);
}

/// A rod from a to b, along one of the axes: a square bar of the given width.
inline InertialDescription rod(const Coordinate& a, const Coordinate& b, double mass,
                               double width) {
  const Vector3D d = b - a;
  const double length = d.norm();
  const double across = mass * (length * length + width * width) / 12.0;
  const double along = mass * width * width / 6.0;
  Vector3D inertia{across, across, across};
  for (int c = 0; c < 3; ++c) {
    if (std::abs(d[c]) > 0.5 * length) inertia[c] = along;
  }
  return body("", 0.5 * (a + b), mass, inertia, 0.5 * length);
}

/// Kinetic and gravitational energy of some bodies [J].
inline double energy(const WorldModel& world, std::span<const BodyId> bodies,
                     const Acceleration& gravity = {0.0, -9.81, 0.0}) {
  double sum = 0.0;
  for (const BodyId id : bodies) {
    const AssetInertial& b = world.inertial(id);
    const InertialState& s = b.getInertialState();
    const Vector3D w = s.orientation.conjugate() * s.angularVelocity;
    sum += 0.5 * b.getMass() * s.velocity.squaredNorm() + 0.5 * w.dot(b.getInertiaTensor() * w) -
           b.getMass() * gravity.dot(s.position);
  }
  return sum;
}

/// World place of a point fixed to a body, given in its axes from the centre of mass.
inline Coordinate pointOf(const WorldModel& world, BodyId body, const Vector3D& local) {
  const InertialState& s = world.inertial(body).getInertialState();
  return s.position + s.orientation * local;
}

}  // namespace msd_sim::joint_scenes
