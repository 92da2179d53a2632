// Limits of equilibrium, found by bisection on what a few steps from rest do, and printed beside
// their closed forms. A structure stands where no body moves: at rest the exact mode leaves speeds
// of rounding, past the limit a speed of g h times the excess.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "ExactWorlds.hpp"

namespace msd_sim {
namespace {

using namespace exact_worlds;

constexpr double kTight = 1e-12;  // solver tolerance for threshold searches

/// No body has speed after a few steps. What slides goes on sliding; what a hard first solve left
/// behind is gone by then.
bool stands(WorldModel& world, double speed, int steps = 6) {
  for (int i = 0; i < steps; ++i) {
    if (world.update(kDt).status == StepStatus::kFailed) return false;
  }
  return fastest(world) <= speed;
}

void printThreshold(const char* name, double found, double expected) {
  fmt::print("{:<34} found {:.10f}  closed form {:.10f}  relative {:.2g}\n", name, found, expected,
             found / expected - 1.0);
}

Quaternion turnAboutY(double angle) {
  return {std::cos(0.5 * angle), 0.0, std::sin(0.5 * angle), 0.0};
}

/// A plane through the origin tilted about y by `angle`, with a block on it.
WorldModel inclineWorld(double angle, double mu, const Vector3D& half) {
  WorldModel world{exactSettings(kTight)};
  const Quaternion q = turnAboutY(angle);
  world.spawn(EnvironmentDescription{
      .shape = Plane{q * Vector3D::UnitZ(), 0.0}, .friction = mu, .restitution = 0.0});
  addBlock(
      world,
      {.half = half, .at = q * Vector3D{0.0, 0.0, half.z()}, .friction = mu, .orientation = q});
  return world;
}

TEST(ExactThreshold, blockOnInclineSlidesAboveTheAngleOfFriction) {
  // tan α = µ.
  for (const double mu : {0.1, 0.5, 0.9}) {
    const double found = bisect(0.5 * std::atan(mu), 1.5 * std::atan(mu), 36, [&](double angle) {
      WorldModel world = inclineWorld(angle, mu, {0.5, 0.4, 0.1});
      return stands(world, 1e-10);
    });
    printThreshold("incline, tan of the angle", std::tan(found), mu);
    EXPECT_NEAR(std::tan(found), mu, 1e-8 * mu);
  }
}

TEST(ExactThreshold, slenderBlockOnInclineTopplesWhereItsCentrePassesTheEdge) {
  // tan α = width / height, friction ample.
  const Vector3D half{0.1, 0.2, 0.3};
  const double expected = half.x() / half.z();
  const double found = bisect(0.5 * expected, 1.5 * expected, 36, [&](double tangent) {
    WorldModel world = inclineWorld(std::atan(tangent), 2.0, half);
    return stands(world, 1e-10);
  });
  printThreshold("toppling, width over height", found, expected);
  EXPECT_NEAR(found, expected, 1e-8);
}

TEST(ExactThreshold, ladderSlipsBelowTheLimitAngle) {
  // A bar of length L and thickness t stands on the floor and leans on the wall with the corners of
  // its lower side, its centre t/2 above the line between them. With k = µ_f/(1 + µ_f µ_w):
  //   tan θ = (1/2 - k µ_w) / (k + t/(2L));  t = 0: (1 - µ_f µ_w)/(2 µ_f).
  const double muFloor = 0.4, muWall = 0.3, length = 2.0, thickness = 0.05;
  const double k = muFloor / (1.0 + muFloor * muWall);
  const double expected = (0.5 - k * muWall) / (k + thickness / (2.0 * length));
  const double found = bisect(1.5 * expected, 0.7 * expected, 36, [&](double tangent) {
    const double angle = std::atan(tangent);
    const Vector3D along{-std::cos(angle), 0.0, std::sin(angle)};  // from foot to head
    const Vector3D above{std::sin(angle), 0.0, std::cos(angle)};   // off the lower side
    const Vector3D foot{length * std::cos(angle), 0.0, 0.0};
    const Coordinate centre = foot + 0.5 * length * along + 0.5 * thickness * above;
    Matrix3D axes;
    axes.col(2) = along;
    axes.col(0) = above;
    axes.col(1) = along.cross(above);
    WorldModel world{exactSettings(kTight)};
    // Pairs take the geometric mean; the bar's coefficient is 1.
    world.spawn(EnvironmentDescription{
        .shape = Plane{}, .friction = muFloor * muFloor, .restitution = 0.0});
    world.spawn(EnvironmentDescription{
        .shape = Plane{Vector3D::UnitX(), 0.0}, .friction = muWall * muWall, .restitution = 0.0});
    addBlock(world, {.half = {0.5 * thickness, 0.2, 0.5 * length},
                     .at = centre,
                     .friction = 1.0,
                     .orientation = Quaternion{axes}});
    return stands(world, 1e-10);
  });
  printThreshold("ladder, tan of the angle", found, expected);
  EXPECT_NEAR(found, expected, 1e-6);
}

TEST(ExactThreshold, stackOfFourBooksOverhangsByTheHarmonicSum) {
  // Overhang (L/2)(1 + 1/2 + 1/3 + 1/4) = 25/24 L: every joint is at its limit at once.
  const double length = 1.0, height = 0.1;
  const double found = bisect(0.9, 1.1, 34, [&](double scale) {
    WorldModel world{exactSettings(kTight)};
    world.spawn(EnvironmentDescription{.shape = Box{{2.0, 1.0, 0.5}},
                                       .position = {-2.0, 0.0, -0.5},
                                       .friction = 0.6,
                                       .restitution = 0.0});
    double x = -0.5 * length;  // centre of the book with its end at the edge x = 0
    for (int i = 0; i < 4; ++i) {
      x += scale * 0.5 * length / (4 - i);
      addBlock(world, {.half = {0.5 * length, 0.3, 0.5 * height},
                       .at = {x, 0.0, height * (i + 0.5)},
                       .friction = 0.6});
    }
    return stands(world, 1e-10);
  });
  printThreshold("overhang of four books", found * 25.0 / 24.0, 25.0 / 24.0);
  EXPECT_NEAR(found, 1.0, 1e-6);
}

TEST(ExactThreshold, pushMovesABlockAtTheSameForceInTwelveDirections) {
  // |F| = µ m g, applied as a tilt of gravity.
  const double mu = 0.5;
  double least = 1e300, most = 0.0;
  for (int k = 0; k < 12; ++k) {
    const double phi = 2.0 * std::numbers::pi * k / 12.0;
    const double found = bisect(0.9, 1.1, 40, [&](double share) {
      Settings settings = exactSettings(kTight);
      settings.gravity = {share * mu * kG * std::cos(phi), share * mu * kG * std::sin(phi), -kG};
      WorldModel world{settings};
      addFloor(world, mu);
      addBlock(world, {.half = {0.5, 0.5, 0.2}, .at = {0.0, 0.0, 0.2}, .friction = mu});
      return stands(world, 1e-9);
    });
    least = std::min(least, found);
    most = std::max(most, found);
  }
  printThreshold("force to move a block, least", least, 1.0);
  printThreshold("force to move a block, most", most, 1.0);
  EXPECT_LE(most - least, 1e-8);
  EXPECT_NEAR(most, 1.0, 1e-8);
}

/// Semicircular arch of `count` voussoirs with radial joints and mean radius 1 on the floor.
WorldModel archWorld(int count, double thickness, double mu) {
  WorldModel world{exactSettings(1e-10)};
  addFloor(world, mu);
  const double inner = 1.0 - 0.5 * thickness, outer = 1.0 + 0.5 * thickness;
  for (int k = 0; k < count; ++k) {
    std::vector<Eigen::Vector3d> corners;
    for (const int j : {k, k + 1}) {
      const double angle = std::numbers::pi * j / count;
      for (const double radius : {inner, outer}) {
        for (const double y : {-0.1, 0.1}) {
          corners.emplace_back(radius * std::cos(angle), y, radius * std::sin(angle));
        }
      }
    }
    world.spawn(InertialDescription{.shape = msd_assets::makeHull(corners),
                                    .density = 2000.0,
                                    .friction = mu,
                                    .restitution = 0.0});
  }
  return world;
}

TEST(ExactThreshold, archOf21VoussoirsStandsAboveTheLimitThickness) {
  // Limit analysis (no tension, no sliding) of 21 equal voussoirs: t/R = 0.1068.
  const double expected = 0.10679;
  const double found = bisect(0.120, 0.095, 7, [&](double thickness) {
    WorldModel world = archWorld(21, thickness, 0.9);
    return stands(world, 1e-5, 20);
  });
  printThreshold("arch of 21, thickness over radius", found, expected);
  EXPECT_NEAR(found, expected, 0.01 * expected);
}

}  // namespace
}  // namespace msd_sim
