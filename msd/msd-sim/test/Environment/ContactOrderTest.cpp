// How the contacts of a step are laid out and when their pairs are tested again: what colours and packs promise,
// and that a pair whose shapes move together is left alone.

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "Scenes.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Physics/Collision/PairRest.hpp"

namespace msd_sim::test {
namespace {

/// A heap of balls and boxes that falls in on itself, so that contacts come and go.
void pour(WorldModel& world, int bodies) {
  world.spawn(EnvironmentDescription{.shape = Box{{20, 20, 1}}, .position = {0, 0, -1}});
  Random random{7};
  for (int i = 0; i < bodies; ++i) {
    const Shape shape = i % 2 == 0 ? Shape{Sphere{0.25}} : Shape{Box{{0.25, 0.2, 0.3}}};
    world.spawn(InertialDescription{
        .shape = shape,
        .position = Vector3D{0.6 * (i % 9), 0.6 * ((i / 9) % 9), 0.5 + 0.6 * (i / 81)} +
                    random.vector(0.05),
        .orientation = random.turn(),
        .linearVelocity = random.vector(2.0)});
  }
}

/// Calls visit(pack, colour, bodies of a contact) for all contacts that have a colour of their own.
template <class Visit>
void forColoured(Simulation& sim, const Visit& visit) {
  for (std::size_t pack = 0; pack < sim.packs.packs.size(); ++pack) {
    const auto colours = sim.table.coloursOf(pack);
    const auto look = [&]<int kPoints>(std::size_t kind, std::size_t c) {
      const auto& lanes = sim.table.lanes<kPoints>();
      for (std::size_t at = colours[c].first[kind] * kBundleLanes; at < colours[c].last[kind] * kBundleLanes; ++at) {
        const std::uint32_t id = lanes.contact[at];
        if (id == ContactCache::kNone) continue;
        EXPECT_EQ(sim.collision.contacts().contact(id).lane, at);
        const LaneBodies bodyPair{lanes.bodyPair[at / kBundleLanes], at % kBundleLanes};
        visit(pack, c, std::size_t{bodyPair.body0}, std::size_t{bodyPair.body1});
      }
    };
    for (std::size_t c = 0; c < colours.size(); ++c) {
      if (colours[c].overflow) continue;
      look.template operator()<1>(0, c);
      look.template operator()<2>(1, c);
      look.template operator()<4>(2, c);
    }
  }
}

TEST(ContactColours, shareNoBodyThatCanBePushedWhileContactsComeAndGo) {
  WorldModel world{Settings{.sleeping = false}};
  pour(world, 729);
  Simulation& sim = WorldAccess::of(world);
  for (int step = 0; step < 70; ++step) {
    world.update(1.0 / 60.0);
    std::set<std::tuple<std::size_t, std::size_t, std::size_t>> seen;
    forColoured(sim, [&](std::size_t pack, std::size_t colour, std::size_t a, std::size_t b) {
      for (const std::size_t body : {a, b}) {
        if (sim.pushable[body] == 0) continue;
        EXPECT_TRUE(seen.insert({pack, colour, body}).second);
      }
    });
  }
  EXPECT_GT(sim.table.count(), 1500u);  // measured 2 or 3 a body
}

TEST(ContactColours, areTheLowestThatWereFree) {
  WorldModel world{Settings{.sleeping = false}};
  pour(world, 729);
  Simulation& sim = WorldAccess::of(world);
  for (int step = 0; step < 70; ++step) world.update(1.0 / 60.0);
  std::vector<std::uint64_t> used(sim.slots.size(), 0);
  forColoured(sim, [&](std::size_t, std::size_t colour, std::size_t a, std::size_t b) {
    for (const std::size_t body : {a, b}) {
      if (sim.pushable[body] != 0) used[body] |= std::uint64_t{1} << colour;
    }
  });
  forColoured(sim, [&](std::size_t, std::size_t colour, std::size_t a, std::size_t b) {
    const std::uint64_t taken = (sim.pushable[a] != 0 ? used[a] : 0) | (sim.pushable[b] != 0 ? used[b] : 0);
    EXPECT_GE(std::countr_one(taken), static_cast<int>(colour));
  });
}

/// Runs a heap.
WorldModel heapOf(int threads, int steps) {
  WorldModel world{Settings{.sleeping = false, .threads = threads}};
  pour(world, 729);
  for (int step = 0; step < steps; ++step) world.update(1.0 / 60.0);
  return world;
}

TEST(Packs, haveContactsAndBodiesOfTheirOwn) {
  WorldModel world = heapOf(1, 40);
  Simulation& sim = WorldAccess::of(world);
  std::size_t most = 0;
  for (int step = 0; step < 40; ++step) {
    world.update(1.0 / 60.0);
    std::vector<std::size_t> packOf(sim.slots.size(), sim.packs.packs.size());
    for (std::size_t pack = 0; pack < sim.packs.packs.size(); ++pack) {
      for (const std::int32_t body : sim.packs.bodiesOf(sim.packs.packs[pack])) {
        if (body == 0) continue;
        EXPECT_EQ(packOf[static_cast<std::size_t>(body)], sim.packs.packs.size()) << "a body of two packs";
        packOf[static_cast<std::size_t>(body)] = pack;
      }
    }
    for (std::size_t i = 0; i < sim.slots.size(); ++i) {
      EXPECT_EQ(packOf[i] < sim.packs.packs.size(), sim.moving[i] != 0) << i;
    }
    forColoured(sim, [&](std::size_t pack, std::size_t, std::size_t a, std::size_t b) {
      for (const std::size_t body : {a, b}) {
        if (sim.pushable[body] == 0) continue;
        EXPECT_EQ(packOf[body], pack) << body;
      }
    });
    most = std::max(most, sim.packs.packs.size());
  }
  EXPECT_GT(most, 1u);
}

TEST(Packs, doNotLetTheThreadsMatter) {
  const Hash128 one = heapOf(1, 60).stateHash();
  for (const int threads : {2, 3, 5}) EXPECT_EQ(heapOf(threads, 60).stateHash(), one) << threads;
}

TEST(Packs, goOnFromASnapshot) {
  WorldModel world = heapOf(1, 45), other = heapOf(2, 5);
  other.restore(world.snapshot());
  for (int step = 0; step < 30; ++step) {
    world.update(1.0 / 60.0);
    other.update(1.0 / 60.0);
  }
  EXPECT_EQ(other.stateHash(), world.stateHash());
}

/// Shapes of a pair, placed at random near each other.
struct PairCase {
  CollisionShape a, b;
  Pose poseA, poseB;
};

CollisionShape anyShape(Random& random) {
  const double pick = random.next();
  if (pick < 0.3) return makeCollisionShape(Sphere{random.between(0.1, 1.0)});
  if (pick < 0.6) {
    return makeCollisionShape(Box{{random.between(0.1, 1.0), random.between(0.1, 1.0), 0.3}});
  }
  return makeCollisionShape(Capsule{random.between(0.1, 0.5), random.between(0.1, 1.0)});
}

PairCase anyPair(Random& random) {
  return {anyShape(random), anyShape(random), {random.vector(1.0), random.turn()},
          {random.vector(1.0), random.turn()}};
}

Pose moved(const Pose& motion, const Pose& pose) { return motion * pose; }

TEST(PairRest, forgetsMotionsThatBothShapesShare) {
  Random random{11};
  double worst = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const PairCase c = anyPair(random);
    const double allowed = 1e-3;
    const PairRest rest = restOf({c.a, c.poseA, c.b, c.poseB}, allowed);
    const Pose motion{random.vector(5.0), random.turn()};
    const double left =
        wayLeft(rest, {c.a, moved(motion, c.poseA), c.b, moved(motion, c.poseB)});
    worst = std::max(worst, allowed - left);
  }
  EXPECT_LT(worst, 3e-6);  // measured 1.8e-6: rounding to single precision, counted twice
}

TEST(PairRest, isNoLongerThanTheWayOfAnyPoint) {
  Random random{12};
  double excess = -1.0;
  for (int i = 0; i < 1000; ++i) {
    const PairCase c = anyPair(random);
    const double allowed = 10.0;
    const PairRest rest = restOf({c.a, c.poseA, c.b, c.poseB}, allowed);
    const double size = std::pow(10.0, random.between(-6.0, -0.5));
    const Vector3D axis = random.vector(size);
    const Pose motion{random.vector(size),
                      Quaternion{1.0, axis.x(), axis.y(), axis.z()}.normalized()};
    const Pose nowB = moved(motion, c.poseB);
    const double left = wayLeft(rest, {c.a, c.poseA, c.b, nowB});
    // A ball turns within itself: only its centre moves. Of the others, points of the surface.
    for (int k = 0; k < 8; ++k) {
      const bool ball = c.b.kind == ShapeKind::kSphere;
      const Coordinate p = ball ? Coordinate{Coordinate::Zero()}
                                : supportPoint(c.b, random.vector(1.0) + Vector3D{0, 0, 1e-3});
      const bool balls = ball && c.a.kind == ShapeKind::kSphere;
      const double way =
          balls ? std::abs((nowB.position - c.poseA.position).norm() -
                           (c.poseB.position - c.poseA.position).norm())
                : (nowB.toWorld(p) - c.poseB.toWorld(p)).norm();
      if (c.a.kind == ShapeKind::kSphere && !ball) continue;  // the ball moves in the other's frame
      if (c.a.size < c.b.size && !ball) continue;             // so does the smaller one
      excess = std::max(excess, way - (allowed - left));
    }
  }
  EXPECT_LE(excess, 0.0);  // measured -1e-6
}

}  // namespace
}  // namespace msd_sim::test
