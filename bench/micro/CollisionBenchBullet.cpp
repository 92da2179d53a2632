// Bullet (single precision, its default build) on the pairs of CollisionBenchPairs.hpp.
#include <benchmark/benchmark.h>
#include <btBulletCollisionCommon.h>

#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

#include "CollisionBenchPairs.hpp"

namespace msd_bench {
namespace {

btVector3 toBullet(const Vector3D& v) {
  return {static_cast<btScalar>(v.x()), static_cast<btScalar>(v.y()), static_cast<btScalar>(v.z())};
}
btTransform toBullet(const Pose& p) {
  return btTransform{btQuaternion{static_cast<btScalar>(p.orientation.x()), static_cast<btScalar>(p.orientation.y()),
                                  static_cast<btScalar>(p.orientation.z()), static_cast<btScalar>(p.orientation.w())},
                     toBullet(p.position)};
}

/// Shapes with the same surfaces as ours: Bullet's margin lies inside boxes and cylinders already; for
/// hulls it is set to zero.
struct Shapes {
  btSphereShape sphere{0.5F};
  btBoxShape box{btVector3{0.5F, 0.5F, 0.5F}};
  btCapsuleShapeZ capsule{0.25F, 1.0F};
  btCylinderShapeZ cylinder{btVector3{0.5F, 0.5F, 0.5F}};
  btConvexHullShape hull;

  Shapes() {
    for (const Vector3D& p : hullPoints()) hull.addPoint(toBullet(p));
    hull.setMargin(0.0F);
    hull.initializePolyhedralFeatures();
  }
};

Shapes& shapes() {
  static Shapes all;
  return all;
}

CollisionShape ourBox() { return msd_sim::makeCollisionShape(msd_assets::Box{{0.5, 0.5, 0.5}}); }
CollisionShape ourHull() { return msd_sim::makeCollisionShape(msd_assets::makeHull(hullPoints())); }
CollisionShape ourSphere() { return msd_sim::makeCollisionShape(msd_assets::Sphere{0.5}); }
CollisionShape ourCapsule() { return msd_sim::makeCollisionShape(msd_assets::Capsule{0.25, 0.5}); }
CollisionShape ourCylinder() { return msd_sim::makeCollisionShape(msd_assets::Cylinder{0.5, 0.5}); }

void distance(benchmark::State& state, const btConvexShape& a, const btConvexShape& b,
              const std::vector<PlacedPair>& pairs) {
  std::vector<std::pair<btTransform, btTransform>> placed;
  for (const PlacedPair& p : pairs) placed.emplace_back(toBullet(p.a), toBullet(p.b));
  btVoronoiSimplexSolver simplex;
  btGjkEpaPenetrationDepthSolver depth;
  std::size_t i = 0;
  for (auto _ : state) {
    const auto& p = placed[i++ % placed.size()];
    btGjkPairDetector detector{&a, &b, &simplex, &depth};
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = p.first;
    input.m_transformB = p.second;
    btPointCollector out;
    detector.getClosestPoints(input, out, nullptr);
    benchmark::DoNotOptimize(out.m_distance);
  }
}

/// A world without a step: one algorithm and one manifold per pair, as Bullet keeps them.
class PairWorld {
 public:
  PairWorld() : dispatcher_{&configuration_} {}
  ~PairWorld() {
    for (Item& item : items_) {
      item.algorithm->~btCollisionAlgorithm();
      dispatcher_.freeCollisionAlgorithm(item.algorithm);
    }
  }
  PairWorld(const PairWorld&) = delete;
  PairWorld& operator=(const PairWorld&) = delete;

  void add(btCollisionShape& a, const btTransform& poseA, btCollisionShape& b, const btTransform& poseB) {
    Item item;
    item.a = std::make_unique<btCollisionObject>();
    item.b = std::make_unique<btCollisionObject>();
    item.a->setCollisionShape(&a);
    item.b->setCollisionShape(&b);
    item.a->setWorldTransform(poseA);
    item.b->setWorldTransform(poseB);
    const btCollisionObjectWrapper wrapA{nullptr, &a, item.a.get(), poseA, -1, -1};
    const btCollisionObjectWrapper wrapB{nullptr, &b, item.b.get(), poseB, -1, -1};
    item.algorithm = dispatcher_.findAlgorithm(&wrapA, &wrapB, nullptr, BT_CONTACT_POINT_ALGORITHMS);
    items_.push_back(std::move(item));
  }

