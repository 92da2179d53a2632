// FCL and libccd on the pairs of CollisionBenchPairs.hpp, both in double precision.
#include <benchmark/benchmark.h>
#include <ccd/ccd.h>
#include <ccd/quat.h>

#include "fcl/geometry/bvh/BVH_model.h"
#include "fcl/geometry/shape/box.h"
#include "fcl/geometry/shape/capsule.h"
#include "fcl/geometry/shape/convex.h"
#include "fcl/geometry/shape/cylinder.h"
#include "fcl/geometry/shape/sphere.h"
#include "fcl/math/bv/OBBRSS.h"
#include "fcl/narrowphase/collision.h"
#include "fcl/narrowphase/distance.h"

#include "CollisionBenchPairs.hpp"

namespace msd_bench {
namespace {

using Geometry = std::shared_ptr<fcl::CollisionGeometry<double>>;

Geometry boxShape() { return std::make_shared<fcl::Box<double>>(1.0, 1.0, 1.0); }
Geometry sphereShape() { return std::make_shared<fcl::Sphere<double>>(0.5); }
Geometry capsuleShape() { return std::make_shared<fcl::Capsule<double>>(0.25, 1.0); }
Geometry cylinderShape() { return std::make_shared<fcl::Cylinder<double>>(0.5, 1.0); }
Geometry hullShape() {
  const CollisionShape ours = msd_sim::makeCollisionShape(msd_assets::makeHull(hullPoints()));
  auto vertices = std::make_shared<std::vector<Vector3D>>(ours.polyhedron->vertices().begin(),
                                                          ours.polyhedron->vertices().end());
  auto faces = std::make_shared<std::vector<int>>();
  for (const auto& face : ours.polyhedron->faces()) {
    const auto corners = ours.polyhedron->faceVertices(face);
    faces->push_back(static_cast<int>(corners.size()));
    for (const std::uint16_t c : corners) faces->push_back(c);
  }
  return std::make_shared<fcl::Convex<double>>(
      vertices, static_cast<int>(ours.polyhedron->faces().size()), faces);
}
Geometry hillsShape() {
  const auto mesh = makeHills();
  auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
  std::vector<fcl::Vector3d> vertices(mesh->vertices().begin(), mesh->vertices().end());
  std::vector<fcl::Triangle> triangles;
  for (const auto& t : mesh->triangles()) triangles.emplace_back(t[0], t[1], t[2]);
  model->beginModel();
  model->addSubModel(vertices, triangles);
  model->endModel();
  return model;
}

CollisionShape ourBox() { return msd_sim::makeCollisionShape(msd_assets::Box{{0.5, 0.5, 0.5}}); }
CollisionShape ourHull() { return msd_sim::makeCollisionShape(msd_assets::makeHull(hullPoints())); }
CollisionShape ourSphere() { return msd_sim::makeCollisionShape(msd_assets::Sphere{0.5}); }
CollisionShape ourCapsule() { return msd_sim::makeCollisionShape(msd_assets::Capsule{0.25, 0.5}); }
CollisionShape ourCylinder() { return msd_sim::makeCollisionShape(msd_assets::Cylinder{0.5, 0.5}); }

Eigen::Isometry3d toFcl(const Pose& p) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() = p.orientation.toRotationMatrix();
  pose.translation() = p.position;
  return pose;
}

struct Objects {
  std::vector<fcl::CollisionObject<double>> a;
  std::vector<fcl::CollisionObject<double>> b;

