#include "CollisionBenchPairs.hpp"

#include <cmath>
#include <random>

#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"
#include "msd-sim/src/Physics/Collision/ShapeQueries.hpp"

namespace msd_bench {

namespace {

using msd_sim::Quaternion;

constexpr int kPairs = 1024;

class Draw {
 public:
  double operator()(double lower, double upper) {
    return lower + (upper - lower) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  Vector3D direction() {
    while (true) {
      const Vector3D d{(*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1)};
      if (d.norm() > 0.1 && d.norm() < 1.0) return d.normalized();
    }
  }
  Quaternion orientation() {
    const Vector3D v = direction();
    return Quaternion{(*this)(-1, 1), v.x(), v.y(), v.z()}.normalized();
  }

 private:
  std::mt19937_64 engine_{4711};
};

/// Moves b so that the signed gap becomes `gap`.
void setGap(const CollisionShape& a, const CollisionShape& b, double gap, PlacedPair& p) {
  msd_sim::ManifoldCache cache;
  msd_sim::ContactManifold m;
  msd_sim::collideShapes(a, p.a, b, p.b, 100.0, cache, {&m, 1});
  double least = m.points[0].gap;
  for (int i = 1; i < m.count; ++i) least = std::min(least, m.points[i].gap);
  p.b.position += (gap - least) * m.normal;
}

std::vector<PlacedPair> makePairs(const CollisionShape& a, const CollisionShape& b, double lower,
                                  double upper) {
  Draw draw;
  std::vector<PlacedPair> pairs(kPairs);
  for (PlacedPair& p : pairs) {
    p.a.position = 3.0 * draw.direction();
    p.a.orientation = draw.orientation();
    p.b.position = p.a.position + 3.0 * draw.direction();
    p.b.orientation = draw.orientation();
    setGap(a, b, draw(lower, upper), p);
  }
  return pairs;
}

double hillHeight(double x, double y) {
  return 0.5 * std::sin(0.3 * x) * std::cos(0.25 * y) + 0.05 * std::sin(2.0 * x + y);
}

}  // namespace

std::vector<PlacedPair> makeApart(const CollisionShape& a, const CollisionShape& b) {
  return makePairs(a, b, 0.1, 1.0);
}

std::vector<PlacedPair> makeTouching(const CollisionShape& a, const CollisionShape& b) {
  return makePairs(a, b, -0.01, 0.01);
}

std::vector<PlacedPair> makeStacked(const CollisionShape& a, const CollisionShape& b) {
  Draw draw;
  std::vector<PlacedPair> pairs(kPairs);
  for (PlacedPair& p : pairs) {
    p.a.position = {draw(-1, 1), draw(-1, 1), 0.0};
    p.a.orientation = Quaternion{Eigen::AngleAxisd(draw(-3, 3), Vector3D::UnitZ())};
    p.b.position = p.a.position + Vector3D{draw(-0.3, 0.3), draw(-0.3, 0.3), 0.0};
    p.b.orientation = Quaternion{Eigen::AngleAxisd(draw(-3, 3), Vector3D::UnitZ())};
    p.b.position.z() = msd_sim::worldBounds(a, p.a).upper.z() -
                       (msd_sim::worldBounds(b, p.b).lower.z() - p.b.position.z()) - 1e-3;
  }
  return pairs;
}

std::vector<Vector3D> hullPoints() {
  std::vector<Vector3D> points;
  for (int k = 0; k < 8; ++k) {
    const Vector3D s{(k & 1) != 0 ? 1.0 : -1.0, (k & 2) != 0 ? 1.0 : -1.0, (k & 4) != 0 ? 1.0 : -1.0};
    points.push_back(s.cwiseProduct(Vector3D(0.35, 0.5, 0.5)));
    points.push_back(s.cwiseProduct(Vector3D(0.5, 0.35, 0.5)));
    points.push_back(s.cwiseProduct(Vector3D(0.5, 0.5, 0.35)));
  }
  return points;
}

std::shared_ptr<const msd_assets::TriangleMesh> makeHills() {
  constexpr int kCells = 316;
  constexpr double kCell = 0.2;
  std::vector<Vector3D> vertices;
  std::vector<msd_assets::TriangleMesh::Triangle> triangles;
  for (int j = 0; j <= kCells; ++j) {
    for (int i = 0; i <= kCells; ++i) {
      const double x = (i - kCells / 2) * kCell;
      const double y = (j - kCells / 2) * kCell;
      vertices.push_back({x, y, hillHeight(x, y)});
    }
  }
  const auto id = [](int i, int j) { return static_cast<std::uint32_t>(j * (kCells + 1) + i); };
  for (int j = 0; j < kCells; ++j) {
    for (int i = 0; i < kCells; ++i) {
      triangles.push_back({id(i, j), id(i + 1, j), id(i + 1, j + 1)});
      triangles.push_back({id(i, j), id(i + 1, j + 1), id(i, j + 1)});
    }
  }
  return std::make_shared<const msd_assets::TriangleMesh>(std::move(vertices), std::move(triangles));
}

std::vector<Pose> makePlacesOnHills(double reach) {
  Draw draw;
  std::vector<Pose> places(kPairs);
  for (Pose& p : places) {
    const double x = draw(-25, 25);
    const double y = draw(-25, 25);
    p.position = {x, y, hillHeight(x, y) + reach - 0.005};
    p.orientation = Quaternion{Eigen::AngleAxisd(draw(-3, 3), Vector3D::UnitZ())};
  }
  return places;
}

std::vector<BenchRay> makeRays() {
  Draw draw;
  std::vector<BenchRay> rays(kPairs);
  for (BenchRay& r : rays) {
    r.origin = {draw(-20, 20), draw(-20, 20), draw(1.0, 6.0)};
    const Vector3D target{draw(-25, 25), draw(-25, 25), -1.0};
    r.direction = (target - r.origin).normalized();
    r.length = 60.0;
  }
  return rays;
}

}  // namespace msd_bench
