// Coulomb's law in fast mode where a disc slides. Slopes, boxes and balls stand in msd-exe/src/Validate and run with all
// three methods.

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "../Environment/Scenes.hpp"

namespace msd_sim::test {
namespace {

constexpr double kDt = 1.0 / 60.0;
constexpr double kGravity = 9.81;

// v²/(2 μ g) in every direction, against a body whose contact is four points on its rim.
TEST(Friction, stoppingDistanceOfADiscIsTheSameInAllDirections) {
  double least = 1e300, most = 0.0;
  for (int k = 0; k < 12; ++k) {
    const double direction = (30.0 * k + 7.0) * std::numbers::pi / 180.0;
    WorldModel world{awake()};
    addFloor(world);
    const BodyId disc =
        world.spawn(InertialDescription{.shape = Cylinder{0.5, 0.05},
                                        .position = {0.0, 0.0, 0.05},
                                        .linearVelocity = {3.0 * std::cos(direction), 3.0 * std::sin(direction), 0.0},
                                        .restitution = 0.0});
    for (int i = 0; i < 120; ++i) world.update(kDt);
    const Coordinate at = stateOf(world, disc).position;
    least = std::min(least, std::hypot(at.x(), at.y()));
    most = std::max(most, std::hypot(at.x(), at.y()));
  }
  const double expected = 9.0 / (2.0 * 0.5 * kGravity);
  std::printf("stopping distance of a disc: %.9f to %.9f m of %.9f m\n", least, most, expected);
  EXPECT_LT((most - least) / expected, 1e-4);  // 3.6e-5
  EXPECT_NEAR(most, expected, 1e-3 * expected);
}

}  // namespace
}  // namespace msd_sim::test
