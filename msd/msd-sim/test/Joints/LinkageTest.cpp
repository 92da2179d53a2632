// Closed linkages with redundant joints (IFToMM library of computational benchmark problems).
//
// N-four-bar (A02): N + 1 upright rods and N level ones, each 1 m and 1 kg, hinged; one degree of
// freedom, θ'' = k sin θ with k = ((N+1)/2 + N) g/((N+1)/3 + N); all hinges lie on one line each
// time the uprights lie flat, and the Jacobian loses rank there. Bricard (A04): five rods along the
// edges of a cube and six hinges, one of the six loop equations is always redundant. Reference
// positions from Runge–Kutta integration of the minimal coordinates to 1e-11.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "JointScenes.hpp"

namespace msd_sim {
namespace {

using namespace joint_scenes;

struct FourBars {
  WorldModel world{Settings{.gravity = {0.0, -9.81, 0.0}, .sleeping = false}};
  std::vector<BodyId> bodies;

  explicit FourBars(int n) {
    const Vector3D z = Vector3D::UnitZ();
    std::vector<BodyId> uprights;
    for (int i = 0; i <= n; ++i) {
      const double x = i;
      InertialDescription d = rod({x, 0, 0}, {x, 1, 0}, 1.0, 0.0);
      d.inertia = Matrix3D{Vector3D{1.0 / 12, 1e-3, 1.0 / 12}.asDiagonal()};
      d.linearVelocity = {0.5, 0, 0};
      d.angularVelocity = {0, 0, -1.0};
      uprights.push_back(world.spawn(d));
      world.spawn(JointDescription{
          .kind = JointKind::kHinge, .bodyB = uprights.back(), .anchor = {x, 0, 0}, .axis = z});
      bodies.push_back(uprights.back());
    }
    for (int i = 0; i < n; ++i) {
      const double x = i;
      InertialDescription d = rod({x, 1, 0}, {x + 1, 1, 0}, 1.0, 0.0);
      d.inertia = Matrix3D{Vector3D{1e-3, 1.0 / 12, 1.0 / 12}.asDiagonal()};
      d.linearVelocity = {1.0, 0, 0};
      const BodyId level = world.spawn(d);
      bodies.push_back(level);
      for (int side = 0; side < 2; ++side) {
        world.spawn(JointDescription{.kind = JointKind::kHinge,
                                     .bodyA = uprights[i + side],
                                     .bodyB = level,
                                     .anchor = {x + side, 1, 0},
                                     .axis = z});
      }
    }
  }
};

TEST(FourBarLinkage, passesItsFlatPositionsWithItsEnergy) {
  struct Case {
    int n;
    double x, y;
  };
  for (const Case& c :
       {Case{2, 0.328458111534, 0.944518538181}, Case{40, 0.180512226682, 0.983572740583}}) {
    FourBars linkage{c.n};
    const double start = energy(linkage.world, linkage.bodies);
    double worst = 0.0, separation = 0.0;
    const int steps = 10000;
    for (int i = 0; i < steps; ++i) {
      const StepReport report = linkage.world.update(10.0 / steps);
      ASSERT_EQ(report.status, StepStatus::kOk);
      separation = std::max(separation, report.jointError);
      worst = std::max(worst, std::fabs(energy(linkage.world, linkage.bodies) - start) / start);
    }
    const Coordinate tip = pointOf(linkage.world, linkage.bodies[0], {0, 0.5, 0});
    EXPECT_NEAR(tip.x(), c.x, 1e-5);  // 8e-7 measured at N = 40
    EXPECT_NEAR(tip.y(), c.y, 1e-5);
    EXPECT_LT(worst, 1e-5);       // 7e-7 measured
    EXPECT_LT(separation, 1e-9);  // 5e-13 measured
  }
}

TEST(FourBarLinkage, passesAFlatPositionThatASubstepHitsClosely) {
  // At dt 0.5 ms one substep ends 5e-6 m from the first flat position. All ten seconds: set
  // MSD_LONG_TESTS.
  FourBars linkage{40};
  const double start = energy(linkage.world, linkage.bodies);
  double worst = 0.0, separation = 0.0;
  const int steps = std::getenv("MSD_LONG_TESTS") != nullptr ? 20000 : 6600;
  for (int i = 0; i < steps; ++i) {
    const StepReport report = linkage.world.update(5e-4);
    ASSERT_EQ(report.status, StepStatus::kOk);
    separation = std::max(separation, report.jointError);
    worst = std::max(worst, std::fabs(energy(linkage.world, linkage.bodies) - start) / start);
  }
  EXPECT_LT(worst, 1e-6);  // 1.7e-7 measured: a quarter of that at 1 ms
  EXPECT_LT(separation, 1e-9);
}

TEST(BricardLinkage, followsTheReferenceForTenSeconds) {
  WorldModel world{Settings{.gravity = {0.0, -9.81, 0.0}, .sleeping = false}};
  const Coordinate corners[6] = {{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                 {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  const Vector3D axes[6] = {Vector3D::UnitY(), Vector3D::UnitZ(), Vector3D::UnitX(),
                            Vector3D::UnitY(), Vector3D::UnitZ(), Vector3D::UnitX()};
  std::vector<BodyId> rods;
  for (int i = 0; i < 5; ++i)
    rods.push_back(world.spawn(rod(corners[i], corners[i + 1], 1.0, 0.1)));
  for (int i = 0; i < 6; ++i) {
    const BodyId a = i == 0 || i == 5 ? BodyId{} : rods[i - 1];
    const BodyId b = i == 5 ? rods[4] : rods[i];
    world.spawn(JointDescription{
        .kind = JointKind::kHinge, .bodyA = a, .bodyB = b, .anchor = corners[i], .axis = axes[i]});
  }
  const double start = energy(world, rods);
  const double scale = 5.0 * 9.81 * 1.0;  // weight of the rods over one length
  double worst = 0.0;
  const int perSecond = 1000;
  const auto advance = [&](int seconds) {
    for (int i = 0; i < seconds * perSecond; ++i) {
      ASSERT_EQ(world.update(1.0 / perSecond).status, StepStatus::kOk);
      worst = std::max(worst, std::fabs(energy(world, rods) - start) / scale);
    }
  };
  // The corner between the second and the third rod.
  const auto expectCorner = [&](double x, double y, double z, double tolerance) {
    const Coordinate p = pointOf(world, rods[1], {0, -0.5, 0});
    EXPECT_LT((p - Coordinate{x, y, z}).norm(), tolerance);
  };
  advance(1);
  expectCorner(0.27448132, -0.88670794, -0.46233000, 1e-5);
  advance(2);
  expectCorner(-0.77128136, -0.97926933, -0.20256253, 1e-5);
  advance(7);
  expectCorner(0.99973099, -0.99999996, -0.00026898, 1e-4);
  EXPECT_LT(worst, 1e-5);  // 5e-9 measured
}

}  // namespace
}  // namespace msd_sim
