#include "msd-exe/src/Bench/BenchScenes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "msd-assets/src/MassProperties.hpp"
#include "msd-exe/src/Command.hpp"
#include "msd-scene/src/Suggestion.hpp"

namespace msd_exe {

namespace {

using msd_scene::SceneBody;
using msd_scene::SceneDocument;
using msd_scene::SceneShape;
using msd_sim::Coordinate;
using msd_sim::Vector3D;

/// splitmix64 (Steele, Lea and Flood 2014): small, and the same on every machine.
class Random {
 public:
  /// A stream of its own for each name, so that a scene does not depend on the others.
  Random(std::uint64_t seed, std::string_view name) : state_{seed} {
    for (const char c : name) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  }
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53);
  }
  /// From low to high, both included.
  int integer(int low, int high) {
    return low + static_cast<int>(bits() % static_cast<std::uint64_t>(high - low + 1));
  }
  /// Uniform on the sphere of N - 1 dimensions, by rejection from the ball.
  template <std::size_t N>
  std::array<double, N> unit() {
    while (true) {
      std::array<double, N> v{};
      double squared = 0.0;
      for (double& x : v) {
        x = uniform(-1.0, 1.0);
        squared += x * x;
      }
      const double length = std::sqrt(squared);
      if (!(0.05 < length && length <= 1.0)) continue;
      for (double& x : v) x /= length;
      return v;
    }
  }

