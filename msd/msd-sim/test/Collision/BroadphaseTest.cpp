// Cost of the broadphase against the number of bodies: balls of 1 m at random places of a cube that grows
// with their number, all moving at 1 m/s. The time per body is printed; what is asserted does not depend on the
// machine: the nodes that a query visits, and the pairs found against all pairs.
//
// MSD_BROADPHASE_BODIES sets the largest number (default 10,000; target broadphase_full: 100,000).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <set>
#include <utility>

#include "RandomPairs.hpp"
#include "TestShapes.hpp"
#include "msd-sim/src/Physics/Collision/CollisionPipeline.hpp"

namespace msd_sim::test {
namespace {

constexpr double kStep = 1.0 / 60.0;
constexpr double kSpacing = 1.3;

struct EveryPair final : CollisionPipeline::PairRule {
  [[nodiscard]] bool allows(std::uint32_t, std::uint32_t) const override { return true; }
};

/// Balls that fly straight through each other.
class Swarm {
 public:
  explicit Swarm(std::uint32_t count) : velocity_(count), travel_(count), pushable_(count, 1) {
    PairGenerator generator{17};
    const double half = 0.5 * kSpacing * std::cbrt(static_cast<double>(count));
    bodies_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      BodyPose& pose = bodies_.pose[i];
      for (double& x : pose.x) x = generator.uniform(-half, half);
      pose.q[0] = 1.0;
      pose.q[1] = pose.q[2] = pose.q[3] = 0.0;
      pose.size = 0.5;
      setVelocity(i, generator.direction());
      Collider collider;
      collider.shape = sphere(0.5);
      collider.body = i;
      collider.moves = true;
      pipeline_.addCollider(collider);
    }
  }

  void advance() {
    for (std::size_t i = 0; i < velocity_.size(); ++i) {
      for (int c = 0; c < 3; ++c) bodies_.pose[i].x[c] += kStep * velocity_[i][c];
      travel_[i].sum += kStep * velocity_[i].norm();
    }
  }
  void setVelocity(std::uint32_t i, const Vector3D& velocity) {
    velocity_[i] = velocity;
    for (int c = 0; c < 3; ++c) bodies_.motion[i].v[c] = velocity[c];
    for (int c = 0; c < 3; ++c) travel_[i].path[c] = kStep * velocity[c];
    travel_[i].size = bodies_.pose[i].size;
  }
  void findPairs() { pipeline_.findPairs(bodies_, travel_, rule_, team_); }
  void testPairs() { pipeline_.testPairs({bodies_, travel_, pushable_, kStep}, team_); }

  /// What a ball may move in the coming step [m].
  [[nodiscard]] double reach(std::uint32_t i) const { return travel_[i].coming(); }
  [[nodiscard]] Vector3D path(std::uint32_t i) const { return kStep * velocity_[i]; }
  [[nodiscard]] CollisionPipeline& pipeline() { return pipeline_; }
  [[nodiscard]] const SolverBodies& bodies() const { return bodies_; }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(velocity_.size()); }

 private:
  CollisionPipeline pipeline_;
  SolverBodies bodies_;
  std::vector<Vector3D> velocity_;
  std::vector<BodyTravel> travel_;
  std::vector<std::uint8_t> pushable_;
  EveryPair rule_;
  WorkTeam team_{1};
};

/// Time that the process has had [s]: a busy machine does not count.
double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Cost {
  double findNanoseconds;  ///< per body and step
  double testNanoseconds;
  double visits;           ///< nodes per query
  double pairs;            ///< per body
};

Cost measure(std::uint32_t count) {
  constexpr int kSteps = 20;
  Swarm swarm{count};
  swarm.findPairs();
  swarm.testPairs();
  double finding = 0.0, testing = 0.0;
  for (int step = 0; step < kSteps; ++step) {
    swarm.advance();
    const double start = now();
    swarm.findPairs();
    const double middle = now();
    swarm.testPairs();
    finding += middle - start;
    testing += now() - middle;
  }
  std::size_t visits = 0;
  for (std::uint32_t c = 0; c < count; ++c) {
    const Aabb box = swarm.pipeline().box(c);
    swarm.pipeline().movingTree().walk(
        [&](const Aabb& node) {
          ++visits;
          return node.overlaps(box);
        },
        [](std::uint32_t, std::int32_t) {});
  }
  const double perBody = 1e9 / (static_cast<double>(count) * kSteps);
  return {finding * perBody, testing * perBody,
          static_cast<double>(visits) / static_cast<double>(count),
          static_cast<double>(swarm.pipeline().pairs().size()) / static_cast<double>(count)};
}

