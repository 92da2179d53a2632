#include "msd-exe/src/Bench/MovingScenes.hpp"

#include <fmt/format.h>

#include <numbers>

namespace msd_exe {

namespace {

using msd_scene::SceneBody;
using msd_scene::SceneDocument;
using msd_scene::SceneShape;
using msd_sim::Coordinate;
using msd_sim::CoordinateRate;
using msd_sim::Vector3D;

constexpr double kDegree = std::numbers::pi / 180.0;

std::array<double, 4> aboutY(double angle) {
  return {std::cos(0.5 * angle), 0.0, std::sin(0.5 * angle), 0.0};
}

/// A drawn shape under its own name, as a body that is turned at random.
void addTurned(SceneBuilder& scene, Random& random, SceneShape drawn, int index,
               const Coordinate& position) {
  const std::string name = fmt::format("{}_{}", msd_scene::typeName(drawn), index);
  scene.shape(name, std::move(drawn));
  SceneBuilder::turn(scene.body(name, name, position), random.unit<4>());
}

/// Height of the slope: an even fall with bumps, and rims that keep the bodies on it [m].
double slopeHeight(double x, double y) {
  const double rim = std::abs(y) > 6.0 ? 0.04 * y * y : 0.0;
  return -std::tan(32.0 * kDegree) * x + 0.4 * std::sin(0.7 * x + 0.5 * y) * std::cos(0.6 * y) +
         rim;
}

msd_scene::MeshShape slopeMesh(Random& random) {
  constexpr std::uint32_t kColumns = 240;  // cells of 1 m
  constexpr std::uint32_t kRows = 24;
  msd_scene::MeshShape mesh;
  for (std::uint32_t j = 0; j <= kRows; ++j) {
    for (std::uint32_t i = 0; i <= kColumns; ++i) {
      const double x = i - 20.0;
      const double y = j - 0.5 * kRows;
      mesh.vertices.emplace_back(x, y, slopeHeight(x, y) + random.uniform(-0.08, 0.08));
    }
  }
  mesh.triangles = gridTriangles(kColumns, kRows);
  return mesh;
}

/// Capsules in a row, 1 m apart along z, each joined to the one before halfway between them.
template <class Velocity>
void addChain(SceneBuilder& scene, int chain, int links, const Coordinate& foot,
              Velocity&& velocity) {
  for (int link = 0; link < links; ++link) {
    const std::string name = fmt::format("bone_{}_{}", chain, link);
    SceneBuilder::launch(
        scene.body(name, "bone", {foot.x(), foot.y(), foot.z() + 1.0 * link}), velocity());
    if (link > 0) {
      scene.ballJoint(fmt::format("bone_{}_{}", chain, link - 1), name,
                      {foot.x(), foot.y(), foot.z() + 1.0 * link - 0.5});
    }
  }
}

void addBone(SceneBuilder& scene) {
  scene.shape("bone", {.geometry = msd_scene::CapsuleShape{0.1, 0.3}});
}

}  // namespace

SceneDocument landslide(std::string_view name, Random random) {
  SceneBuilder scene{name, 400, 0.25};
  scene.shape("slope", {.geometry = slopeMesh(random)});
  scene.body("slope", "slope", {0.0, 0.0, 0.0}, true);
  const DrawShape draw = mixture({randomBox, randomHull, randomCapsule});
  for (int index = 0; index < 1500; ++index) {
    SceneShape drawn = drawnWithin(random, draw, 0.8);
    const int place = index % 150;
    const int layer = index / 150;
    const double x = -16.0 + 1.6 * (place % 15);
    const double y = -7.2 + 1.6 * (place / 15);
    addTurned(scene, random, std::move(drawn), index,
              {x, y, slopeHeight(x, y) + 2.5 + 1.6 * layer});
  }
  return scene.document;
}

SceneDocument silo(std::string_view name, Random random) {
  SceneBuilder scene{name, 400, 0.3};
  constexpr double kAngle = 48.0 * kDegree;
  scene.box("side", {8.0, 9.0, 0.5});
  scene.box("end", {14.0, 0.5, 12.0});
  const double away = 0.9 + 8.0 * std::cos(kAngle) + 0.5 * std::sin(kAngle);
  const double up = 8.0 * std::sin(kAngle) - 0.5 * std::cos(kAngle);
  SceneBuilder::turn(scene.body("side_pos", "side", {away, 0.0, up}, true), aboutY(-kAngle));
  SceneBuilder::turn(scene.body("side_neg", "side", {-away, 0.0, up}, true), aboutY(kAngle));
  scene.body("end_pos", "end", {0.0, 8.0, 8.0}, true);
  scene.body("end_neg", "end", {0.0, -8.0, 8.0}, true);
  const DrawShape draw = mixture({randomSphere, randomBox});
  for (int index = 0; index < 2500; ++index) {
    SceneShape drawn = drawnWithin(random, draw, 0.775);
    const int layer = index / 90;
    const int place = index % 90;
    addTurned(scene, random, std::move(drawn), index,
              {1.55 * (place % 10 - 4.5), 1.55 * (place / 10 - 4.0), 13.5 + 1.6 * layer});
  }
  return scene.document;
}

SceneDocument blast(std::string_view name, Random random) {
  constexpr int kSide = 12;
  constexpr double kRoom = 16.0;
  SceneBuilder scene{name, 200, 0.4};
  for (int axis = 0; axis < 3; ++axis) {
    const std::string wall = fmt::format("wall_{}", "xyz"[axis]);
    Vector3D half{kRoom + 2.0, kRoom + 2.0, kRoom + 2.0};
    half[axis] = 1.0;
    scene.box(wall, half);
    for (const int sign : {-1, 1}) {
      Coordinate centre{0.0, 0.0, kRoom};
      centre[axis] += sign * (kRoom + 1.0);
      scene.body(fmt::format("{}_{}", wall, sign + 1), wall, centre, true);
    }
  }
  scene.box("cube", {0.3, 0.3, 0.3});
  const auto offset = [](int place) { return 0.75 * (place - 0.5 * (kSide - 1)); };
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; ++j) {
      for (int k = 0; k < kSide; ++k) {
        const Coordinate from{offset(i), offset(j), offset(k)};
        CoordinateRate velocity;
        for (int c = 0; c < 3; ++c) velocity[c] = 3.0 * from[c] + random.uniform(-1.0, 1.0);
        SceneBuilder::launch(scene.body(fmt::format("cube_{}_{}_{}", i, j, k), "cube",
                                        {from.x(), from.y(), from.z() + kRoom}),
                             velocity);
      }
    }
  }
  return scene.document;
}

