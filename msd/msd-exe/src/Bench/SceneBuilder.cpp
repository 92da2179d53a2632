#include "msd-exe/src/Bench/SceneBuilder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "msd-assets/src/MassProperties.hpp"

namespace msd_exe {

namespace {

using msd_scene::SceneBody;
using msd_scene::SceneShape;
using msd_sim::Coordinate;
using msd_sim::Vector3D;

double rounded(double value) {
  return std::stod(fmt::format("{:.10f}", value));
}
Vector3D rounded(const Vector3D& v) {
  return {rounded(v.x()), rounded(v.y()), rounded(v.z())};
}

void roundNumbers(SceneShape& shape) {
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

}  // namespace

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

SceneShape drawnWithin(Random& random, const DrawShape& draw, double radius) {
  SceneShape drawn = draw(random);
  while (boundingRadius(drawn) > radius) drawn = draw(random);
  return drawn;
}

std::vector<std::array<std::uint32_t, 3>> gridTriangles(std::uint32_t columns,
                                                        std::uint32_t rows) {
  std::vector<std::array<std::uint32_t, 3>> triangles;
  for (std::uint32_t j = 0; j < rows; ++j) {
    for (std::uint32_t i = 0; i < columns; ++i) {
      const std::uint32_t a = j * (columns + 1) + i;
      const std::uint32_t b = a + 1;
      const std::uint32_t c = a + columns + 1;
      const std::uint32_t d = c + 1;
      if ((i + j) % 2 != 0) {
        triangles.insert(triangles.end(), {{a, b, d}, {a, d, c}});
      } else {
        triangles.insert(triangles.end(), {{a, b, c}, {b, d, c}});
      }
    }
  }
  return triangles;
}

SceneBuilder::SceneBuilder(std::string_view name, std::uint64_t steps, double friction) {
  document.name = name;
  document.steps = steps;
  document.materials.push_back(
      {.name = "default", .friction = friction, .restitution = 0.0, .density = 1000.0});
}

void SceneBuilder::shape(std::string name, SceneShape shape) {
  shape.name = std::move(name);
  roundNumbers(shape);
  document.shapes.push_back(std::move(shape));
}

void SceneBuilder::box(const std::string& name, const Vector3D& halfExtents) {
  shape(name, {.geometry = msd_scene::BoxShape{halfExtents}});
}

SceneBody& SceneBuilder::body(std::string name, std::string shape, const Coordinate& position,
                              bool isStatic) {
  document.bodies.push_back({.name = std::move(name),
                             .shape = std::move(shape),
                             .isStatic = isStatic,
                             .position = rounded(position)});
  return document.bodies.back();
}

void SceneBuilder::turn(SceneBody& body, const std::array<double, 4>& rotation) {
  for (std::size_t k = 0; k < rotation.size(); ++k) body.orientation[k] = rounded(rotation[k]);
}

void SceneBuilder::launch(SceneBody& body, const msd_sim::CoordinateRate& velocity) {
  body.linearVelocity = rounded(velocity);
}

void SceneBuilder::ballJoint(std::string bodyA, std::string bodyB, const Coordinate& anchor) {
  document.joints.push_back({.kind = msd_sim::JointKind::kBall,
                             .bodyA = std::move(bodyA),
                             .bodyB = std::move(bodyB),
                             .anchor = rounded(anchor)});
}

void SceneBuilder::ground(double halfSize) {
  box("ground", {halfSize, halfSize, 1.0});
  body("ground", "ground", {0.0, 0.0, -1.0}, true);
}

void SceneBuilder::container(double innerHalf, double height) {
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

void SceneBuilder::dropLayers(Random& random, int count, double cell, int perSide, double base,
                              const DrawShape& draw) {
  for (int index = 0; index < count; ++index) {
    SceneShape drawn = drawnWithin(random, draw, 0.5 * cell);
    const double slack = 0.5 * cell - boundingRadius(drawn);
    const int layer = index / (perSide * perSide);
    const int row = index % (perSide * perSide) / perSide;
    const int column = index % perSide;
    Coordinate centre{(column - 0.5 * (perSide - 1)) * cell, (row - 0.5 * (perSide - 1)) * cell,
                      base + (layer + 0.5) * cell};
    for (int k = 0; k < 3; ++k) centre[k] += random.uniform(-slack, slack);
    const std::string name = fmt::format("{}_{}", msd_scene::typeName(drawn), index);
    shape(name, std::move(drawn));
    turn(body(name, name, centre), random.unit<4>());
  }
}

void SceneBuilder::pyramid(const std::string& prefix, int base, double x0, double y0) {
  for (int row = 0; row < base; ++row) {
    for (int column = 0; column < base - row; ++column) {
      body(fmt::format("{}_{}_{}", prefix, row, column), "cube",
           {x0 + column + 0.5 * row - 0.5 * (base - 1), y0, row + 0.5});
    }
  }
}

}  // namespace msd_exe
