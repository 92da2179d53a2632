#include "msd-exe/src/Bench/BenchScenes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "msd-exe/src/Bench/MovingScenes.hpp"
#include "msd-exe/src/Bench/SceneBuilder.hpp"
#include "msd-exe/src/Command.hpp"
#include "msd-scene/src/Suggestion.hpp"

namespace msd_exe {

namespace {

using msd_scene::SceneDocument;
using msd_sim::Coordinate;
using msd_sim::Vector3D;

const Vector3D kCube{0.5, 0.5, 0.5};

SceneDocument pyramid(std::string_view name, int base, std::uint64_t steps) {
  SceneBuilder scene{name, steps};
  scene.ground(std::max(100.0, static_cast<double>(base)));
  scene.box("cube", kCube);
  scene.pyramid("cube", base, 0.0, 0.0);
  return scene.document;
}

SceneDocument manyPyramids(std::string_view name) {
  constexpr int kGrid = 10;
  constexpr int kBase = 10;
  SceneBuilder scene{name, 200};
  scene.ground(100.0);
  scene.box("cube", kCube);
  for (int i = 0; i < kGrid; ++i) {
    for (int j = 0; j < kGrid; ++j) {
      scene.pyramid(fmt::format("p{}_{}", i, j), kBase, (i - 0.5 * (kGrid - 1)) * (kBase + 2),
                    (j - 0.5 * (kGrid - 1)) * 4.0);
    }
  }
  return scene.document;
}

struct PileSize {
  int count;
  double cell;       ///< of the lattice the bodies start in [m]
  double innerHalf;  ///< of the container [m]
  std::uint64_t steps;
};

SceneDocument pile(std::string_view name, Random random, const DrawShape& draw,
                   const PileSize& size) {
  SceneBuilder scene{name, size.steps};
  const int perSide = static_cast<int>(2.0 * size.innerHalf / size.cell);
  const int layers = (size.count + perSide * perSide - 1) / (perSide * perSide);
  scene.container(size.innerHalf, std::ceil(layers * size.cell) + 4.0);
  scene.dropLayers(random, size.count, size.cell, perSide, 0.0, draw);
  return scene.document;
}

/// A vertical net of balls in the plane y = 0, joined at their touching points; the top row is
/// static, nothing collides.
SceneDocument jointGrid(std::string_view name, int size) {
  SceneBuilder scene{name, 200};
  scene.shape("bead", {.geometry = msd_scene::SphereShape{0.4}});
  const double top = size + 10.0;
  const auto bead = [](int column, int row) { return fmt::format("bead_{}_{}", column, row); };
  for (int column = 0; column < size; ++column) {
    for (int row = 0; row < size; ++row) {
      const double height = top - row;
      scene.body(bead(column, row), "bead", {static_cast<double>(column), 0.0, height}, row == 0)
          .collides = false;
      if (row > 0) {
        scene.ballJoint(bead(column, row - 1), bead(column, row),
                        {static_cast<double>(column), 0.0, height + 0.5});
      }
      // A joint between two static bodies would hold nothing.
      if (column > 0 && row > 0)
        scene.ballJoint(bead(column - 1, row), bead(column, row), {column - 0.5, 0.0, height});
    }
  }
  return scene.document;
}

/// Mixed bodies on a bumpy bowl: a mesh of 0.5 m cells.
SceneDocument meshRain(std::string_view name, Random random) {
  constexpr std::uint32_t kCells = 100;
  constexpr double kHalf = 0.25 * kCells;
  SceneBuilder scene{name, 400};
  std::array<double, 4> phase{};
  for (double& p : phase) p = random.uniform(0.0, 2.0 * std::numbers::pi);
  msd_scene::MeshShape mesh;
  for (std::uint32_t j = 0; j <= kCells; ++j) {
    for (std::uint32_t i = 0; i <= kCells; ++i) {
      const double x = 0.5 * i - kHalf;
      const double y = 0.5 * j - kHalf;
      const double bumps = 0.35 * std::sin(0.9 * x + phase[0]) * std::cos(0.8 * y + phase[1]);
      const double ripples = 0.12 * std::sin(2.3 * x + phase[2]) * std::sin(2.1 * y + phase[3]);
      mesh.vertices.emplace_back(
          x, y, bumps + ripples + 0.008 * (x * x + y * y) + random.uniform(-0.04, 0.04));
    }
  }
  mesh.triangles = gridTriangles(kCells, kCells);
  scene.shape("terrain", {.geometry = mesh});
  scene.body("terrain", "terrain", {0.0, 0.0, 0.0}, true);
  scene.dropLayers(random, 1000, 1.6, 20, 5.0, mixture({randomBox, randomHull, randomCapsule}));
  return scene.document;
}

SceneDocument stack(std::string_view name, int height) {
  SceneBuilder scene{name, 1000};
  scene.ground(20.0);
  scene.box("cube", kCube);
  for (int level = 0; level < height; ++level) {
    scene.body(fmt::format("cube_{}", level), "cube", {0.0, 0.0, level + 0.5});
  }
  return scene.document;
}

constexpr auto kScenes = std::to_array<BenchScene>({
    {"pyramid", "public", "wall pyramid of base 60, 1830 cubes"},
    {"many_pyramids", "public", "100 wall pyramids of base 10"},
    {"box_pile", "public", "2000 boxes dropped into a container"},
    {"hull_pile", "public", "2000 hulls of 12 to 24 points dropped into a container"},
    {"sphere_pile", "public", "5000 spheres dropped into a container"},
    {"joint_grid", "public", "hanging net of 60 by 60 bodies, 7021 ball joints"},
    {"mesh_rain", "public", "1000 bodies on a bowl of 20,000 triangles"},
    {"mixed_10k", "public", "10,000 spheres, boxes and capsules dropped into a container"},
    {"stack_20", "public", "tower of 20 cubes"},
    {"landslide", "moving", "1500 bodies slide down a bumpy slope of 11,520 triangles"},
    {"silo", "moving", "2500 spheres and boxes run out of a silo"},
    {"blast", "moving", "1728 cubes fly apart in a closed room"},
    {"collapse", "moving", "40 towers of 24 bricks fall over each other"},
    {"ragdolls", "moving", "150 chains of 8 capsules tumble down a flight of stairs"},
    {"chain_10", "mechanisms", "a chain of 10 capsules drops on a floor"},
    {"chain_40", "mechanisms", "a chain of 40 capsules drops on a floor"},
    {"chains_16", "mechanisms", "16 chains of 10 capsules drop on a floor"},
    {"chains_64", "mechanisms", "64 chains of 10 capsules drop on a floor"},
    {"small_pyramid", "small", "wall pyramid of base 10, small enough for every engine"},
    {"small_box_pile", "small", "150 boxes dropped into a container"},
    {"mixed_1k", "large", "1000 mixed bodies, for growth with size"},
    {"mixed_50k", "large", "50,000 mixed bodies"},
    {"pyramid_100", "large", "wall pyramid of base 100, 2000 steps"},
});

}  // namespace

std::span<const BenchScene> benchScenes() {
  return kScenes;
}

std::vector<std::string> scenesOfSet(std::string_view set) {
  std::vector<std::string> names;
  for (const BenchScene& scene : kScenes) {
    if (scene.set == set) names.emplace_back(scene.name);
  }
  return names;
}

void checkBenchScene(std::string_view name) {
  if (std::ranges::find(kScenes, name, &BenchScene::name) != kScenes.end()) return;
  std::vector<std::string_view> known;
  known.reserve(kScenes.size());
  for (const BenchScene& scene : kScenes) known.push_back(scene.name);
  const auto closest = msd_scene::findClosest(name, known);
  throw UsageError{fmt::format("unknown scene {}; {}", name,
                               closest
                                   ? fmt::format("did you mean {}?", *closest)
                                   : std::string{"see msd bench --list, or name a scene file"})};
}

SceneDocument makeBenchScene(std::string_view name, std::uint64_t seed) {
  const Random random{seed, name};
  const DrawShape mixed = mixture({randomSphere, randomBox, randomCapsule});
  if (name == "pyramid") return pyramid(name, 60, 300);
  if (name == "many_pyramids") return manyPyramids(name);
  if (name == "box_pile") return pile(name, random, randomBox, {2000, 1.6, 8.0, 500});
  if (name == "hull_pile") return pile(name, random, randomHull, {2000, 1.6, 8.0, 500});
  if (name == "sphere_pile") return pile(name, random, randomSphere, {5000, 1.05, 8.0, 500});
  if (name == "joint_grid") return jointGrid(name, 60);
  if (name == "mesh_rain") return meshRain(name, random);
  if (name == "mixed_10k") return pile(name, random, mixed, {10000, 1.6, 20.0, 300});
  if (name == "stack_20") return stack(name, 20);
  if (name == "landslide") return landslide(name, random);
  if (name == "silo") return silo(name, random);
  if (name == "blast") return blast(name, random);
  if (name == "collapse") return collapse(name, random);
  if (name == "ragdolls") return ragdolls(name, random);
  if (name == "chain_10") return chains(name, random, 1, 10);
  if (name == "chain_40") return chains(name, random, 1, 40);
  if (name == "chains_16") return chains(name, random, 16, 10);
  if (name == "chains_64") return chains(name, random, 64, 10);
  if (name == "small_pyramid") return pyramid(name, 10, 600);
  if (name == "small_box_pile") return pile(name, random, randomBox, {150, 1.6, 3.2, 400});
  if (name == "mixed_1k") return pile(name, random, mixed, {1000, 1.6, 6.4, 300});
  if (name == "mixed_50k") return pile(name, random, mixed, {50000, 1.6, 44.0, 200});
  if (name == "pyramid_100") return pyramid(name, 100, 2000);
  checkBenchScene(name);
  throw std::logic_error{fmt::format("scene {} is listed and not made", name)};
}

}  // namespace msd_exe