  Objects(const Geometry& first, const Geometry& second, const std::vector<PlacedPair>& pairs) {
    for (const PlacedPair& p : pairs) {
      a.emplace_back(first, toFcl(p.a));
      b.emplace_back(second, toFcl(p.b));
    }
  }
};

void distance(benchmark::State& state, const Geometry& a, const Geometry& b,
              const std::vector<PlacedPair>& pairs) {
  const Objects objects{a, b, pairs};
  std::size_t i = 0;
  for (auto _ : state) {
    const std::size_t k = i++ % pairs.size();
    fcl::DistanceRequest<double> request{true};
    fcl::DistanceResult<double> result;
    benchmark::DoNotOptimize(fcl::distance(&objects.a[k], &objects.b[k], request, result));
  }
}

void manifold(benchmark::State& state, const Geometry& a, const Geometry& b,
              const std::vector<PlacedPair>& pairs) {
  const Objects objects{a, b, pairs};
  std::size_t i = 0;
  std::size_t points = 0;
  for (auto _ : state) {
    const std::size_t k = i++ % pairs.size();
    fcl::CollisionRequest<double> request{4, true};
    fcl::CollisionResult<double> result;
    fcl::collide(&objects.a[k], &objects.b[k], request, result);
    points += result.numContacts();
  }
  state.counters["points"] = static_cast<double>(points) / static_cast<double>(state.iterations());
}

void meshManifold(benchmark::State& state, const Geometry& shape, double reach) {
  static const Geometry hills = hillsShape();
  std::vector<PlacedPair> pairs;
  for (const Pose& p : makePlacesOnHills(reach)) pairs.push_back({p, Pose{}});
  const Objects objects{shape, hills, pairs};
  std::size_t i = 0;
  std::size_t points = 0;
  for (auto _ : state) {
    const std::size_t k = i++ % pairs.size();
    fcl::CollisionRequest<double> request{32, true};
    fcl::CollisionResult<double> result;
    fcl::collide(&objects.a[k], &objects.b[k], request, result);
    points += result.numContacts();
  }
  state.counters["points"] = static_cast<double>(points) / static_cast<double>(state.iterations());
}

/// libccd knows support functions only; a polytope as a list of corners in its own frame.
struct CcdPolytope {
  std::vector<ccd_vec3_t> corners;
  ccd_vec3_t position;
  ccd_quat_t orientation;
  ccd_quat_t back;
};

void ccdSupport(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* out) {
  const auto& s = *static_cast<const CcdPolytope*>(object);
  ccd_vec3_t d = *direction;
  ccdQuatRotVec(&d, &s.back);
  std::size_t best = 0;
  double greatest = ccdVec3Dot(&s.corners[0], &d);
  for (std::size_t i = 1; i < s.corners.size(); ++i) {
    const double value = ccdVec3Dot(&s.corners[i], &d);
    if (value > greatest) {
      greatest = value;
      best = i;
    }
  }
  *out = s.corners[best];
  ccdQuatRotVec(out, &s.orientation);
  ccdVec3Add(out, &s.position);
}

CcdPolytope makeCcd(const std::vector<Vector3D>& corners, const Pose& p) {
  CcdPolytope out;
  for (const Vector3D& c : corners) {
    ccd_vec3_t v;
    ccdVec3Set(&v, c.x(), c.y(), c.z());
    out.corners.push_back(v);
  }
  ccdVec3Set(&out.position, p.position.x(), p.position.y(), p.position.z());
  ccdQuatSet(&out.orientation, p.orientation.x(), p.orientation.y(), p.orientation.z(), p.orientation.w());
  ccdQuatInvert2(&out.back, &out.orientation);
  return out;
}

std::vector<Vector3D> boxPoints() {
  std::vector<Vector3D> points;
  for (int k = 0; k < 8; ++k) {
    points.push_back({(k & 1) != 0 ? 0.5 : -0.5, (k & 2) != 0 ? 0.5 : -0.5, (k & 4) != 0 ? 0.5 : -0.5});
  }
  return points;
}

/// One point and its depth where the shapes overlap; libccd gives no distance and no patch.
void ccdContact(benchmark::State& state, const std::vector<Vector3D>& a, const std::vector<Vector3D>& b,
                const std::vector<PlacedPair>& pairs) {
  std::vector<CcdPolytope> first;
  std::vector<CcdPolytope> second;
  for (const PlacedPair& p : pairs) {
    first.push_back(makeCcd(a, p.a));
    second.push_back(makeCcd(b, p.b));
  }
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.support1 = ccdSupport;
  ccd.support2 = ccdSupport;
  ccd.max_iterations = 100;
  ccd.epa_tolerance = 1e-6;
  std::size_t i = 0;
  std::size_t points = 0;
  for (auto _ : state) {
    const std::size_t k = i++ % pairs.size();
    double depth = 0.0;
    ccd_vec3_t direction;
    ccd_vec3_t position;
    points += ccdGJKPenetration(&first[k], &second[k], &ccd, &depth, &direction, &position) == 0 ? 1u : 0u;
    benchmark::DoNotOptimize(depth);
  }
  state.counters["points"] = static_cast<double>(points) / static_cast<double>(state.iterations());
}

void addAll() {
  using benchmark::RegisterBenchmark;
  using benchmark::State;
  RegisterBenchmark("distance/box-box/fcl", [](State& s) { distance(s, boxShape(), boxShape(), makeApart(ourBox(), ourBox())); });
  RegisterBenchmark("distance/hull24-hull24/fcl", [](State& s) { distance(s, hullShape(), hullShape(), makeApart(ourHull(), ourHull())); });
  RegisterBenchmark("distance/box-box/ccd-test-only", [](State& s) { ccdContact(s, boxPoints(), boxPoints(), makeApart(ourBox(), ourBox())); });
  RegisterBenchmark("distance/hull24-hull24/ccd-test-only", [](State& s) { ccdContact(s, hullPoints(), hullPoints(), makeApart(ourHull(), ourHull())); });
  RegisterBenchmark("manifold/sphere-sphere/fcl", [](State& s) { manifold(s, sphereShape(), sphereShape(), makeTouching(ourSphere(), ourSphere())); });
  RegisterBenchmark("manifold/sphere-box/fcl", [](State& s) { manifold(s, sphereShape(), boxShape(), makeTouching(ourSphere(), ourBox())); });
  RegisterBenchmark("manifold/sphere-hull24/fcl", [](State& s) { manifold(s, sphereShape(), hullShape(), makeTouching(ourSphere(), ourHull())); });
  RegisterBenchmark("manifold/capsule-capsule/fcl", [](State& s) { manifold(s, capsuleShape(), capsuleShape(), makeTouching(ourCapsule(), ourCapsule())); });
  RegisterBenchmark("manifold/capsule-box/fcl", [](State& s) { manifold(s, capsuleShape(), boxShape(), makeTouching(ourCapsule(), ourBox())); });
  RegisterBenchmark("manifold/cylinder-box/fcl", [](State& s) { manifold(s, cylinderShape(), boxShape(), makeTouching(ourCylinder(), ourBox())); });
  RegisterBenchmark("manifold/box-box/fcl", [](State& s) { manifold(s, boxShape(), boxShape(), makeTouching(ourBox(), ourBox())); });
  RegisterBenchmark("manifold/box-box/ccd-one-point", [](State& s) { ccdContact(s, boxPoints(), boxPoints(), makeTouching(ourBox(), ourBox())); });
  RegisterBenchmark("manifold/hull24-hull24/fcl", [](State& s) { manifold(s, hullShape(), hullShape(), makeTouching(ourHull(), ourHull())); });
  RegisterBenchmark("manifold/hull24-hull24/ccd-one-point", [](State& s) { ccdContact(s, hullPoints(), hullPoints(), makeTouching(ourHull(), ourHull())); });
  RegisterBenchmark("stacked/box-box/fcl", [](State& s) { manifold(s, boxShape(), boxShape(), makeStacked(ourBox(), ourBox())); });
  RegisterBenchmark("stacked/hull24-hull24/fcl", [](State& s) { manifold(s, hullShape(), hullShape(), makeStacked(ourHull(), ourHull())); });
  RegisterBenchmark("mesh/sphere/fcl", [](State& s) { meshManifold(s, sphereShape(), 0.5); });
  RegisterBenchmark("mesh/box/fcl", [](State& s) { meshManifold(s, boxShape(), 0.5); });
}

const bool kAdded = (addAll(), true);

}  // namespace
}  // namespace msd_bench
