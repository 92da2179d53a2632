// The same scene at 1 mm, 1 m and 100 m behaves the same after scaling: lengths by L, times by √L
// (gravity stays), so speeds by √L. Nothing in the engine knows how long a metre is.

#include <gtest/gtest.h>

#include "Scenes.hpp"

namespace msd_sim::test {
namespace {

std::vector<Coordinate> runScaled(double length, int steps) {
  const double time = std::sqrt(length);
  Settings settings;
  // The settings that are lengths or speeds scale too.
  settings.restitutionThreshold *= length / time;
  settings.sleepSpeed *= length / time;
  settings.sleepTime *= time;
  settings.correctionSpeed /= time;
  WorldModel world{settings};
  world.spawn(EnvironmentDescription{.shape = Box{{20.0 * length, 20.0 * length, 0.5 * length}},
                                     .position = {0.0, 0.0, -0.5 * length}});
  std::vector<BodyId> bodies;
  for (int i = 0; i < 8; ++i) {
    const Shape shapes[] = {Box{length * Vector3D{0.3, 0.2, 0.25}}, Sphere{0.25 * length},
                            Capsule{0.15 * length, 0.2 * length},
                            Cylinder{0.2 * length, 0.25 * length}};
    bodies.push_back(world.spawn(InertialDescription{
        .shape = shapes[i % 4],
        .density = 1000.0,
        .position = length * Coordinate{0.15 * (i % 3), 0.1 * (i % 2), 0.6 + 0.6 * i},
        .orientation = Quaternion{0.8, 0.36, 0.48, 0.0},
        .angularVelocity = Vector3D{0.3, 0.1 * i, 0.0} / time,
        .restitution = 0.3}));
  }
  for (int i = 0; i < steps; ++i) world.update(time / 60.0);
  std::vector<Coordinate> places;
  for (const BodyId id : bodies) {
    places.push_back(world.inertial(id).getInertialState().position / length);
  }
  return places;
}

// By powers of four everything scales without rounding: the motion is the same to the last bit,
// chaos and all.
TEST(Scale, powersOfFourGiveTheSameMotionBitForBit) {
  const auto one = runScaled(1.0, 300);
  for (const double length : {0x1p-10, 0x1p-6, 0x1p6}) {  // about 1 mm, 16 mm, 64 m
    const auto other = runScaled(length, 300);
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i], other[i]) << length << " " << i;
  }
}

// By other factors rounding differs; until chaos has its say the motion agrees.
TEST(Scale, millimetresAndHundredMetresBehaveLikeMetres) {
  const auto one = runScaled(1.0, 45);
  for (const double length : {1e-3, 100.0}) {
    const auto other = runScaled(length, 45);
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_LT((one[i] - other[i]).norm(), 1e-9) << length << " " << i;
    }
  }
}

}  // namespace
}  // namespace msd_sim::test