TEST(Broadphase, costPerBodyIsFlat) {
  const char* asked = std::getenv("MSD_BROADPHASE_BODIES");
  const long most = asked != nullptr ? std::atol(asked) : 10000;
  std::printf("  bodies   find pairs   test pairs   nodes/query   pairs/body\n");
  Cost first{};
  for (long count = 1000; count <= most; count *= 10) {
    const Cost cost = measure(static_cast<std::uint32_t>(count));
    std::printf("%8ld   %7.0f ns   %7.0f ns   %11.1f   %10.2f\n", count, cost.findNanoseconds,
                cost.testNanoseconds, cost.visits, cost.pairs);
    if (count == 1000) first = cost;
    // A binary tree's depth: log2 of the number of bodies. Measured 60, 74 and 91 nodes.
    const double deeper = std::log2(static_cast<double>(count)) / std::log2(1000.0);
    EXPECT_LT(cost.visits, 1.5 * deeper * first.visits);
  }
}

TEST(Broadphase, pairsAreThoseWhoseFatBoxesOverlap) {
  Swarm swarm{300};
  for (int step = 0; step < 40; ++step) {
    swarm.findPairs();
    swarm.testPairs();
    std::set<std::pair<std::uint32_t, std::uint32_t>> held;
    for (const CollisionPipeline::Pair& pair : swarm.pipeline().pairs()) {
      EXPECT_LT(pair.colliderA, pair.colliderB);
      EXPECT_TRUE(held.insert({pair.colliderA, pair.colliderB}).second);
    }
    for (std::uint32_t i = 0; i < swarm.count(); ++i) {
      for (std::uint32_t k = i + 1; k < swarm.count(); ++k) {
        // Every pair of fat boxes that overlap is held; so is no pair of balls missed that overlap.
        if (swarm.pipeline().box(i).overlaps(swarm.pipeline().box(k))) {
          EXPECT_TRUE(held.contains({i, k})) << step;
        }
      }
    }
    swarm.advance();
  }
}

// Boxes are long where their bodies are going; bodies that turn off, stop or come back must not leave them.
TEST(Broadphase, fatBoxesHoldTheirBodiesWhicheverWayTheyTurn) {
  Swarm swarm{300};
  PairGenerator generator{29};
  double volume = 0.0;
  int kept = 0;
  for (int step = 0; step < 120; ++step) {
    std::vector<Aabb> before;
    for (std::uint32_t i = 0; i < swarm.count() && step > 0; ++i) {
      before.push_back(swarm.pipeline().box(i));
    }
    swarm.findPairs();
    swarm.testPairs();
    for (std::uint32_t i = 0; i < swarm.count(); ++i) {
      const double* x = swarm.bodies().pose[i].x;
      const Coordinate centre{x[0], x[1], x[2]};
      const Coordinate then = centre + swarm.path(i);
      const Aabb coming =
          Aabb{centre.cwiseMin(then), centre.cwiseMax(then)}.expanded(0.5);
      const Aabb& box = swarm.pipeline().box(i);
      ASSERT_TRUE(box.contains(coming)) << "ball " << i << " in step " << step;
      volume += (box.upper - box.lower).prod();
      if (step > 0 && before[i].lower == box.lower && before[i].upper == box.upper) ++kept;
    }
    swarm.advance();
    for (std::uint32_t i = 0; i < swarm.count(); ++i) {
      if (generator.uniform(0.0, 1.0) < 0.1) {
        swarm.setVelocity(i, generator.uniform(0.0, 30.0) * generator.direction());
      }
    }
  }
  // Balls of 1 m³ in cubes that hold them, at 15 m/s on average, which is a quarter of a metre a step.
  std::printf("mean volume of a fat box %.2f m³, boxes kept %.0f %%\n",
              volume / (120.0 * swarm.count()), 100.0 * kept / (119.0 * swarm.count()));
}