 private:
  std::uint64_t bits() {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

/// Ten decimals: far below any tolerance, and it hides last-bit differences of sine and cosine.
double rounded(double value) {
  return std::stod(fmt::format("{:.10f}", value));
}
Coordinate rounded(const Coordinate& v) {
  return {rounded(v.x()), rounded(v.y()), rounded(v.z())};
}

double boundingRadius(const SceneShape& shape) {
  if (const auto* box = std::get_if<msd_scene::BoxShape>(&shape.geometry))
    return box->halfExtents.norm();
  if (const auto* ball = std::get_if<msd_scene::SphereShape>(&shape.geometry)) return ball->radius;
  if (const auto* c = std::get_if<msd_scene::CapsuleShape>(&shape.geometry))
    return c->radius + c->halfHeight;
  double radius = 0.0;
  for (const Coordinate& v : std::get<msd_scene::HullShape>(shape.geometry).vertices)
    radius = std::max(radius, v.norm());
  return radius;
}

using DrawShape = std::function<SceneShape(Random&)>;

SceneShape randomBox(Random& random) {
  Vector3D half;
  for (int i = 0; i < 3; ++i) half[i] = random.uniform(0.25, 0.5);
  return {.geometry = msd_scene::BoxShape{half}};
}

SceneShape randomSphere(Random& random) {
  return {.geometry = msd_scene::SphereShape{random.uniform(0.25, 0.5)}};
}

SceneShape randomCapsule(Random& random) {
  const double radius = random.uniform(0.2, 0.35);
  return {.geometry = msd_scene::CapsuleShape{radius, random.uniform(0.15, 0.4)}};
}

/// Hull of 12 to 24 points of an ellipsoid, a least distance apart, about its centre of mass.
SceneShape randomHull(Random& random) {
  constexpr double kLeastDistance = 0.08;  // of the unit sphere
  Vector3D radii;
  for (int i = 0; i < 3; ++i) radii[i] = random.uniform(0.4, 0.7);
  const auto count = static_cast<std::size_t>(random.integer(12, 24));
  std::vector<Vector3D> directions;
  while (directions.size() < count) {
    const auto d = random.unit<3>();
    const Vector3D direction{d[0], d[1], d[2]};
    const bool apart = std::ranges::all_of(directions, [&](const Vector3D& e) {
      return (direction - e).squaredNorm() > kLeastDistance * kLeastDistance;
    });
    if (apart) directions.push_back(direction);
  }
  std::vector<Eigen::Vector3d> points;
  for (const Vector3D& d : directions) points.emplace_back(radii.cwiseProduct(d));
  const Eigen::Vector3d centre =
      msd_assets::computeMassProperties(msd_assets::makeHull(points)).centreOfMass;
  msd_scene::HullShape hull;
  for (const Eigen::Vector3d& p : points) hull.vertices.emplace_back(p - centre);
  return {.geometry = hull};
}

DrawShape mixture(std::vector<DrawShape> draws) {
  return [draws = std::move(draws)](Random& random) {
    return draws[static_cast<std::size_t>(random.integer(0, static_cast<int>(draws.size()) - 1))](
        random);
  };
}

class Builder {
 public:
  Builder(std::string_view name, std::uint64_t steps) {
    document.name = name;
    document.steps = steps;
    document.materials.push_back(
        {.name = "default", .friction = 0.6, .restitution = 0.0, .density = 1000.0});
  }

  SceneDocument document{};

  void shape(std::string name, SceneShape shape) {
    shape.name = std::move(name);
    roundNumbers(shape);
    document.shapes.push_back(std::move(shape));
  }
  void box(const std::string& name, const Vector3D& halfExtents) {
    shape(name, {.geometry = msd_scene::BoxShape{halfExtents}});
  }
  SceneBody& body(std::string name, std::string shape, const Coordinate& position,
                  bool isStatic = false) {
    document.bodies.push_back({.name = std::move(name),
                               .shape = std::move(shape),
                               .isStatic = isStatic,
                               .position = rounded(position)});
    return document.bodies.back();
  }

  void ground(double halfSize) {
    box("ground", {halfSize, halfSize, 1.0});
    body("ground", "ground", {0.0, 0.0, -1.0}, true);
  }

  /// An open box: floor with its top at z = 0 and four walls, all static, 2 m thick.
  void container(double innerHalf, double height) {
    const double outer = innerHalf + 2.0;
    box("floor", {outer, outer, 1.0});
    box("wall_x", {1.0, outer, 0.5 * height});
    box("wall_y", {innerHalf, 1.0, 0.5 * height});
    body("floor", "floor", {0.0, 0.0, -1.0}, true);
    for (const auto& [sign, tag] : {std::pair{-1.0, "neg"}, std::pair{1.0, "pos"}}) {
      body(fmt::format("wall_x_{}", tag), "wall_x", {sign * (innerHalf + 1.0), 0.0, 0.5 * height},
           true);
      body(fmt::format("wall_y_{}", tag), "wall_y", {0.0, sign * (innerHalf + 1.0), 0.5 * height},
           true);
    }
  }

  /// Bodies in the cells of a cubic lattice, moved within the cell and turned at random.
  void dropLayers(Random& random, int count, double cell, int perSide, double base,
                  const DrawShape& draw) {
    for (int index = 0; index < count; ++index) {
      SceneShape drawn = draw(random);
      while (boundingRadius(drawn) > 0.5 * cell) drawn = draw(random);
      const double slack = 0.5 * cell - boundingRadius(drawn);
      const int layer = index / (perSide * perSide);
      const int row = index % (perSide * perSide) / perSide;
      const int column = index % perSide;
      Coordinate centre{(column - 0.5 * (perSide - 1)) * cell, (row - 0.5 * (perSide - 1)) * cell,
                        base + (layer + 0.5) * cell};
      for (int k = 0; k < 3; ++k) centre[k] += random.uniform(-slack, slack);
      const std::string name = fmt::format("{}_{}", msd_scene::typeName(drawn), index);
      shape(name, std::move(drawn));
      SceneBody& made = body(name, name, centre);
      const auto q = random.unit<4>();
      for (std::size_t k = 0; k < 4; ++k) made.orientation[k] = rounded(q[k]);
    }
  }

  /// Wall pyramid of 1 m cubes in the plane y = y0, its base centred on x0.
  void pyramid(const std::string& prefix, int base, double x0, double y0) {
    for (int row = 0; row < base; ++row) {
      for (int column = 0; column < base - row; ++column) {
        body(fmt::format("{}_{}_{}", prefix, row, column), "cube",
             {x0 + column + 0.5 * row - 0.5 * (base - 1), y0, row + 0.5});
      }
    }
  }

 private:
  static void roundNumbers(SceneShape& shape) {
    if (auto* box = std::get_if<msd_scene::BoxShape>(&shape.geometry))
      box->halfExtents = rounded(box->halfExtents);
    if (auto* ball = std::get_if<msd_scene::SphereShape>(&shape.geometry))
      ball->radius = rounded(ball->radius);
    if (auto* c = std::get_if<msd_scene::CapsuleShape>(&shape.geometry)) {
      c->radius = rounded(c->radius);
      c->halfHeight = rounded(c->halfHeight);
    }
    if (auto* hull = std::get_if<msd_scene::HullShape>(&shape.geometry)) {
      for (Coordinate& v : hull->vertices) v = rounded(v);
    }
    if (auto* mesh = std::get_if<msd_scene::MeshShape>(&shape.geometry)) {
      for (Coordinate& v : mesh->vertices) v = rounded(v);
    }
  }
};

const Vector3D kCube{0.5, 0.5, 0.5};

SceneDocument pyramid(std::string_view name, int base, std::uint64_t steps) {
  Builder scene{name, steps};
  scene.ground(std::max(100.0, static_cast<double>(base)));
  scene.box("cube", kCube);
  scene.pyramid("cube", base, 0.0, 0.0);
  return scene.document;
}

SceneDocument manyPyramids(std::string_view name) {
  constexpr int kGrid = 10;
  constexpr int kBase = 10;
  Builder scene{name, 200};
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
  Builder scene{name, size.steps};
  const int perSide = static_cast<int>(2.0 * size.innerHalf / size.cell);
  const int layers = (size.count + perSide * perSide - 1) / (perSide * perSide);
  scene.container(size.innerHalf, std::ceil(layers * size.cell) + 4.0);
  scene.dropLayers(random, size.count, size.cell, perSide, 0.0, draw);
  return scene.document;
}

/// A vertical net of balls in the plane y = 0, joined at their touching points; the top row is
/// static, nothing collides.
SceneDocument jointGrid(std::string_view name, int size) {
  Builder scene{name, 200};
  scene.shape("bead", {.geometry = msd_scene::SphereShape{0.4}});
  const double top = size + 10.0;
  const auto bead = [](int column, int row) { return fmt::format("bead_{}_{}", column, row); };
  const auto join = [&](int columnA, int rowA, int column, int row, const Coordinate& anchor) {
    scene.document.joints.push_back({.kind = msd_sim::JointKind::kBall,
                                     .bodyA = bead(columnA, rowA),
                                     .bodyB = bead(column, row),
                                     .anchor = anchor});
  };
  for (int column = 0; column < size; ++column) {
    for (int row = 0; row < size; ++row) {
      const double height = top - row;
      scene.body(bead(column, row), "bead", {static_cast<double>(column), 0.0, height}, row == 0)
          .collides = false;
      if (row > 0)
        join(column, row - 1, column, row, {static_cast<double>(column), 0.0, height + 0.5});
      // A joint between two static bodies would hold nothing.
      if (column > 0 && row > 0) join(column - 1, row, column, row, {column - 0.5, 0.0, height});
    }
  }
  return scene.document;
}

/// Mixed bodies on a bumpy bowl: a mesh of 0.5 m cells, its diagonals alternating.
SceneDocument meshRain(std::string_view name, Random random) {
  constexpr std::uint32_t kCells = 100;
  constexpr double kHalf = 0.25 * kCells;
  Builder scene{name, 400};
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
  for (std::uint32_t j = 0; j < kCells; ++j) {
    for (std::uint32_t i = 0; i < kCells; ++i) {
      const std::uint32_t a = j * (kCells + 1) + i;
      const std::uint32_t b = a + 1;
      const std::uint32_t c = a + kCells + 1;
      const std::uint32_t d = c + 1;
      if ((i + j) % 2 != 0) {
        mesh.triangles.insert(mesh.triangles.end(), {{a, b, d}, {a, d, c}});
      } else {
        mesh.triangles.insert(mesh.triangles.end(), {{a, b, c}, {b, d, c}});
      }
    }
  }
  scene.shape("terrain", {.geometry = mesh});
  scene.body("terrain", "terrain", {0.0, 0.0, 0.0}, true);
  scene.dropLayers(random, 1000, 1.6, 20, 5.0, mixture({randomBox, randomHull, randomCapsule}));
  return scene.document;
}

SceneDocument stack(std::string_view name, int height) {
  Builder scene{name, 1000};
  scene.ground(20.0);
  scene.box("cube", kCube);
  for (int level = 0; level < height; ++level) {
    scene.body(fmt::format("cube_{}", level), "cube", {0.0, 0.0, level + 0.5});
  }
  return scene.document;
}

constexpr std::array<BenchScene, 14> kScenes{{
    {"pyramid", "wall pyramid of base 60, 1830 cubes", true},
    {"many_pyramids", "100 wall pyramids of base 10", true},
    {"box_pile", "2000 boxes dropped into a container", true},
    {"hull_pile", "2000 hulls of 12 to 24 points dropped into a container", true},
    {"sphere_pile", "5000 spheres dropped into a container", true},
    {"joint_grid", "hanging net of 60 by 60 bodies, 7021 ball joints", true},
    {"mesh_rain", "1000 bodies on a bowl of 20,000 triangles", true},
    {"mixed_10k", "10,000 spheres, boxes and capsules dropped into a container", true},
    {"stack_20", "tower of 20 cubes", true},
    {"small_pyramid", "wall pyramid of base 10, small enough for every engine", false},
    {"small_box_pile", "150 boxes dropped into a container", false},
    {"mixed_1k", "1000 mixed bodies, for growth with size", false},
    {"mixed_50k", "50,000 mixed bodies", false},
    {"pyramid_100", "wall pyramid of base 100, 2000 steps", false},
}};

}  // namespace

std::span<const BenchScene> benchScenes() {
  return kScenes;
}

void checkBenchScene(std::string_view name) {
  if (std::ranges::find(kScenes, name, &BenchScene::name) != kScenes.end()) return;
  std::vector<std::string_view> known;
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
  if (name == "small_pyramid") return pyramid(name, 10, 600);
  if (name == "small_box_pile") return pile(name, random, randomBox, {150, 1.6, 3.2, 400});
  if (name == "mixed_1k") return pile(name, random, mixed, {1000, 1.6, 6.4, 300});
  if (name == "mixed_50k") return pile(name, random, mixed, {50000, 1.6, 44.0, 200});
  if (name == "pyramid_100") return pyramid(name, 100, 2000);
  checkBenchScene(name);
  throw std::logic_error{fmt::format("scene {} is listed and not made", name)};
}

}  // namespace msd_exe
