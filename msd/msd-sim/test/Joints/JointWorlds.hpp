#pragma once

#include <vector>

#include "JointScenes.hpp"

namespace msd_sim::joint_scenes {

/// A vertical net of beads 1 m apart, its top row fixed; large enough to be swept from a size of
/// about 25 on. Returns the beads row by row.
inline std::vector<BodyId> addNet(WorldModel& world, int size) {
  std::vector<BodyId> beads;
  std::vector<BodyId> above(static_cast<std::size_t>(size));
  for (int row = 1; row < size; ++row) {
    BodyId left{};
    for (int column = 0; column < size; ++column) {
      const Coordinate x{1.0 * column, 0, -1.0 * row};
      const BodyId bead =
          world.spawn(InertialDescription{.shape = Sphere{0.4}, .position = x, .collides = false});
      beads.push_back(bead);
      BodyId& top = above[static_cast<std::size_t>(column)];
      world.spawn(JointDescription{.bodyA = top, .bodyB = bead, .anchor = x + Vector3D{0, 0, 0.5}});
      if (column > 0) {
        world.spawn(
            JointDescription{.bodyA = left, .bodyB = bead, .anchor = x - Vector3D{0.5, 0, 0}});
      }
      left = top = bead;
    }
  }
  return beads;
}

/// Two-link arms with every kind of joint, motors, limits and friction, a chain that lies on the
/// floor, and a cart on a slider that a box rests on.
inline void addAllKinds(WorldModel& world, bool collides = true) {
  world.spawn(EnvironmentDescription{.shape = Plane{Vector3D::UnitZ(), 0.0}});
  const JointKind kinds[] = {JointKind::kBall,        JointKind::kHinge,     JointKind::kSlider,
                             JointKind::kCylindrical, JointKind::kUniversal, JointKind::kFixed,
                             JointKind::kDistance,    JointKind::kRope,      JointKind::kSpring};
  double x = 0.0;
  for (const JointKind kind : kinds) {
    for (int variant = 0; variant < 3; ++variant, x += 1.5) {
      InertialDescription d{
          .shape = Box{{0.3, 0.1, 0.1}}, .position = {x + 0.4, 0, 2}, .collides = collides};
      const BodyId upper = world.spawn(d);
      d.position.x() += 0.7;
      d.angularVelocity = {0.3, 0.5, -0.2};
      const BodyId lower = world.spawn(d);
      world.spawn(JointDescription{
          .kind = JointKind::kHinge, .bodyB = upper, .anchor = {x, 0, 2}, .axis = {0, 1, 0}});
      JointDescription joint{.kind = kind,
                             .bodyA = upper,
                             .bodyB = lower,
                             .anchor = {x + 0.75, 0, 2},
                             .axis = {0, 1, 0}};
      if (kind == JointKind::kDistance || kind == JointKind::kRope || kind == JointKind::kSpring) {
        joint.anchorB = Coordinate{x + 1.0, 0, 2};
      }
      if (kind == JointKind::kSpring) joint.stiffness = 2e4, joint.damping = 10.0;
      const bool drives = kind == JointKind::kHinge || kind == JointKind::kSlider ||
                          kind == JointKind::kCylindrical;
      if (drives && variant == 0) joint.motor = JointMotor{.target = 2.0, .maxForce = 50.0};
      if (drives && variant == 1) joint.limit = JointLimit{-0.2, 0.3};
      if (drives && variant == 2) joint.friction = 5.0;
      world.spawn(joint);
    }
  }
  BodyId last{};
  for (int i = 0; i < 12; ++i) {
    const BodyId link = world.spawn(InertialDescription{
        .shape = Capsule{0.05, 0.15}, .position = {0.0, 2.0, 0.3 + 0.4 * i}, .collides = collides});
    if (i > 0) {
      world.spawn(
          JointDescription{.bodyA = last, .bodyB = link, .anchor = {0.0, 2.0, 0.1 + 0.4 * i}});
    }
    last = link;
  }
  const BodyId cart = world.spawn(InertialDescription{
      .shape = Box{{0.5, 0.3, 0.1}}, .position = {0, -3, 1}, .collides = collides});
  world.spawn(JointDescription{.kind = JointKind::kSlider,
                               .bodyB = cart,
                               .anchor = {0, -3, 1},
                               .axis = {1, 0, 0},
                               .limit = JointLimit{-1.0, 1.0}});
  world.spawn(InertialDescription{.shape = Box{{0.2, 0.2, 0.2}},
                                  .position = {0, -3, 1.3},
                                  .linearVelocity = {0.8, 0, 0},
                                  .collides = collides});
}

}  // namespace msd_sim::joint_scenes
