// Two joints whose coordinates hang together move as one: q_f = offset + r q_l. Two pendulums
// coupled so have one freedom, with the inertia I_l + r² I_f and the moment g (m_l d_l + r² m_f
// d_f) q of gravity, for small angles: ω² = g (m_l d_l + r² m_f d_f) / (I_l + r² I_f).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <span>
#include <string>

#include "msd-scene/src/BuildScene.hpp"
#include "msd-scene/src/ReadScene.hpp"

namespace msd_scene {
namespace {

using testing::HasSubstr;

LoadedScene load(const std::string& text) {
  return loadScene(std::as_bytes(std::span{text}), "scene.json", noMeshes(), {});
}

std::string errorOf(const std::string& text) {
  try {
    (void)load(text);
  } catch (const SceneError& error) {
    return error.what();
  }
  return {};
}

/// A pendulum of 1 kg at 1 m and one of 2 kg at 0.5 m, whose hinge has the extra fields.
std::string pendulums(const std::string& leader, const std::string& follower) {
  return R"({"version": 1, "dt": 0.002, "shapes": {"s": {"type": "sphere", "radius": 0.05}},
"bodies": [{"name": "a", "shape": "s", "mass": 1, "position": [0, 0, -1]},
           {"name": "b", "shape": "s", "mass": 2, "position": [0, 1, -0.5]}],
"joints": [{"type": "hinge", "name": "leader", "bodyA": "world", "bodyB": "a", "anchor": [0, 0, 0], "axis": [0, 1, 0])" +
         leader + R"(},
           {"type": "hinge", "name": "follower", "bodyA": "world", "bodyB": "b", "anchor": [0, 1, 0], "axis": [0, 1, 0])" +
         follower + "}]}";
}

TEST(JointFollowing, coupledPendulumsSwingWithTheirCommonPeriod) {
  const double r = -1.5;
  SceneWorld scene =
      buildWorld(load(pendulums("", R"(, "follows": {"joint": "leader", "ratio": -1.5})")));
  const double ball = 0.4 * 0.05 * 0.05;  // I/m of a ball about its centre
  const double inertia = 1.0 * (1.0 + ball) + r * r * 2.0 * (0.25 + ball);
  const double omega = std::sqrt(9.81 * (1.0 + r * r * 2.0 * 0.5) / inertia);
  // Both start as the one freedom would.
  const double speed = 0.02;
  scene.world.setVelocity(scene.bodies[0], {-speed, 0, 0}, {0, speed, 0});
  scene.world.setVelocity(scene.bodies[1], {-r * speed * 0.5, 0, 0}, {0, r * speed, 0});
  double worst = 0.0, crossing = 0.0, before = 0.0;
  for (int i = 0; i < 1000 && crossing == 0.0; ++i) {
    scene.advance();
    const double q = scene.world.jointCoordinate(scene.joints[0]);
    worst = std::max(worst, std::fabs(scene.world.jointCoordinate(scene.joints[1]) - r * q));
    if (i > 10 && before > 0.0 && q <= 0.0)
      crossing = scene.world.time() - 0.002 * q / (q - before);
    before = q;
  }
  EXPECT_LT(worst, 1e-7);                                            // [rad], measured 2.0e-9
  EXPECT_NEAR(crossing, std::numbers::pi / omega, 1e-5 * crossing);  // measured 2.9e-6
}

/// How much of the load a motor without gains of its own carries is only estimated: a little is
/// left.
TEST(JointFollowing, aDrivenLeaderTakesItsFollowerAlong) {
  SceneWorld scene = buildWorld(
      load(pendulums(R"(, "motor": {"mode": "position", "target": 0.8})",
                     R"(, "follows": {"joint": "leader", "ratio": 0.5, "offset": 0.1})")));
  for (int i = 0; i < 1500; ++i) scene.advance();
  EXPECT_NEAR(scene.world.jointCoordinate(scene.joints[1]),
              0.1 + 0.5 * scene.world.jointCoordinate(scene.joints[0]), 3e-5);  // measured 9.4e-6
}

TEST(JointFollowing, withoutALeaderTheCoordinateIsHeld) {
  SceneWorld scene = buildWorld(load(pendulums("", R"(, "follows": {"offset": 0.4})")));
  for (int i = 0; i < 1000; ++i) scene.advance();
  EXPECT_NEAR(scene.world.jointCoordinate(scene.joints[1]), 0.4, 1e-9);  // measured 6e-17
}

TEST(JointFollowing, wrongLeadersAreNamed) {
  EXPECT_THAT(errorOf(pendulums("", R"(, "follows": {"joint": "leder"})")), HasSubstr("leader"));
  EXPECT_THAT(errorOf(pendulums("", R"(, "follows": {"joint": "follower"})")),
              HasSubstr("another joint"));
  EXPECT_THAT(errorOf(pendulums(R"(, "follows": {"joint": "follower"})",
                                R"(, "follows": {"joint": "leader"})")),
              HasSubstr("does not follow this one"));
}

}  // namespace
}  // namespace msd_scene
