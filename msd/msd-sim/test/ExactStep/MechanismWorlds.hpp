#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "msd-sim/src/Environment/WorldModel.hpp"

/// Mechanisms that swing, fall, grip and strike, and a judge that looks at them from outside.
namespace msd_sim::mechanisms {

inline constexpr double kG = 9.81;  ///< [m/s²]

[[nodiscard]] inline Settings settingsOf(Method method) {
  Settings s;
  s.gravity = {0.0, 0.0, -kG};
  s.method = method;
  s.sleeping = false;
  return s;
}

/// Bodies of a joint and its anchor and axis in the axes of both, taken when the joint was made.
struct Pin {
  BodyId a{}, b{};
  Vector3D onA{Vector3D::Zero()}, onB{Vector3D::Zero()};
  Vector3D axisA{Vector3D::Zero()}, axisB{Vector3D::Zero()};
  JointKind kind{JointKind::kBall};
};

/// A world, its joints as the judge knows them, and whether something drives it.
struct TestMechanism {
  explicit TestMechanism(const Settings& settings) : world{settings} {}
  WorldModel world;
  std::vector<Pin> pins;
  std::vector<JointId> joints;
  std::vector<BodyId> links;

  [[nodiscard]] Pose poseOf(BodyId body) const {
    if (body == BodyId{} || world.isEnvironment(body)) return {};
    const InertialState& s = world.inertial(body).getInertialState();
    return {s.position, s.orientation};
  }

  JointId join(const JointDescription& d) {
    const Pose a = poseOf(d.bodyA), b = poseOf(d.bodyB);
    pins.push_back({d.bodyA, d.bodyB, a.toLocal(d.anchor), b.toLocal(d.anchor),
                    a.orientation.conjugate() * d.axis, b.orientation.conjugate() * d.axis, d.kind});
    joints.push_back(world.spawn(d));
    return joints.back();
  }

  /// Largest distance of anchors [m], off a slider's axis where there is one, or tilt of axes [rad].
  [[nodiscard]] double jointError() const {
    double worst = 0.0;
    for (const Pin& p : pins) {
      const Pose a = poseOf(p.a), b = poseOf(p.b);
      Vector3D d = b.toWorld(p.onB) - a.toWorld(p.onA);
      const Vector3D axis = a.orientation * p.axisA;
      if (p.kind == JointKind::kSlider) d -= d.dot(axis) * axis;
      worst = std::max(worst, d.norm());
      if (p.kind == JointKind::kHinge || p.kind == JointKind::kSlider) {
        worst = std::max(worst, axis.cross(b.orientation * p.axisB).norm());
      }
    }
    return worst;
  }
};

/// What a run showed.
struct Trial {
  double jointError{0.0};   ///< largest, over all steps [m]
  double reported{0.0};     ///< the same by StepReport::jointError [m]
  double penetration{0.0};  ///< deepest [m]
  double rise{0.0};         ///< most that T + V rose over its least value so far [J]
  double low{0.0}, high{0.0};  ///< least and largest T + V against the start [J]
  double drift{0.0};        ///< mean of T + V over the last tenth against that over the first [J]
  double peak{0.0};         ///< largest kinetic energy [J]
  double certificate{0.0};  ///< worst velocity error of any row, relative
  double bilateral{0.0};    ///< worst row [m/s]
  int failed{0};            ///< steps whose status was not ok
  std::uint32_t substeps{0};
  double seconds{0.0};
  double slowest{0.0};

