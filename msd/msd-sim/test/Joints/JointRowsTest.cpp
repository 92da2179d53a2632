// Rows of all joint kinds against finite differences; the arc tangent; the sparse factor; ball
// kernels.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "msd-sim/src/Physics/Constraints/Joints/Angle.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/BlockFactor.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointDefinition.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/Kernels.hpp"

namespace msd_sim {
namespace {

class Source {
 public:
  double number(double low = -1.0, double high = 1.0) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1.0p-53;
  }
  Vector3D vector() { return {number(), number(), number()}; }
  Quaternion turn() { return Quaternion{number(), number(), number(), number()}.normalized(); }
  Matrix3D frame() { return turn().toRotationMatrix(); }

 private:
  std::mt19937_64 engine_{11};
};

struct Twist {
  Vector3D vA, wA, vB, wB;
};

JointPlace moved(const JointPlace& p, const Twist& u, double t) {
  return {p.xA + t * u.vA, p.xB + t * u.vB, cayleyRotation(t * u.wA) * p.qA,
          cayleyRotation(t * u.wB) * p.qB};
}

double rate(const JointRow& r, const Twist& u) {
  return r.linearA.dot(u.vA) + r.angularA.dot(u.wA) + r.linearB.dot(u.vB) + r.angularB.dot(u.wB);
}

constexpr JointKind kKinds[] = {JointKind::kBall,        JointKind::kHinge,     JointKind::kSlider,
                                JointKind::kCylindrical, JointKind::kUniversal, JointKind::kFixed,
                                JointKind::kDistance,    JointKind::kRope,      JointKind::kSpring};

TEST(JointRows, areTheGradientsOfTheirErrors) {
  Source source;
  const double h = 1e-5;
  for (const JointKind kind : kKinds) {
    for (int i = 0; i < 50; ++i) {
      JointDefinition joint;
      joint.kind = kind;
      joint.anchorA = source.vector();
      joint.anchorB = source.vector();
      joint.frameA = source.frame();
      joint.frameB = source.frame();
      joint.length = 0.3;
      const JointPlace place{source.vector(), source.vector() + Vector3D{0.5, 0.5, 0.5},
                             source.turn(), source.turn()};
      const Twist u{source.vector(), source.vector(), source.vector(), source.vector()};
      JointRow rows[kMostHoldingRows];
      double before[kMostHoldingRows], after[kMostHoldingRows];
      evaluateRows(joint, place, rows);
      evaluateErrors(joint, moved(place, u, -h), before);
      evaluateErrors(joint, moved(place, u, h), after);
      for (int k = 0; k < holdingRowCount(kind); ++k) {
        EXPECT_NEAR((after[k] - before[k]) / (2 * h), rate(rows[k], u), 1e-8)
            << "kind " << static_cast<int>(kind) << " row " << k;
      }
    }
  }
}

TEST(JointRows, ofTheCoordinateAreItsGradient) {
  // The angle's row is exact where the axes coincide, which the holding rows see to.
  Source source;
  const double h = 1e-5;
  for (const JointKind kind : {JointKind::kHinge, JointKind::kSlider, JointKind::kCylindrical,
                               JointKind::kDistance, JointKind::kRope, JointKind::kSpring}) {
    for (int i = 0; i < 50; ++i) {
      JointDefinition joint;
      joint.kind = kind;
      joint.anchorA = source.vector();
      joint.anchorB = source.vector();
      const Matrix3D world = source.frame();
      JointPlace place{source.vector(), source.vector(), source.turn(), source.turn()};
      joint.frameA = place.qA.conjugate().toRotationMatrix() * world;
      joint.frameB = place.qB.conjugate().toRotationMatrix() * world;
      Twist u{source.vector(), source.vector(), source.vector(), source.vector()};
      if (isAngle(kind)) u.wB = u.wA + source.number() * world.col(2);
      const double change = evaluateCoordinate(joint, moved(place, u, h)) -
                            evaluateCoordinate(joint, moved(place, u, -h));
      EXPECT_NEAR(change / (2 * h), rate(evaluateCoordinateRow(joint, place), u), 1e-8);
    }
  }
}

TEST(JointRows, keepMomentum) {
  // A row's impulses on A and B cancel, and so do their moments about any point, once d = 0.
  Source source;
  for (const JointKind kind : {JointKind::kBall, JointKind::kHinge, JointKind::kSlider,
                               JointKind::kCylindrical, JointKind::kUniversal, JointKind::kFixed}) {
    JointDefinition joint;
    joint.kind = kind;
    joint.frameA = source.frame();
    joint.frameB = source.frame();
    const JointPlace place{source.vector(), source.vector(), source.turn(), source.turn()};
    const Vector3D anchor = source.vector();
    joint.anchorA = place.qA.conjugate() * (anchor - place.xA);
    joint.anchorB = place.qB.conjugate() * (anchor - place.xB);
    JointRow rows[kMostHoldingRows];
    evaluateRows(joint, place, rows);
    for (int k = 0; k < holdingRowCount(kind); ++k) {
      const JointRow& r = rows[k];
      EXPECT_LT((r.linearA + r.linearB).norm(), 1e-15);
      EXPECT_LT(
          (r.angularA + place.xA.cross(r.linearA) + r.angularB + place.xB.cross(r.linearB)).norm(),
          1e-14);
    }
  }
}

TEST(Angle, agreesWithTheLibraryToAFewUnitsInTheLastPlace) {
  Source source;
  for (int i = 0; i < 10000; ++i) {
    const double x = source.number(), y = source.number();
    EXPECT_NEAR(angleOf(y, x), std::atan2(y, x), 1.5e-15);
  }
  EXPECT_EQ(angleOf(0.0, 0.0), 0.0);
  EXPECT_NEAR(angleOf(0.0, -1.0), kPi, 1e-15);
  EXPECT_NEAR(angleOf(1.0, 0.0), 0.5 * kPi, 1e-15);
}

TEST(BlockFactor, solvesRandomSparseSystems) {
  Source source;
  for (int trial = 0; trial < 20; ++trial) {
    const std::uint32_t nodes = 12;
    std::vector<std::uint32_t> sizes;
    for (std::uint32_t i = 0; i < nodes; ++i) {
      sizes.push_back(1 + static_cast<std::uint32_t>(source.number(0.0, 5.99)));
    }
    std::vector<BlockFactor::Edge> edges;
    for (std::uint32_t i = 1; i < nodes; ++i) {
      for (std::uint32_t k = 0; k < i; ++k) {
        if (source.number(0.0, 1.0) < 0.25) edges.emplace_back(i, k);
      }
    }
    const std::vector<std::uint32_t> order = BlockFactor::findOrder(sizes, edges, 1e9);
    ASSERT_EQ(order.size(), nodes);
    std::vector<std::uint32_t> place(nodes), orderedSizes;
    for (std::uint32_t k = 0; k < nodes; ++k)
      place[order[k]] = k, orderedSizes.push_back(sizes[order[k]]);
    std::vector<BlockFactor::Edge> ordered;
    for (const auto& [a, b] : edges) {
      ordered.emplace_back(std::max(place[a], place[b]), std::min(place[a], place[b]));
    }
    BlockFactor factor;
    factor.analyse(orderedSizes, ordered);
    const auto n = static_cast<Eigen::Index>(factor.rowCount());
    std::vector<Eigen::Index> first{0};
    for (const std::uint32_t s : orderedSizes) first.push_back(first.back() + s);
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(n, n);
    factor.clear();
    const auto fill = [&](std::uint32_t i, std::uint32_t k) {
      double* block = factor.block(i, k);
      for (std::uint32_t r = 0; r < orderedSizes[i]; ++r) {
        for (std::uint32_t c = 0; c < orderedSizes[k]; ++c) {
          double value = source.number();
          if (i == k && c > r) continue;
          if (i == k && c == r) value = 60.0 + value;
          block[r * orderedSizes[k] + c] = value;
          dense(first[i] + r, first[k] + c) = dense(first[k] + c, first[i] + r) = value;
        }
      }
    };
    for (std::uint32_t i = 0; i < nodes; ++i) fill(i, i);
    for (const auto& [i, k] : ordered) fill(i, k);
    factor.factor();
    Eigen::VectorXd x(n);
    for (Eigen::Index i = 0; i < n; ++i) x(i) = source.number();
    Eigen::VectorXd b = dense * x;
    factor.solveForward({b.data(), static_cast<std::size_t>(n)});
    factor.solveBackward({b.data(), static_cast<std::size_t>(n)});
    EXPECT_LT((b - x).norm(), 1e-13 * std::sqrt(static_cast<double>(n)) * 10.0);
    // Several at once: the same bits as one by one.
    constexpr Eigen::Index kSeveral = BlockFactor::kSeveral;
    Eigen::MatrixXd alone(n, kSeveral);
    std::vector<double> several(static_cast<std::size_t>(n * kSeveral));
    for (Eigen::Index k = 0; k < kSeveral; ++k) {
      for (Eigen::Index i = 0; i < n; ++i) {
        alone(i, k) = several[static_cast<std::size_t>(i * kSeveral + k)] = source.number();
      }
      factor.solveForward({alone.col(k).data(), static_cast<std::size_t>(n)});
      factor.solveBackward({alone.col(k).data(), static_cast<std::size_t>(n)});
    }
    factor.solveSeveral(several);
    for (Eigen::Index k = 0; k < kSeveral; ++k) {
      for (Eigen::Index i = 0; i < n; ++i)
        EXPECT_EQ(several[static_cast<std::size_t>(i * kSeveral + k)], alone(i, k));
    }
  }
}

TEST(BlockFactor, refusesWhatCostsTooMuch) {
  std::vector<std::uint32_t> sizes(50, 6);
  std::vector<BlockFactor::Edge> edges;
  for (std::uint32_t i = 1; i < 50; ++i) {
    for (std::uint32_t k = 0; k < i; ++k) edges.emplace_back(i, k);
  }
  EXPECT_TRUE(BlockFactor::findOrder(sizes, edges, 1e5).empty());
  EXPECT_EQ(BlockFactor::findOrder(sizes, edges, 1e9).size(), 50u);
}

TEST(BallKernels, giveTheSameBitsAtEveryWidth) {
  const auto runWith = [](SimdTarget target) {
    Source source;
    SolverBodies bodies;
    bodies.resize(17);
    for (std::size_t i = 1; i <= 16; ++i) {
      BodyMotion& m = bodies.motion[i];
      for (int c = 0; c < 3; ++c) {
        m.v[c] = source.number();
        m.w[c] = source.number();
        bodies.pose[i].x[c] = source.number();
      }
      m.inverseMass = 1.0 + 0.5 * source.number();
      m.inverseXX = 2.0, m.inverseYY = 3.0, m.inverseZZ = 2.5, m.inverseXY = 0.1;
      const Quaternion q = source.turn();
      const double values[4] = {q.w(), q.x(), q.y(), q.z()};
      std::memcpy(bodies.pose[i].q, values, sizeof values);
    }
    BallBundle bundle{};
    for (int l = 0; l < 7; ++l) {  // the last lane is unused
      bundle.body0[l] = 1 + 2 * l;
      bundle.body1[l] = 2 + 2 * l;
      bundle.size[l] = 0.5;
      for (int c = 0; c < 3; ++c) {
        bundle.anchor0[c][l] = source.number();
        bundle.anchor1[c][l] = source.number();
        bundle.impulse[c][l] = source.number();
      }
    }
    const BallKernels& k = kernelsFor(target).ball;
    const BallPass pass{.h = 0.01, .inverseH = 100.0, .reach = 0.02};
    AlignedVector<BallReply> replies(bodies.size());
    alignas(64) double sums[16] = {};
    k.place(bodies, &bundle, 1);
    k.warm(bodies, &bundle, 1);
    k.computeMasses(bodies, &bundle, 1);
    double worst = k.aim(bodies, &bundle, 1, pass, true);
    worst += k.measure(bodies, &bundle, 1, true, true);
    k.push(bodies, replies.data(), &bundle, 1, 0.0, false);
    k.listen(replies.data(), &bundle, 1, sums);
    worst += k.advance(&bundle, 1, 0.7, sums);
    k.turn(bodies, &bundle, 1);
    std::vector<double> out{worst};
    for (const BodyMotion& m : bodies.motion) out.insert(out.end(), m.w, m.w + 3);
    for (const BodyWarmStart& g : bodies.warmStart) out.insert(out.end(), g.angular, g.angular + 3);
    for (int c = 0; c < 3; ++c) {
      out.insert(out.end(), bundle.impulse[c], bundle.impulse[c] + 8);
      out.insert(out.end(), bundle.error[c], bundle.error[c] + 8);
      out.insert(out.end(), bundle.reply[c], bundle.reply[c] + 8);
    }
    out.insert(out.end(), sums, sums + 16);
    return out;
  };
  const std::vector<double> portable = runWith(SimdTarget::kPortable);
  for (const double value : portable) ASSERT_TRUE(std::isfinite(value));
  for (const SimdTarget target : {SimdTarget::kAvx2, SimdTarget::kAvx512}) {
    if (!isSupported(target)) continue;
    const std::vector<double> wide = runWith(target);
    ASSERT_EQ(wide.size(), portable.size());
    EXPECT_EQ(std::memcmp(wide.data(), portable.data(), wide.size() * sizeof(double)), 0);
  }
}

}  // namespace
}  // namespace msd_sim