// A tree that is built anew has the same leaves with the boxes they were given, under numbers that it tells; queries find
// what a loop finds, for any number of leaves and threads, and it is no worse than one of insertions (measured: 0.89 to 1
// of its area).
TEST(DynamicTree, isBuiltAnewByAnyNumberOfThreads) {
  for (const std::uint32_t count : {1u, 2u, 3u, 17u, 300u, 5000u}) {
    for (const int threads : {1, 3}) {
      PairGenerator generator{29};
      const auto randomBox = [&] {
        const Coordinate centre = 20.0 * Vector3D{generator.uniform(-1, 1), generator.uniform(-1, 1),
                                                  generator.uniform(-1, 1)};
        return Aabb{centre, centre}.expanded(generator.uniform(0.1, 1.0));
      };
      WorkTeam team{threads};
      const WorkTeam::Session session{team};
      DynamicTree tree, inserted;
      std::vector<std::int32_t> leaves(count);
      std::vector<Aabb> boxes(count);
      for (std::uint32_t i = 0; i < count; ++i) {
        leaves[i] = i % 3 == 0 ? tree.addLoose(randomBox(), i) : tree.insert(randomBox(), i);
      }
      for (std::uint32_t i = 0; i < count; ++i) {
        boxes[i] = randomBox();
        tree.setBox(leaves[i], boxes[i]);
        inserted.insert(boxes[i], i);
      }
      tree.rebuild(team, [&](std::uint32_t id, std::int32_t leaf) { leaves[id] = leaf; });
      ASSERT_TRUE(tree.isConsistent()) << count;
      ASSERT_EQ(tree.leafCount(), count);
      for (std::uint32_t i = 0; i < count; ++i) {
        ASSERT_TRUE(tree.holds(leaves[i], i));
        ASSERT_EQ(tree.box(leaves[i]).lower, boxes[i].lower);
      }
      const Aabb probe = randomBox().expanded(3.0);
      std::set<std::uint32_t> found, expected;
      tree.query(probe, [&](std::uint32_t id, std::int32_t) { found.insert(id); });
      inserted.query(probe, [&](std::uint32_t id, std::int32_t) { expected.insert(id); });
      EXPECT_EQ(found, expected);
      std::printf("%u leaves: area ratio %.1f, of one of insertions %.1f\n", count, tree.areaRatio(),
                  inserted.areaRatio());
      EXPECT_LE(tree.areaRatio(), 1.3 * inserted.areaRatio());
    }
  }
}

// Leaves come, go and move at random: parents, boxes and counts stay right, a query finds what a loop over all
// boxes finds, and the tree stays about as good as one that was just built.
TEST(DynamicTree, staysConsistentWhileLeavesComeGoAndMove) {
  PairGenerator generator{23};
  const auto randomBox = [&] {
    const Coordinate centre = 20.0 * Vector3D{generator.uniform(-1, 1), generator.uniform(-1, 1),
                                              generator.uniform(-1, 1)};
    return Aabb{centre, centre}.expanded(generator.uniform(0.1, 1.0));
  };
  DynamicTree tree;
  std::map<std::uint32_t, std::pair<std::int32_t, Aabb>> leaves;
  for (std::uint32_t i = 0; i < 4000; ++i) {
    const double choice = generator.uniform(0.0, 1.0);
    if (leaves.size() < 200 || choice < 0.4) {
      const Aabb box = randomBox();
      leaves[i] = {tree.insert(box, i), box};
    } else {
      auto it = leaves.lower_bound(static_cast<std::uint32_t>(generator.uniform(0.0, i)));
      if (it == leaves.end()) it = leaves.begin();
      if (choice < 0.7) {
        tree.remove(it->second.first);
        leaves.erase(it);
      } else {
        it->second.second = randomBox();
        tree.move(it->second.first, it->second.second);
      }
    }
    if (i % 100 != 0) continue;
    ASSERT_TRUE(tree.isConsistent()) << i;
    ASSERT_EQ(tree.leafCount(), leaves.size());
    const Aabb probe = randomBox().expanded(3.0);
    std::set<std::uint32_t> found, expected;
    tree.query(probe, [&](std::uint32_t id, std::int32_t) { found.insert(id); });
    for (const auto& [id, leaf] : leaves) {
      if (leaf.second.overlaps(probe)) expected.insert(id);
    }
    ASSERT_EQ(found, expected) << i;
  }
  DynamicTree fresh;
  for (const auto& [id, leaf] : leaves) fresh.insert(leaf.second, id);
  std::printf("%zu leaves: area ratio %.1f, of a fresh tree %.1f\n", leaves.size(), tree.areaRatio(),
              fresh.areaRatio());
  EXPECT_LT(tree.areaRatio(), 1.5 * fresh.areaRatio());
}

}  // namespace
}  // namespace msd_sim::test
