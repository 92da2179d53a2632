// Sticking is sticking: what friction can hold does not creep, however long it is held.

#include <gtest/gtest.h>

#include <numbers>

#include "../Environment/Scenes.hpp"

namespace msd_sim::test {
namespace {

constexpr double kDt = 1.0 / 60.0;
constexpr double kGravity = 9.81;

/// A body between two plates that are pressed together by 2·m g/(2 μ) each: twice what friction needs
/// to carry m g on two faces. The plates slide along x only. Returns how far the body slips [m].
double pinch(const Shape& shape, double reach, double seconds, Method method) {
  constexpr double kFriction = 0.5;
  WorldModel world{awake(method)};
  const BodyId held = world.spawn(InertialDescription{.shape = shape,
                                                      .position = {0.0, 0.0, 2.0},
                                                      .friction = kFriction,
                                                      .restitution = 0.0});
  const double mass = world.inertial(held).getMass();
  const double press = 2.0 * mass * kGravity / (2.0 * kFriction);
  std::vector<BodyId> plates;
  for (const double side : {-1.0, 1.0}) {
    const BodyId plate = world.spawn(InertialDescription{.shape = Box{{0.1, 0.5, 0.5}},
                                                         .position = {side * (reach + 0.1), 0.0, 2.0},
                                                         .friction = kFriction,
                                                         .restitution = 0.0});
    world.spawn(JointDescription{.kind = JointKind::kSlider,
                                 .bodyB = plate,
                                 .anchor = {side * (reach + 0.1), 0.0, 2.0},
                                 .axis = {1.0, 0.0, 0.0}});
    plates.push_back(plate);
  }
  Coordinate start = Coordinate::Zero();
  double slip = 0.0;
  const int steps = static_cast<int>(seconds / kDt + 0.5);
  for (int i = 0; i < steps; ++i) {
    world.applyForce(plates[0], {press, 0.0, 0.0});
    world.applyForce(plates[1], {-press, 0.0, 0.0});
    world.update(kDt);
    const InertialState& s = world.inertial(held).getInertialState();
    if (i == 60) start = s.position;  // the grip has closed
    if (i > 60) slip = std::max(slip, (s.position - start).norm());
    EXPECT_NEAR(s.position.z(), 2.0, 1e-3) << "fell at step " << i;
    if (s.position.z() < 1.9) return 1.0;
  }
  return slip;
}

TEST(TrueStick, pinchedBoxDoesNotSlipInAMinute) {
  const double slip = pinch(Box{{0.2, 0.2, 0.2}}, 0.2, 60.0, Method::kFast);
  std::printf("pinched box: slips %.1e m in 60 s\n", slip);
  EXPECT_LT(slip, 1e-6);
}

TEST(TrueStick, pinchedBallDoesNotSlipInAMinute) {
  const double slip = pinch(Sphere{0.2}, 0.2, 60.0, Method::kFast);
  std::printf("pinched ball: slips %.1e m in 60 s\n", slip);
  EXPECT_LT(slip, 1e-6);
}

TEST(TrueStick, pinchedCylinderDoesNotSlipInAMinute) {
  const double slip = pinch(Cylinder{0.2, 0.2}, 0.2, 60.0, Method::kFast);
  std::printf("pinched cylinder: slips %.1e m in 60 s\n", slip);
  EXPECT_LT(slip, 1e-6);
}

TEST(TrueStick, pinchedBoxDoesNotSlipExact) {
  const double slip = pinch(Box{{0.2, 0.2, 0.2}}, 0.2, 10.0, Method::kExact);
  std::printf("pinched box, exact: slips %.1e m in 10 s\n", slip);
  EXPECT_LT(slip, 1e-6);
}

/// Mean speed down a slope over the last of `seconds`, of a body that stood there at rest [m/s].
double creep(const Shape& shape, double height, double angle, double friction, double dt,
             Method method) {
  WorldModel world{awake(method)};
  const Quaternion tilt{std::cos(0.5 * angle), 0.0, std::sin(0.5 * angle), 0.0};
  const Vector3D up = tilt * Vector3D::UnitZ(), down = tilt * Vector3D::UnitX();
  world.spawn(EnvironmentDescription{.shape = Box{{10.0, 5.0, 1.0}},
                                     .position = -up,
                                     .orientation = tilt,
                                     .friction = friction,
                                     .restitution = 0.0});
  const BodyId body = world.spawn(InertialDescription{.shape = shape,
                                                      .position = height * up,
                                                      .orientation = tilt,
                                                      .friction = friction,
                                                      .restitution = 0.0});
  const auto place = [&] { return down.dot(world.inertial(body).getInertialState().position); };
  const int second = static_cast<int>(1.0 / dt + 0.5);
  for (int i = 0; i < 9 * second; ++i) world.update(dt);
  const double before = place();
  for (int i = 0; i < second; ++i) world.update(dt);
  return (place() - before) / (second * dt);
}

constexpr double kHundredth = 0.01 * std::numbers::pi / 180.0;  // 0.01° [rad]

TEST(TrueStick, blockOnASlopeJustBelowTheAngleOfFrictionDoesNotCreep) {
  double worst = 0.0;
  for (const double friction : {0.1, 0.5, 1.0}) {
    for (const double dt : {1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0}) {
      const double speed = creep(Box{{0.5, 0.5, 0.1}}, 0.1, std::atan(friction) - kHundredth,
                                 friction, dt, Method::kFast);
      worst = std::max(worst, std::abs(speed));
      EXPECT_LT(std::abs(speed), 1e-9) << "friction " << friction << ", dt " << dt;
    }
  }
  std::printf("block 0.01 degrees below the angle of friction: creeps at most %.1e m/s\n", worst);
}

TEST(TrueStick, discOnASlopeJustBelowTheAngleOfFrictionDoesNotCreep) {
  const double speed =
      creep(Cylinder{0.5, 0.1}, 0.1, std::atan(0.5) - kHundredth, 0.5, kDt, Method::kFast);
  std::printf("disc: creeps at %.1e m/s\n", speed);
  EXPECT_LT(std::abs(speed), 1e-9);
}

TEST(TrueStick, blockOnASlopeDoesNotCreepExact) {
  const double speed =
      creep(Box{{0.5, 0.5, 0.1}}, 0.1, std::atan(0.5) - kHundredth, 0.5, kDt, Method::kExact);
  std::printf("block, exact: creeps at %.1e m/s\n", speed);
  EXPECT_LT(std::abs(speed), 1e-9);
}

TEST(TrueStick, blockOnASlopeJustAboveTheAngleOfFrictionSlides) {
  // a = g (sin α − μ cos α), 1.5 mm/s² at 0.01°.
  const double angle = std::atan(0.5) + kHundredth;
  const double speed = creep(Box{{0.5, 0.5, 0.1}}, 0.1, angle, 0.5, kDt, Method::kFast);
  const double a = kGravity * (std::sin(angle) - 0.5 * std::cos(angle));
  std::printf("block 0.01 degrees above: %.4e m/s of %.4e m/s\n", speed, 9.5 * a);
  EXPECT_NEAR(speed, 9.5 * a, 0.01 * 9.5 * a);
}

}  // namespace
}  // namespace msd_sim::test
