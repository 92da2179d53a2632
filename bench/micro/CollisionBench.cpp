// Collision kernels, one call per pair, beside other libraries on the same pairs (their files stand
// beside this one). Names: what/who. Compare within one run:
//   collision_bench --benchmark_repetitions=5 --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>

#include <array>

#include "CollisionBenchPairs.hpp"
#include "msd-sim/src/Physics/Collision/ConvexConvex.hpp"
#include "msd-sim/src/Physics/Collision/ConvexTriangles.hpp"
#include "msd-sim/src/Physics/Collision/EPA.hpp"
#include "msd-sim/src/Physics/Collision/GJK.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"
#include "msd-sim/src/Physics/Collision/ShapeQueries.hpp"
#include "msd-sim/src/Physics/Collision/TriangleBvh.hpp"

namespace msd_bench {
namespace {

using msd_sim::ContactManifold;
using msd_sim::ManifoldCache;

const CollisionShape& boxShape() {
  static const CollisionShape shape = msd_sim::makeCollisionShape(msd_assets::Box{{0.5, 0.5, 0.5}});
  return shape;
}
const CollisionShape& hullShape() {
  static const CollisionShape shape =
      msd_sim::makeCollisionShape(msd_assets::makeHull(hullPoints()));
  return shape;
}
const CollisionShape& sphereShape() {
  static const CollisionShape shape = msd_sim::makeCollisionShape(msd_assets::Sphere{0.5});
  return shape;
}
const CollisionShape& capsuleShape() {
  static const CollisionShape shape = msd_sim::makeCollisionShape(msd_assets::Capsule{0.25, 0.5});
  return shape;
}
const CollisionShape& cylinderShape() {
  static const CollisionShape shape = msd_sim::makeCollisionShape(msd_assets::Cylinder{0.5, 0.5});
  return shape;
}
const CollisionShape& hillsShape() {
  static const CollisionShape shape =
      msd_sim::makeCollisionShape(msd_assets::Mesh{makeHills()});
  return shape;
}

void distance(benchmark::State& state, const CollisionShape& a, const CollisionShape& b) {
  const std::vector<PlacedPair> pairs = makeApart(a, b);
  std::size_t i = 0;
  for (auto _ : state) {
    const PlacedPair& p = pairs[i++ % pairs.size()];
    benchmark::DoNotOptimize(msd_sim::GJK{a, p.a, b, p.b}.distance());
  }
}

/// The same with what the pair remembers from the last frame.
void warmDistance(benchmark::State& state, const CollisionShape& a, const CollisionShape& b) {
  const std::vector<PlacedPair> pairs = makeApart(a, b);
  std::vector<ManifoldCache> caches(pairs.size());
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    msd_sim::GJK gjk{a, pairs[k].a, b, pairs[k].b};
    const msd_sim::DistanceResult r = gjk.distance();
    msd_sim::storeSimplex(gjk.getSimplex(), pairs[k].a.orientation.conjugate() * r.normal,
                          ManifoldCache::Kind::kSimplex, caches[k]);
  }
  std::size_t i = 0;
  for (auto _ : state) {
    const std::size_t k = i++ % pairs.size();
    msd_sim::GJK gjk{a, pairs[k].a, b, pairs[k].b};
    gjk.warmStart(caches[k]);
    benchmark::DoNotOptimize(gjk.distance());
  }
}

void manifold(benchmark::State& state, const CollisionShape& a, const CollisionShape& b,
              const std::vector<PlacedPair>& pairs) {
  const msd_sim::PairEntry entry = msd_sim::findPairFunction(a.kind, b.kind);
  std::vector<ManifoldCache> caches(pairs.size());
  ContactManifold out;
  std::size_t i = 0;
  std::size_t points = 0;
  for (auto _ : state) {
    const std::size_t k = i++ % pairs.size();
    const PlacedPair& p = pairs[k];
    if (entry.isSwapped) {
      entry.function(b, p.b, a, p.a, 0.02, caches[k], out);
    } else {
      entry.function(a, p.a, b, p.b, 0.02, caches[k], out);
    }
    points += static_cast<std::size_t>(out.count);
    benchmark::DoNotOptimize(out);
  }
  state.counters["points"] = static_cast<double>(points) / static_cast<double>(state.iterations());
}

/// Boxes and hulls the way the step takes: separating axes, with what the pair remembers.
void polyhedra(benchmark::State& state, const CollisionShape& a, const CollisionShape& b,
               const std::vector<PlacedPair>& pairs) {
  std::vector<ManifoldCache> caches(pairs.size());
  std::array<ContactManifold, msd_sim::kMaxPolyhedronManifolds> out;
  std::size_t i = 0;
  std::size_t points = 0;
  for (auto _ : state) {
    const std::size_t k = i++ % pairs.size();
    const int count =
        msd_sim::collidePolyhedra(a, pairs[k].a, b, pairs[k].b, 0.02, caches[k], out);
    if (count > 0) points += static_cast<std::size_t>(out[0].count);
    benchmark::DoNotOptimize(out);
  }
  state.counters["points"] = static_cast<double>(points) / static_cast<double>(state.iterations());
}

void meshManifold(benchmark::State& state, const CollisionShape& shape, double reach) {
  const std::vector<Pose> places = makePlacesOnHills(reach);
  const CollisionShape& hills = hillsShape();
  std::array<ContactManifold, msd_sim::kMaxTriangleManifolds> out;
  std::size_t i = 0;
  std::size_t points = 0;
  for (auto _ : state) {
    const int count = msd_sim::collideConvexTriangles(shape, places[i++ % places.size()], hills,
                                                      Pose{}, 0.02, out);
    for (int k = 0; k < count; ++k) points += static_cast<std::size_t>(out[k].count);
    benchmark::DoNotOptimize(out);
  }
  state.counters["points"] = static_cast<double>(points) / static_cast<double>(state.iterations());
}

void meshQuery(benchmark::State& state) {
  const std::vector<Pose> places = makePlacesOnHills(0.5);
  const msd_sim::TriangleBvh& triangles = *hillsShape().triangles;
  std::size_t i = 0;
  std::size_t found = 0;
  for (auto _ : state) {
    const msd_sim::Aabb bounds = msd_sim::worldBounds(boxShape(), places[i++ % places.size()]);
    triangles.query(bounds, [&](std::uint32_t) { ++found; });
  }
  state.counters["triangles"] = static_cast<double>(found) / static_cast<double>(state.iterations());
}

void meshRay(benchmark::State& state) {
  const std::vector<BenchRay> rays = makeRays();
  const msd_sim::PlacedShape hills{hillsShape(), {}};
  std::size_t i = 0;
  std::size_t hits = 0;
  for (auto _ : state) {
    const BenchRay& r = rays[i++ % rays.size()];
    const auto hit = msd_sim::castRay(hills, r.origin, r.direction, r.length);
    hits += hit.has_value() ? 1u : 0u;
    benchmark::DoNotOptimize(hit);
  }
  state.counters["hits"] = static_cast<double>(hits) / static_cast<double>(state.iterations());
}

void treeBuild(benchmark::State& state) {
  const auto hills = makeHills();
  for (auto _ : state) {
    const msd_sim::TriangleBvh bvh{hills};
    benchmark::DoNotOptimize(bvh.triangleCount());
  }
}

void addAll() {
  using benchmark::RegisterBenchmark;
  RegisterBenchmark("distance/box-box/msd", [](benchmark::State& s) { distance(s, boxShape(), boxShape()); });
  RegisterBenchmark("distance/box-box/msd-warm", [](benchmark::State& s) { warmDistance(s, boxShape(), boxShape()); });
  RegisterBenchmark("distance/hull24-hull24/msd", [](benchmark::State& s) { distance(s, hullShape(), hullShape()); });
  RegisterBenchmark("distance/hull24-hull24/msd-warm", [](benchmark::State& s) { warmDistance(s, hullShape(), hullShape()); });
  const auto touching = [](const char* name, const CollisionShape& a, const CollisionShape& b) {
    RegisterBenchmark(name, [&a, &b](benchmark::State& s) { manifold(s, a, b, makeTouching(a, b)); });
  };
  touching("manifold/sphere-sphere/msd", sphereShape(), sphereShape());
  touching("manifold/sphere-box/msd", sphereShape(), boxShape());
  touching("manifold/sphere-hull24/msd", sphereShape(), hullShape());
  touching("manifold/capsule-capsule/msd", capsuleShape(), capsuleShape());
  touching("manifold/capsule-box/msd", capsuleShape(), boxShape());
  touching("manifold/cylinder-box/msd", cylinderShape(), boxShape());
  RegisterBenchmark("manifold/box-box/msd", [](benchmark::State& s) {
    polyhedra(s, boxShape(), boxShape(), makeTouching(boxShape(), boxShape()));
  });
  RegisterBenchmark("manifold/hull24-hull24/msd", [](benchmark::State& s) {
    polyhedra(s, hullShape(), hullShape(), makeTouching(hullShape(), hullShape()));
  });
  RegisterBenchmark("stacked/box-box/msd", [](benchmark::State& s) {
    polyhedra(s, boxShape(), boxShape(), makeStacked(boxShape(), boxShape()));
  });
  RegisterBenchmark("stacked/hull24-hull24/msd", [](benchmark::State& s) {
    polyhedra(s, hullShape(), hullShape(), makeStacked(hullShape(), hullShape()));
  });
  touching("manifold/box-box/msd-generic", boxShape(), boxShape());
  touching("manifold/hull24-hull24/msd-generic", hullShape(), hullShape());
  const auto stacked = [](const char* name, const CollisionShape& a, const CollisionShape& b) {
    RegisterBenchmark(name, [&a, &b](benchmark::State& s) { manifold(s, a, b, makeStacked(a, b)); });
  };
  stacked("stacked/box-box/msd-generic", boxShape(), boxShape());
  stacked("stacked/hull24-hull24/msd-generic", hullShape(), hullShape());
  stacked("stacked/cylinder-box/msd", boxShape(), cylinderShape());
  RegisterBenchmark("mesh/sphere/msd", [](benchmark::State& s) { meshManifold(s, sphereShape(), 0.5); });
  RegisterBenchmark("mesh/box/msd", [](benchmark::State& s) { meshManifold(s, boxShape(), 0.5); });
  RegisterBenchmark("mesh/query/msd", meshQuery);
  RegisterBenchmark("mesh/ray/msd", meshRay);
  RegisterBenchmark("mesh/build-200k/msd", treeBuild)->Unit(benchmark::kMillisecond);
}

const bool kAdded = (addAll(), true);

}  // namespace
}  // namespace msd_bench

BENCHMARK_MAIN();
