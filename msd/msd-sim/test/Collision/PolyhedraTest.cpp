// Boxes and hulls as the step tests them (separating axes): every overlap has a contact, and it is as deep as
// the overlap that EPA finds; what is far apart has none, with a distance that is never too large.
#include <gtest/gtest.h>

#include <array>

#include "RandomPairs.hpp"
#include "TestShapes.hpp"
#include "msd-sim/src/Physics/Collision/CollisionTolerances.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"

namespace msd_sim::test {
namespace {

using Manifolds = std::array<ContactManifold, kMaxPolyhedronManifolds>;

double deepestGap(const Manifolds& manifolds, int count) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < manifolds[i].count; ++k) {
      least = std::min(least, manifolds[i].points[k].gap);
    }
  }
  return least;
}

/// Greatest signed gap of a pair, by GJK and EPA.
double exactGap(const RandomPair& p) {
  ManifoldCache cache;
  ContactManifold m;
  const double size = p.a.size + p.b.size;
  collideShapes(p.a, p.poseA, p.b, p.poseB, 10.0 * size, cache, {&m, 1});
  double least = m.points[0].gap;
  for (int i = 1; i < m.count; ++i) least = std::min(least, m.points[i].gap);
  return least;
}

RandomPair drawPair(PairGenerator& generator, double ratio) {
  const ShapeKind kinds[2] = {ShapeKind::kHull, ShapeKind::kBox};
  const auto kindA = kinds[generator.integer(3) == 0 ? 1 : 0];
  const auto kindB = kinds[generator.integer(3) == 0 ? 1 : 0];
  return generator.pair(kindA, kindB, 3.0, ratio);
}

TEST(Polyhedra, everyOverlapHasAContactAsDeepAsItself) {
  PairGenerator generator{515};
  int overlapping = 0;
  ManifoldCache foreign;  // left behind by whatever came before
  for (int i = 0; i < 6000; ++i) {
    const RandomPair p = drawPair(generator, 3.0);
    const double gap = exactGap(p);
    if (!(gap < 0.0)) continue;
    ++overlapping;
    const double scale = std::min(p.a.size, p.b.size);
    Manifolds out;
    ManifoldCache cache;
    for (ManifoldCache* used : {&cache, &cache, &foreign}) {
      const int count =
          collidePolyhedra(p.a, p.poseA, p.b, p.poseB, 1e-3 * scale, *used, out);
      ASSERT_GT(count, 0) << i << ", overlap " << -gap / scale;
      // A face wins over edges that overlap less by no more than the gain asked of them.
      const double found = deepestGap(out, count);
      EXPECT_LE(found, gap + 1e-9 * scale) << i;
      EXPECT_GE(found, gap - 1.01 * kEdgeGain * scale) << i;
    }
  }
  EXPECT_GT(overlapping, 1500);
}

TEST(Polyhedra, apartMeansNoFartherThanTheyAre) {
  PairGenerator generator{516};
  int apart = 0;
  for (int i = 0; i < 6000; ++i) {
    const RandomPair p = drawPair(generator, 3.0);
    const double gap = exactGap(p);
    if (!(gap > 0.0)) continue;
    const double scale = std::min(p.a.size, p.b.size);
    for (const double margin : {1e-3 * scale, 0.2 * scale}) {
      Manifolds out;
      ManifoldCache cache;
      const int count = collidePolyhedra(p.a, p.poseA, p.b, p.poseB, margin, cache, out);
      if (gap <= margin) {
        // A pair nearer than the margin has a point, no farther than it is but for the gain asked of
        // edges: the step must see it come.
        if (gap <= margin - kEdgeGain * scale) {
          ASSERT_GT(count, 0) << i << ", gap " << gap / margin;
        }
        if (count > 0) {
          EXPECT_LE(deepestGap(out, count), gap + 1.01 * kEdgeGain * scale) << i;
        }
      } else if (count == 0) {
        ++apart;
        EXPECT_LE(out[0].separation, gap + 1e-9 * (p.a.size + p.b.size)) << i;
        EXPECT_GE(out[0].separation, margin) << i;
      }
    }
  }
  EXPECT_GT(apart, 1500);
}

}  // namespace
}  // namespace msd_sim::test