SceneDocument collapse(std::string_view name, Random random) {
  SceneBuilder scene{name, 300, 0.5};
  scene.ground(100.0);
  scene.box("brick", {0.4, 0.6, 0.25});
  for (int tower = 0; tower < 40; ++tower) {
    for (int level = 0; level < 24; ++level) {
      CoordinateRate velocity{0.25 * level, 0.0, 0.0};
      velocity.x() += random.uniform(-0.1, 0.1);
      velocity.y() += random.uniform(-0.2, 0.2);
      SceneBuilder::launch(
          scene.body(fmt::format("brick_{}_{}", tower, level), "brick",
                     {2.6 * (tower % 8) + 0.02 * level, 3.0 * (tower / 8), 0.25 + 0.5 * level}),
          velocity);
    }
  }
  return scene.document;
}

SceneDocument ragdolls(std::string_view name, Random random) {
  SceneBuilder scene{name, 300, 0.5};
  scene.box("step", {1.0, 20.0, 4.0});
  for (int i = 0; i < 60; ++i)
    scene.body(fmt::format("step_{}", i), "step", {2.0 * i, 0.0, -4.0 - 1.0 * i}, true);
  addBone(scene);
  for (int c = 0; c < 150; ++c) {
    const Coordinate foot{-0.5 + 2.6 * (c % 5), -18.0 + 1.2 * (c / 5 % 30), 1.5 + 1.0 * (c % 5)};
    addChain(scene, c, 8, foot, [&] {
      CoordinateRate velocity{4.0, 0.0, 0.0};
      velocity.x() += random.uniform(-0.5, 0.5);
      velocity.y() += random.uniform(-0.5, 0.5);
      return velocity;
    });
  }
  return scene.document;
}

SceneDocument chains(std::string_view name, Random random, int count, int links) {
  SceneBuilder scene{name, 600, 0.5};
  scene.ground(60.0);
  addBone(scene);
  for (int c = 0; c < count; ++c) {
    addChain(scene, c, links, {2.0 * (c % 8), 2.0 * (c / 8), 1.0}, [&] {
      CoordinateRate velocity{0.0, 0.0, 0.0};
      velocity.x() = random.uniform(-1.0, 1.0);
      velocity.y() = random.uniform(-1.0, 1.0);
      return velocity;
    });
  }
  return scene.document;
}

}  // namespace msd_exe