  /// Returns the number of points in the manifolds of the pair.
  int process(std::size_t k) {
    Item& item = items_[k % items_.size()];
    const btTransform& poseA = item.a->getWorldTransform();
    const btTransform& poseB = item.b->getWorldTransform();
    const btCollisionObjectWrapper wrapA{nullptr, item.a->getCollisionShape(), item.a.get(), poseA, -1, -1};
    const btCollisionObjectWrapper wrapB{nullptr, item.b->getCollisionShape(), item.b.get(), poseB, -1, -1};
    btManifoldResult result{&wrapA, &wrapB};
    item.algorithm->processCollision(&wrapA, &wrapB, info_, &result);
    manifolds_.resize(0);
    item.algorithm->getAllContactManifolds(manifolds_);
    int points = 0;
    for (int i = 0; i < manifolds_.size(); ++i) points += manifolds_[i]->getNumContacts();
    return points;
  }

 private:
  struct Item {
    std::unique_ptr<btCollisionObject> a;
    std::unique_ptr<btCollisionObject> b;
    btCollisionAlgorithm* algorithm{nullptr};
  };
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDispatcherInfo info_;
  btManifoldArray manifolds_;
  std::vector<Item> items_;
};

void manifold(benchmark::State& state, btCollisionShape& a, btCollisionShape& b,
              const std::vector<PlacedPair>& pairs) {
  PairWorld world;
  for (const PlacedPair& p : pairs) world.add(a, toBullet(p.a), b, toBullet(p.b));
  std::size_t i = 0;
  std::size_t points = 0;
  for (auto _ : state) points += static_cast<std::size_t>(world.process(i++));
  state.counters["points"] = static_cast<double>(points) / static_cast<double>(state.iterations());
}

struct Hills {
  std::shared_ptr<const msd_assets::TriangleMesh> mesh{makeHills()};
  btTriangleMesh triangles;
  std::unique_ptr<btBvhTriangleMeshShape> shape;

