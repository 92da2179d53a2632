// Resistance to rolling and spinning (docs/theory/resistance.md), against closed forms.

#include <gtest/gtest.h>

#include "../Environment/Scenes.hpp"

namespace msd_sim::test {
namespace {

constexpr double kDt = 1.0 / 60.0;
constexpr double kGravity = 9.81;

struct Surface {
  double friction{0.8};
  double rolling{0.0};
  double torsional{0.0};
};

void addFloor(WorldModel& world, const Surface& s, const Quaternion& tilt = Quaternion::Identity()) {
  world.spawn(EnvironmentDescription{.shape = Box{{50.0, 50.0, 1.0}},
                                     .position = tilt * Vector3D{0.0, 0.0, -1.0},
                                     .orientation = tilt,
                                     .friction = s.friction,
                                     .restitution = 0.0,
                                     .rollingResistance = s.rolling,
                                     .torsionalResistance = s.torsional});
}

InertialDescription ball(double radius, const Surface& s) {
  return {.shape = Sphere{radius},
          .position = {0.0, 0.0, radius},
          .friction = s.friction,
          .restitution = 0.0,
          .rollingResistance = s.rolling,
          .torsionalResistance = s.torsional};
}

// I ω' = r f − c N, m v' = −f, v = r ω:  v' = −(5/7) (c/r) g; at rest after v0/|v'|, v0²/(2 |v'|) on.
TEST(RollingResistance, ballSlowsDownByTheTextbookAndStops) {
  const double r = 0.25, c = 0.01, v0 = 2.0;
  const Surface s{.rolling = c};
  WorldModel world{awake()};
  addFloor(world, s);
  InertialDescription d = ball(r, s);
  d.linearVelocity = {v0, 0.0, 0.0};
  d.angularVelocity = {0.0, v0 / r, 0.0};
  const BodyId id = world.spawn(d);
  const double a = 5.0 / 7.0 * c / r * kGravity;
  double worst = 0.0, closure = 0.0;
  const int stop = static_cast<int>(v0 / a / kDt);
  for (int i = 1; i <= stop; ++i) {
    const StepReport report = world.update(kDt);
    worst = std::max(worst, std::abs(stateOf(world, id).velocity.x() - (v0 - a * i * kDt)));
    closure = std::max(closure, std::abs(report.energy.closure()) / report.energy.scale);
    EXPECT_LT(report.energy.frictionWork, 0.0);
  }
  for (int i = 0; i < 600; ++i) world.update(kDt);
  const double way = stateOf(world, id).position.x(), expected = 0.5 * v0 * v0 / a;
  std::printf("rolling ball: speed off by %.1e m/s, way %.6f of %.6f m, speed at the end %.1e m/s\n", worst, way,
              expected, stateOf(world, id).velocity.norm());
  EXPECT_LT(worst, 1e-6 * v0);
  EXPECT_NEAR(way, expected, 1e-4 * expected);
  EXPECT_LT(stateOf(world, id).velocity.norm(), 1e-6);
  EXPECT_LT(closure, 1e-9);
}

TEST(RollingResistance, isTheSameInAllDirections) {
  double least = 1e300, most = 0.0;
  for (int k = 0; k < 12; ++k) {
    const double angle = 0.1 + k * 0.5235987755982988, r = 0.25, v0 = 1.5;
    const Surface s{.rolling = 0.02};
    WorldModel world{awake()};
    addFloor(world, s);
    InertialDescription d = ball(r, s);
    d.linearVelocity = {v0 * std::cos(angle), v0 * std::sin(angle), 0.0};
    d.angularVelocity = {-v0 / r * std::sin(angle), v0 / r * std::cos(angle), 0.0};
    const BodyId id = world.spawn(d);
    for (int i = 0; i < 300; ++i) world.update(kDt);
    const Coordinate at = stateOf(world, id).position;
    const double way = std::hypot(at.x(), at.y());
    least = std::min(least, way);
    most = std::max(most, way);
  }
  std::printf("ways of a rolling ball in twelve directions: %.9f to %.9f m\n", least, most);
  EXPECT_LT((most - least) / most, 1e-6);
}

// (2/5) m r² ω' = −c m g: stops after t = 2 r² ω0 / (5 c g).
TEST(TorsionalResistance, spinningBallStopsInThePredictedTime) {
  const double r = 0.25, c = 0.005, w0 = 20.0;
  const Surface s{.torsional = c};
  WorldModel world{awake()};
  addFloor(world, s);
  InertialDescription d = ball(r, s);
  d.angularVelocity = {0.0, 0.0, w0};
  const BodyId id = world.spawn(d);
  const double slow = c * kGravity / (0.4 * r * r);
  const int stop = static_cast<int>(w0 / slow / kDt);
  double worst = 0.0;
  for (int i = 1; i <= stop; ++i) {
    world.update(kDt);
    worst = std::max(worst, std::abs(stateOf(world, id).angularVelocity.z() - (w0 - slow * i * kDt)));
  }
  for (int i = 0; i < 2; ++i) world.update(kDt);
  std::printf("spinning ball: %d steps, spin off by %.1e rad/s, left %.1e rad/s\n", stop, worst,
              stateOf(world, id).angularVelocity.norm());
  EXPECT_LT(worst, 1e-9 * w0);
  EXPECT_LT(stateOf(world, id).angularVelocity.norm(), 1e-9);
}

// A smooth disc, ½ m R² ω' = −c m g.
TEST(TorsionalResistance, spinningDiscStopsInThePredictedTime) {
  const double radius = 0.5, c = 0.02, w0 = 5.0;
  const Surface s{.friction = 0.0, .torsional = c};
  WorldModel world{awake()};
  addFloor(world, s);
  const BodyId id = world.spawn(InertialDescription{.shape = Cylinder{radius, 0.1},
                                                    .position = {0.0, 0.0, 0.1},
                                                    .angularVelocity = {0.0, 0.0, w0},
                                                    .friction = 0.0,
                                                    .restitution = 0.0,
                                                    .torsionalResistance = c});
  const double slow = c * kGravity / (0.5 * radius * radius);
  const int half = static_cast<int>(0.5 * w0 / slow / kDt);
  for (int i = 0; i < half; ++i) world.update(kDt);
  const double expected = w0 - slow * half * kDt, measured = stateOf(world, id).angularVelocity.z();
  for (int i = 0; i < half + 4; ++i) world.update(kDt);
  std::printf("spinning disc: %.9f of %.9f rad/s half way, %.1e rad/s at the end\n", measured, expected,
              stateOf(world, id).angularVelocity.norm());
  EXPECT_NEAR(measured, expected, 1e-6 * w0);
  EXPECT_LT(std::abs(stateOf(world, id).angularVelocity.z()), 1e-6);
}

/// Speed of a ball after ten seconds on a slope with tan α = share·c/r [m/s].
double speedOnSlope(double share) {
  const double r = 0.25, c = 0.02;
  const Surface s{.rolling = c};
  const double angle = std::atan(share * c / r);
  const Quaternion tilt{std::cos(0.5 * angle), 0.0, std::sin(0.5 * angle), 0.0};
  WorldModel world{awake()};
  addFloor(world, s, tilt);
  InertialDescription d = ball(r, s);
  d.position = tilt * Vector3D{0.0, 0.0, r};
  const BodyId id = world.spawn(d);
  for (int i = 0; i < 600; ++i) world.update(kDt);
  return stateOf(world, id).velocity.norm();
}

// Rests while m g r sin α <= c m g cos α; rolls with (5/7) g (sin α − (c/r) cos α) above.
TEST(RollingResistance, ballRestsOnASlopeBelowTheThresholdOnly) {
  const double below = speedOnSlope(0.99), above = speedOnSlope(1.5);
  const double angle = std::atan(1.5 * 0.08);
  const double expected = 10.0 * 5.0 / 7.0 * kGravity * (std::sin(angle) - 0.08 * std::cos(angle));
  std::printf("ball on a slope: %.1e m/s below the threshold, %.6f of %.6f m/s above\n", below, above, expected);
  EXPECT_LT(below, 1e-9);
  EXPECT_NEAR(above, expected, 1e-3 * expected);
}

TEST(RollingResistance, keepsMomentumBetweenTwoBodies) {
  Settings settings = awake();
  settings.gravity = {0.0, 0.0, 0.0};
  WorldModel world{settings};
  const Surface s{.friction = 0.6, .rolling = 0.05, .torsional = 0.03};
  InertialDescription a = ball(0.3, s), b = ball(0.2, s);
  a.position = {-0.6, 0.05, 0.0};
  a.linearVelocity = {3.0, 0.0, 0.2};
  a.angularVelocity = {5.0, -4.0, 3.0};
  b.position = {0.3, 0.0, 0.0};
  const BodyId ids[] = {world.spawn(a), world.spawn(b)};
  const auto momentum = [&] {
    Vector3D sum = Vector3D::Zero();
    for (const BodyId id : ids) {
      const AssetInertial& body = world.inertial(id);
      const InertialState& state = body.getInertialState();
      sum += body.getMass() * state.position.cross(state.velocity) +
             body.getInertiaTensor()(0, 0) * state.angularVelocity;
    }
    return sum;
  };
  const Vector3D before = momentum();
  double gain = 0.0;
  for (int i = 0; i < 60; ++i) {
    const StepReport report = world.update(kDt);
    gain = std::max(gain, report.energy.change / report.energy.scale);
  }
  EXPECT_LT((momentum() - before).norm() / before.norm(), 1e-12);
  EXPECT_LT(gain, 1e-12);
  EXPECT_GT(stateOf(world, ids[1]).angularVelocity.norm(), 0.1);
}

TEST(RollingResistance, needsBothSurfacesByTheGeometricMean) {
  const Surface rough{.rolling = 0.05};
  WorldModel world{awake()};
  addFloor(world, Surface{});
  InertialDescription d = ball(0.25, rough);
  d.linearVelocity = {1.0, 0.0, 0.0};
  d.angularVelocity = {0.0, 4.0, 0.0};
  const BodyId id = world.spawn(d);
  for (int i = 0; i < 120; ++i) world.update(kDt);
  EXPECT_NEAR(stateOf(world, id).velocity.x(), 1.0, 1e-9);
}

// Exact mode cannot do it, and says so where it would act: in the air, and where only one side resists
// (a pair takes the geometric mean), nothing is missing.
TEST(RollingResistance, isToldToBeMissingInExactModeWhereItWouldAct) {
  Settings settings = awake();
  settings.method = Method::kExact;
  WorldModel world{settings};
  addFloor(world, Surface{.friction = 0.5, .rolling = 0.01});
  InertialDescription smooth = ball(0.25, Surface{.friction = 0.5});
  smooth.position = {3.0, 0.0, smooth.position.z()};
  (void)world.spawn(smooth);
  for (int i = 0; i < 5; ++i) ASSERT_EQ(world.update(kDt).status, StepStatus::kOk);
  InertialDescription rough = ball(0.25, Surface{.friction = 0.5, .rolling = 0.01});
  rough.position.z() += 0.5;
  (void)world.spawn(rough);
  ASSERT_EQ(world.update(kDt).status, StepStatus::kOk);
  StepReport report;
  for (int i = 0; i < 60; ++i) report = world.update(kDt);  // it has landed
  EXPECT_EQ(report.status, StepStatus::kDegraded);
  EXPECT_TRUE(report.faults.has(StepFault::kResistanceIgnored));
}

/// A slow heap of resisting balls.
Hash128 heapHash(int threads, int steps, bool restoreHalfway) {
  Settings settings = awake();
  settings.threads = threads;
  WorldModel world{settings};
  const Surface s{.friction = 0.5, .rolling = 0.01, .torsional = 0.01};
  addFloor(world, s);
  Random random{11};
  for (int i = 0; i < 120; ++i) {
    InertialDescription d = ball(0.2, s);
    d.position = {random.between(-1.0, 1.0), random.between(-1.0, 1.0), 0.3 + 0.12 * i};
    world.spawn(d);
  }
  for (int i = 0; i < steps / 2; ++i) world.update(kDt);
  if (restoreHalfway) {
    const auto bytes = world.snapshot();
    for (int i = 0; i < 20; ++i) world.update(kDt);
    world.restore(bytes);
  }
  for (int i = 0; i < steps / 2; ++i) world.update(kDt);
  return world.stateHash();
}

TEST(RollingResistance, givesTheSameBitsForAllThreadsAndAfterRestoring) {
  const Hash128 one = heapHash(1, 160, false);
  for (const int threads : {2, 3, 4}) EXPECT_EQ(heapHash(threads, 160, false), one) << threads;
  EXPECT_EQ(heapHash(1, 160, true), one);
}

// --- rules for pairs ---

double slidingSpeedAfterHalfASecond(const Settings& settings) {
  WorldModel world{settings};
  addFloor(world, Surface{.friction = 0.2});
  const BodyId id = world.spawn(InertialDescription{.shape = Box{{0.5, 0.5, 0.1}},
                                                    .position = {0.0, 0.0, 0.1},
                                                    .linearVelocity = {4.0, 0.0, 0.0},
                                                    .friction = 0.8,
                                                    .restitution = 0.0});
  for (int i = 0; i < 30; ++i) world.update(kDt);
  return stateOf(world, id).velocity.x();
}

TEST(Combination, ofTheUsersOwnReplacesTheGeometricMean) {
  Settings settings = awake();
  EXPECT_NEAR(slidingSpeedAfterHalfASecond(settings), 4.0 - 0.4 * kGravity * 0.5, 1e-6);
  settings.combine = [](const SurfaceMaterial& a, const SurfaceMaterial& b) {
    SurfaceMaterial pair;
    pair.friction = std::min(a.friction, b.friction);
    pair.restitution = std::max(a.restitution, b.restitution);
    return pair;
  };
  EXPECT_NEAR(slidingSpeedAfterHalfASecond(settings), 4.0 - 0.2 * kGravity * 0.5, 1e-6);
  settings.method = Method::kExact;
  EXPECT_NEAR(slidingSpeedAfterHalfASecond(settings), 4.0 - 0.2 * kGravity * 0.5, 1e-6);
}

TEST(Combination, decidesHowHighABallBounces) {
  Settings settings = awake();
  settings.combine = [](const SurfaceMaterial& a, const SurfaceMaterial& b) {
    SurfaceMaterial pair = a;
    pair.friction = 0.0;
    pair.restitution = 0.5 * (a.restitution + b.restitution);
    return pair;
  };
  WorldModel world{settings};
  test::addFloor(world, 0.6);
  const BodyId id = world.spawn(
      InertialDescription{.shape = Sphere{0.1}, .position = {0.0, 0.0, 1.1}, .restitution = 1.0});
  double rise = 0.0;
  for (int i = 0; i < 60; ++i) {
    world.update(kDt);
    rise = std::max(rise, stateOf(world, id).velocity.z());
  }
  // e = 0.8, and a step takes at most g dt of what is left of it.
  EXPECT_NEAR(rise, 0.8 * std::sqrt(2.0 * kGravity), kGravity * kDt);
}

TEST(Combination, outOfRangeIsRefusedWithItsNumbers) {
  Settings settings = awake();
  settings.combine = [](const SurfaceMaterial&, const SurfaceMaterial&) {
    return SurfaceMaterial{.friction = -1.0};
  };
  WorldModel world{settings};
  addFloor(world, Surface{});
  (void)world.spawn(ball(0.25, Surface{}));
  try {
    world.update(kDt);
    FAIL() << "no exception";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string{error.what()}.find("friction -1"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace msd_sim::test