  [[nodiscard]] double riseShare() const { return peak > 0.0 ? rise / peak : 0.0; }
  [[nodiscard]] double spanShare() const { return peak > 0.0 ? (high - low) / peak : 0.0; }
  [[nodiscard]] double driftShare() const { return peak > 0.0 ? drift / peak : 0.0; }
};

template <class Each>
Trial watch(TestMechanism& m, int steps, double dt, const Each& each) {
  Trial t;
  double least = 0.0, start = 0.0, firsts = 0.0, lasts = 0.0;
  const int tenth = std::max(steps / 10, 1);
  for (int i = 0; i < steps; ++i) {
    const StepReport r = m.world.update(dt);
    const double energy = r.energy.kinetic + r.energy.potential;
    if (i == 0) {
      start = energy - r.energy.change;
      least = start;
    }
    least = std::min(least, energy);
    t.rise = std::max(t.rise, energy - least);
    t.low = std::min(t.low, energy - start);
    t.high = std::max(t.high, energy - start);
    if (i < tenth) firsts += energy / tenth;
    if (i >= steps - tenth) lasts += energy / tenth;
    t.peak = std::max(t.peak, r.energy.kinetic);
    t.jointError = std::max(t.jointError, m.jointError());
    t.reported = std::max(t.reported, r.jointError);
    t.penetration = std::max(t.penetration, r.deepestPenetration);
    t.certificate = std::max(t.certificate, r.certificate.velocityError);
    t.bilateral = std::max(t.bilateral, r.certificate.bilateralViolation);
    t.failed += r.status == StepStatus::kOk ? 0 : 1;
    t.substeps = std::max(t.substeps, r.substeps);
    t.seconds += r.seconds();
    t.slowest = std::max(t.slowest, r.seconds());
    each(i, r);
  }
  t.drift = lasts - firsts;
  return t;
}

inline Trial watch(TestMechanism& m, int steps, double dt) {
  return watch(m, steps, dt, [](int, const StepReport&) {});
}

inline BodyId addFloor(TestMechanism& m, double friction = 0.5) {
  return m.world.spawn(EnvironmentDescription{
      .name = "floor", .shape = Plane{}, .friction = friction, .restitution = 0.0});
}

/// Bars of 0.4 m on hinges, held out level and let go; nothing touches.
inline void addSwing(TestMechanism& m, int links) {
  BodyId last{};
  for (int i = 0; i < links; ++i) {
    const BodyId bar = m.world.spawn(InertialDescription{.shape = Box{{0.2, 0.03, 0.03}},
                                                         .mass = 1.0,
                                                         .position = {0.2 + 0.4 * i, 0, 0},
                                                         .collides = false});
    m.join({.kind = JointKind::kHinge,
            .bodyA = last,
            .bodyB = bar,
            .anchor = {0.4 * i, 0, 0},
            .axis = {0, 1, 0}});
    m.links.push_back(bar);
    last = bar;
  }
}

/// A chain of capsules on ball joints, upright, dropped on a floor with a little sideways motion.
inline void addDroppedChain(TestMechanism& m, int links, double size, double restitution = 0.0) {
  addFloor(m);
  BodyId last{};
  for (int i = 0; i < links; ++i) {
    const double side = 0.3 * std::sin(1.7 * i), across = 0.3 * std::cos(2.9 * i);
    const BodyId bone = m.world.spawn(
        InertialDescription{.shape = Capsule{0.1 * size, 0.3 * size},
                            .position = {0, 0, size * (1.0 + i)},
                            .linearVelocity = {side, across, 0},
                            .friction = 0.5,
                            .restitution = restitution});
    if (i > 0) m.join({.bodyA = last, .bodyB = bone, .anchor = {0, 0, size * (0.5 + i)}});
    m.links.push_back(bone);
    last = bone;
  }
}

/// Two fingers on sliders close on a box at a speed, then a third slider lifts both.
struct Gripper {
  BodyId box{};
  JointId lift{}, left{}, right{};
};
inline Gripper addGripper(TestMechanism& m, double boxMass = 1.0) {
  addFloor(m);
  Gripper g;
  const auto part = [&](const Vector3D& half, const Coordinate& at, double mass, double friction) {
    return m.world.spawn(InertialDescription{.shape = Box{half},
                                             .mass = mass,
                                             .position = at,
                                             .friction = friction,
                                             .restitution = 0.0});
  };
  g.box = part({0.05, 0.05, 0.05}, {0, 0, 0.05}, boxMass, 0.8);
  const BodyId carriage = part({0.2, 0.05, 0.02}, {0, 0, 0.5}, 2.0, 0.5);
  const BodyId left = part({0.02, 0.04, 0.15}, {-0.1, 0, 0.2}, 0.5, 0.8);
  const BodyId right = part({0.02, 0.04, 0.15}, {0.1, 0, 0.2}, 0.5, 0.8);
  g.lift = m.join({.kind = JointKind::kSlider,
                   .bodyB = carriage,
                   .anchor = {0, 0, 0.5},
                   .axis = {0, 0, 1},
                   .motor = JointMotor{.target = 0.05, .maxForce = 200.0}});
  g.left = m.join({.kind = JointKind::kSlider,
                   .bodyA = carriage,
                   .bodyB = left,
                   .anchor = {-0.1, 0, 0.45},
                   .axis = {1, 0, 0},
                   .motor = JointMotor{.target = 0.2, .maxForce = 40.0}});
  g.right = m.join({.kind = JointKind::kSlider,
                    .bodyA = carriage,
                    .bodyB = right,
                    .anchor = {0.1, 0, 0.45},
                    .axis = {-1, 0, 0},
                    .motor = JointMotor{.target = 0.2, .maxForce = 40.0}});
  return g;
}

/// A finger on a hinge, its motor of 10 N·m, pushes a box against a wall.
inline BodyId addFinger(TestMechanism& m) {
  addFloor(m);
  m.world.spawn(EnvironmentDescription{.name = "wall",
                                       .shape = Box{{0.1, 1.0, 1.0}},
                                       .position = {0.9, 0, 1.0},
                                       .friction = 0.5,
                                       .restitution = 0.0});
  const BodyId box = m.world.spawn(InertialDescription{.name = "box",
                                                       .shape = Box{{0.1, 0.1, 0.1}},
                                                       .mass = 1.0,
                                                       .position = {0.4, 0, 0.1},
                                                       .friction = 0.5,
                                                       .restitution = 0.0});
  const BodyId finger = m.world.spawn(InertialDescription{.name = "finger",
                                                          .shape = Box{{0.03, 0.03, 0.25}},
                                                          .mass = 0.5,
                                                          .position = {0, 0, 0.35},
                                                          .friction = 0.5,
                                                          .restitution = 0.0});
  m.join({.kind = JointKind::kSlider,
          .bodyB = finger,
          .anchor = {0, 0, 0.6},
          .axis = {1, 0, 0},
          .motor = JointMotor{.target = 1.0, .maxForce = 10.0}});
  return box;
}

/// A ball 200 times as heavy as each of the ten links it hangs on, let go towards a wall of bricks.
inline BodyId addWreckingBall(TestMechanism& m, int columns = 4, int rows = 5) {
  addFloor(m);
  constexpr int kLinks = 10;
  constexpr double kLink = 0.3;
  const Coordinate hook{0, 0, 4.2};
  const double angle = 1.0;  // from the vertical [rad]
  const Vector3D along{-std::sin(angle), 0, -std::cos(angle)};
  const Quaternion turn{Eigen::AngleAxisd{angle, Vector3D::UnitY()}};
  BodyId last{};
  for (int i = 0; i < kLinks; ++i) {
    const BodyId link =
        m.world.spawn(InertialDescription{.shape = Capsule{0.03, 0.1},
                                          .mass = 1.0,
                                          .position = hook + kLink * (i + 0.5) * along,
                                          .orientation = turn,
                                          .restitution = 0.0});
    m.join({.bodyA = last, .bodyB = link, .anchor = hook + kLink * i * along});
    m.links.push_back(link);
    last = link;
  }
  const Coordinate end = hook + kLink * kLinks * along;
  const BodyId ball = m.world.spawn(InertialDescription{.name = "ball",
                                                        .shape = Sphere{0.4},
                                                        .mass = 200.0,
                                                        .position = end + 0.45 * along,
                                                        .restitution = 0.0});
  m.join({.bodyA = last, .bodyB = ball, .anchor = end});
  const Vector3D half{0.1, 0.25, 0.12};
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      const double shift = r % 2 == 0 ? 0.0 : 0.25;
      m.world.spawn(InertialDescription{
          .shape = Box{half},
          .density = 1800.0,
          .position = {0.65, 0.5 * (c - 0.5 * columns) + 0.25 + shift, half.z() * (2 * r + 1)},
          .friction = 0.6,
          .restitution = 0.0});
    }
  }
  return ball;
}

}  // namespace msd_sim::mechanisms