  Hills() {
    for (const auto& t : mesh->triangles()) {
      triangles.addTriangle(toBullet(mesh->vertices()[t[0]]), toBullet(mesh->vertices()[t[1]]),
                            toBullet(mesh->vertices()[t[2]]));
    }
    shape = std::make_unique<btBvhTriangleMeshShape>(&triangles, true);
  }
};

Hills& hills() {
  static Hills all;
  return all;
}

void meshManifold(benchmark::State& state, btCollisionShape& shape, double reach) {
  PairWorld world;
  for (const Pose& p : makePlacesOnHills(reach)) {
    world.add(shape, toBullet(p), *hills().shape, btTransform::getIdentity());
  }
  std::size_t i = 0;
  std::size_t points = 0;
  for (auto _ : state) points += static_cast<std::size_t>(world.process(i++));
  state.counters["points"] = static_cast<double>(points) / static_cast<double>(state.iterations());
}

void meshQuery(benchmark::State& state) {
  struct Counter : btTriangleCallback {
    std::size_t found{0};
    void processTriangle(btVector3*, int, int) override { ++found; }
  } counter;
  const std::vector<Pose> places = makePlacesOnHills(0.5);
  std::size_t i = 0;
  for (auto _ : state) {
    btVector3 lower;
    btVector3 upper;
    shapes().box.getAabb(toBullet(places[i++ % places.size()]), lower, upper);
    hills().shape->processAllTriangles(&counter, lower, upper);
  }
  state.counters["triangles"] = static_cast<double>(counter.found) / static_cast<double>(state.iterations());
}

void meshRay(benchmark::State& state) {
  const std::vector<BenchRay> rays = makeRays();
  btCollisionObject object;
  object.setCollisionShape(hills().shape.get());
  std::size_t i = 0;
  std::size_t hits = 0;
  for (auto _ : state) {
    const BenchRay& r = rays[i++ % rays.size()];
    const btVector3 from = toBullet(r.origin);
    const btVector3 to = toBullet(r.origin + r.length * r.direction);
    btCollisionWorld::ClosestRayResultCallback callback{from, to};
    btCollisionWorld::rayTestSingle(btTransform{btQuaternion::getIdentity(), from},
                                    btTransform{btQuaternion::getIdentity(), to}, &object, hills().shape.get(),
                                    btTransform::getIdentity(), callback);
    hits += callback.hasHit() ? 1u : 0u;
  }
  state.counters["hits"] = static_cast<double>(hits) / static_cast<double>(state.iterations());
}

void addAll() {
  using benchmark::RegisterBenchmark;
  RegisterBenchmark("distance/box-box/bullet", [](benchmark::State& s) {
    distance(s, shapes().box, shapes().box, makeApart(ourBox(), ourBox()));
  });
  RegisterBenchmark("distance/hull24-hull24/bullet", [](benchmark::State& s) {
    distance(s, shapes().hull, shapes().hull, makeApart(ourHull(), ourHull()));
  });
  RegisterBenchmark("manifold/sphere-sphere/bullet", [](benchmark::State& s) {
    manifold(s, shapes().sphere, shapes().sphere, makeTouching(ourSphere(), ourSphere()));
  });
  RegisterBenchmark("manifold/sphere-box/bullet", [](benchmark::State& s) {
    manifold(s, shapes().sphere, shapes().box, makeTouching(ourSphere(), ourBox()));
  });
  RegisterBenchmark("manifold/sphere-hull24/bullet", [](benchmark::State& s) {
    manifold(s, shapes().sphere, shapes().hull, makeTouching(ourSphere(), ourHull()));
  });
  RegisterBenchmark("manifold/capsule-capsule/bullet", [](benchmark::State& s) {
    manifold(s, shapes().capsule, shapes().capsule, makeTouching(ourCapsule(), ourCapsule()));
  });
  RegisterBenchmark("manifold/capsule-box/bullet", [](benchmark::State& s) {
    manifold(s, shapes().capsule, shapes().box, makeTouching(ourCapsule(), ourBox()));
  });
  RegisterBenchmark("manifold/cylinder-box/bullet", [](benchmark::State& s) {
    manifold(s, shapes().cylinder, shapes().box, makeTouching(ourCylinder(), ourBox()));
  });
  RegisterBenchmark("manifold/box-box/bullet", [](benchmark::State& s) {
    manifold(s, shapes().box, shapes().box, makeTouching(ourBox(), ourBox()));
  });
  RegisterBenchmark("manifold/hull24-hull24/bullet", [](benchmark::State& s) {
    manifold(s, shapes().hull, shapes().hull, makeTouching(ourHull(), ourHull()));
  });
  RegisterBenchmark("stacked/box-box/bullet", [](benchmark::State& s) {
    manifold(s, shapes().box, shapes().box, makeStacked(ourBox(), ourBox()));
  });
  RegisterBenchmark("stacked/hull24-hull24/bullet", [](benchmark::State& s) {
    manifold(s, shapes().hull, shapes().hull, makeStacked(ourHull(), ourHull()));
  });
  RegisterBenchmark("stacked/cylinder-box/bullet", [](benchmark::State& s) {
    manifold(s, shapes().box, shapes().cylinder, makeStacked(ourBox(), ourCylinder()));
  });
  RegisterBenchmark("mesh/sphere/bullet", [](benchmark::State& s) { meshManifold(s, shapes().sphere, 0.5); });
  RegisterBenchmark("mesh/box/bullet", [](benchmark::State& s) { meshManifold(s, shapes().box, 0.5); });
  RegisterBenchmark("mesh/query/bullet", meshQuery);
  RegisterBenchmark("mesh/ray/bullet", meshRay);
}

const bool kAdded = (addAll(), true);

}  // namespace
}  // namespace msd_bench
