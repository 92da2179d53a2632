#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "msd-sim/src/Environment/WorldModel.hpp"

/// Small scenes that several tests share. Every number is fixed: two calls give the same world.
namespace msd_sim::test {

/// Reproducible numbers in [0, 1).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_{seed * 2862933555777941757ull + 3037000493ull} {}
  double next() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }
  double between(double low, double high) { return low + (high - low) * next(); }
  Vector3D vector(double size) {
    return {between(-size, size), between(-size, size), between(-size, size)};
  }
  Quaternion turn() {
    Quaternion q{between(-1, 1), between(-1, 1), between(-1, 1), between(-1, 1)};
    if (q.norm() < 0.1) return Quaternion::Identity();
    return q.normalized();
  }

 private:
  std::uint64_t state_;
};

/// A flat square of cells x cells squares of side `cell`, each cut into two triangles, at height 0.
inline Shape flatMesh(int cells, double cell) {
  std::vector<Vector3D> vertices;
  std::vector<msd_assets::TriangleMesh::Triangle> triangles;
  const double half = 0.5 * cells * cell;
  for (int j = 0; j <= cells; ++j) {
    for (int i = 0; i <= cells; ++i) vertices.push_back({i * cell - half, j * cell - half, 0.0});
  }
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(j * (cells + 1) + i); };
  for (int j = 0; j < cells; ++j) {
    for (int i = 0; i < cells; ++i) {
      triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return Mesh{
      std::make_shared<const msd_assets::TriangleMesh>(std::move(vertices), std::move(triangles))};
}

/// A lump with `corners` corners of about `size`.
inline Shape lump(Random& random, int corners, double size) {
  std::vector<Vector3D> points;
  for (int i = 0; i < corners; ++i) {
    Vector3D p = random.vector(1.0);
    while (p.norm() < 0.2) p = random.vector(1.0);
    points.push_back(size * p.normalized());
  }
  return msd_assets::makeHull(points);
}

inline BodyId addFloor(WorldModel& world, double restitution = 0.0) {
  return world.spawn(EnvironmentDescription{.name = "floor",
                                            .shape = Box{{20.0, 20.0, 0.5}},
                                            .position = {0.0, 0.0, -0.5},
                                            .restitution = restitution});
}

/// Settings of a method, without sleeping.
inline Settings awake(Method method = Method::kFast) {
  Settings settings;
  settings.method = method;
  settings.sleeping = false;
  return settings;
}

inline const InertialState& stateOf(const WorldModel& world, BodyId id) {
  return world.inertial(id).getInertialState();
}

/// Spheres, boxes, capsules, cylinders and lumps that fall into a heap on a mesh floor.
inline void addHeap(WorldModel& world, int bodies) {
  world.spawn(EnvironmentDescription{.name = "ground", .shape = flatMesh(24, 0.5)});
  Random random{7};
  for (int i = 0; i < bodies; ++i) {
    const Shape shapes[] = {Sphere{0.25}, Box{{0.3, 0.2, 0.25}}, Capsule{0.15, 0.2},
                            Cylinder{0.2, 0.25}, lump(random, 14, 0.3)};
    world.spawn(InertialDescription{
        .shape = shapes[i % 5],
        .position = {random.between(-1.2, 1.2), random.between(-1.2, 1.2), 0.5 + 0.25 * i},
        .orientation = random.turn(),
        .linearVelocity = random.vector(1.0),
        .angularVelocity = random.vector(2.0),
        .restitution = 0.3});
  }
}

/// A wall of boxes, `rows` high.
inline void addWall(WorldModel& world, int columns, int rows) {
  addFloor(world);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      world.spawn(InertialDescription{
          .shape = Box{{0.25, 0.125, 0.125}},
          .position = {0.5 * c + (r % 2 == 0 ? 0.0 : 0.25), 0.0, 0.125 + 0.25 * r},
          .restitution = 0.0});
    }
  }
}

}  // namespace msd_sim::test
