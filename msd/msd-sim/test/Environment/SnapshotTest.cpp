// A world that is saved and brought back goes on exactly as it would have: same bits, same events.

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "Scenes.hpp"

namespace msd_sim::test {
namespace {

constexpr double kDt = 1.0 / 60.0;

using Build = std::function<void(WorldModel&)>;

struct Case {
  const char* name;
  Build build;
  Settings settings;
  int steps{500};
};

std::vector<Case> cases() {
  Settings awake;
  awake.sleeping = false;
  Settings threads;
  threads.threads = 2;
  Settings exact;
  exact.method = Method::kExact;
  exact.sleeping = false;
  Settings reference;
  reference.method = Method::kReference;
  return {
      {"wall", [](WorldModel& w) { addWall(w, 6, 6); }, awake},
      {"wallThatSleeps", [](WorldModel& w) { addWall(w, 4, 3); }, Settings{}},
      {"exactWall", [](WorldModel& w) { addWall(w, 3, 3); }, exact, 80},
      {"exactHeap", [](WorldModel& w) { addHeap(w, 8); }, exact, 120},
      {"referenceWall", [](WorldModel& w) { addWall(w, 2, 3); }, reference, 80},
      {"referenceHeap", [](WorldModel& w) { addHeap(w, 8); }, reference, 120},
      {"heap", [](WorldModel& w) { addHeap(w, 40); }, awake},
      {"heapThatSleeps", [](WorldModel& w) { addHeap(w, 20); }, threads},
      {"chainsThatBreakAndSleep",
       [](WorldModel& w) {
         addFloor(w);
         for (int c = 0; c < 3; ++c) {
           BodyId above{};
           for (int i = 0; i < 6; ++i) {
             const BodyId link =
                 w.spawn(InertialDescription{.shape = Capsule{0.05, 0.15},
                                             .position = {1.0 * c, 0.0, 3.0 - 0.4 * i},
                                             .linearVelocity = {0.5 * i, 0.0, 0.0},
                                             .angularDamping = 0.5});
             w.spawn(JointDescription{
                 .kind = i % 2 == 0 ? JointKind::kBall : JointKind::kHinge,
                 .bodyA = above,
                 .bodyB = link,
                 .anchor = {1.0 * c, 0.0, 3.2 - 0.4 * i},
                 .axis = {0.0, 1.0, 0.0},
                 .breakingForce =
                     c == 1 && i == 1 ? 400.0 : std::numeric_limits<double>::infinity()});
             above = link;
           }
         }
       },
       Settings{}},
      {"dampedKinematicAndContinuous",
       [](WorldModel& w) {
         addFloor(w);
         w.spawn(InertialDescription{.shape = Box{{1.0, 1.0, 0.1}},
                                     .position = {0.0, 0.0, 0.3},
                                     .linearVelocity = {0.2, 0.0, 0.05},
                                     .angularVelocity = {0.0, 0.0, 0.4},
                                     .kinematic = true});
         for (int i = 0; i < 6; ++i) {
           w.spawn(InertialDescription{.shape = Sphere{0.2},
                                       .position = {0.1 * i, 0.05 * i, 1.0 + 0.5 * i},
                                       .linearDamping = 0.3,
                                       .angularDamping = 0.2,
                                       .continuous = true});
         }
       },
       awake},
  };
}

/// Hash of the state and of everything the contacts carry.
Hash128 contactHash(const WorldModel& world) {
  Hasher hasher;
  const Hash128 state = world.stateHash();
  hasher.add(state.low);
  hasher.add(state.high);
  for (const ContactRecord& c : world.contacts()) {
    hasher.add(static_cast<std::uint64_t>(c.bodyA.index));
    hasher.add(static_cast<std::uint64_t>(c.bodyB.index));
    for (int k = 0; k < 3; ++k) {
      hasher.add(c.point[k]);
      hasher.add(c.normal[k]);
      hasher.add(c.forceOnB[k]);
    }
    hasher.add(c.gap);
  }
  return hasher.finish();
}

/// The same with the events of the last step.
Hash128 wholeHash(const WorldModel& world) {
  Hasher hasher;
  const Hash128 contacts = contactHash(world);
  hasher.add(contacts.low);
  hasher.add(contacts.high);
  for (const ContactEvent& e : world.events()) {
    hasher.add(static_cast<std::uint64_t>(e.kind));
    hasher.add(static_cast<std::uint64_t>(e.bodyA.index));
    hasher.add(static_cast<std::uint64_t>(e.bodyB.index));
    hasher.add(e.approachSpeed);
  }
  return hasher.finish();
}

TEST(Snapshot, aRestoredWorldGoesOnBitForBit) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const int half = c.steps / 2;
    WorldModel whole{c.settings};
    c.build(whole);
    std::vector<std::byte> early;
    for (int i = 0; i < half; ++i) {
      if (i == 30) early = whole.snapshot();  // in the middle of the fall
      whole.update(kDt);
    }
    const std::vector<std::byte> saved = whole.snapshot();
    const Hash128 atSave = contactHash(whole);

    WorldModel second{c.settings};
    c.build(second);
    second.restore(saved);
    EXPECT_EQ(second.snapshot(), saved);
    EXPECT_EQ(contactHash(second), atSave);
    EXPECT_DOUBLE_EQ(second.time(), whole.time());
    EXPECT_EQ(second.stepCount(), whole.stepCount());

    WorldModel third{c.settings};
    c.build(third);
    third.restore(early);
    for (int i = 30; i < half; ++i) third.update(kDt);
    EXPECT_EQ(contactHash(third), atSave);

    for (int i = half; i < c.steps; ++i) {
      whole.update(kDt);
      second.update(kDt);
      ASSERT_EQ(wholeHash(whole), wholeHash(second)) << "step " << i;
    }
    // Back again in the same world.
    whole.restore(saved);
    for (int i = half; i < c.steps; ++i) whole.update(kDt);
    EXPECT_EQ(wholeHash(whole), wholeHash(second));
  }
}

// Contacts get other points and other kinds within a step where bodies turn much (K-17).
TEST(Snapshot, ofEveryStepOfAViolentFallIsTaken) {
  Settings settings;
  settings.sleeping = false;
  WorldModel world{settings};
  world.spawn(EnvironmentDescription{.shape = Plane{}});
  world.spawn(EnvironmentDescription{.shape = Box{{2.0, 2.0, 0.2}}, .position = {0.0, 0.0, 0.2}});
  Random random{5};
  const Shape shapes[] = {Capsule{0.2, 0.25}, Cylinder{0.3, 0.3}, lump(random, 24, 0.4),
                          Box{{0.3, 0.25, 0.35}}};
  for (int i = 0; i < 48; ++i) {
    const Vector3D place{0.9 * (i % 4) - 1.5, 0.9 * (i / 4 % 4) - 1.5, 1.2 + 0.9 * (i / 16)};
    world.spawn(InertialDescription{.shape = shapes[i % 4],
                                    .position = place + random.vector(0.1),
                                    .orientation = random.turn(),
                                    .linearVelocity = {0.0, 0.0, -15.0},
                                    .angularVelocity = random.vector(20.0)});
  }
  for (int i = 0; i < 90; ++i) {
    world.update(kDt);
    const std::vector<std::byte> saved = world.snapshot();
    ASSERT_NO_THROW(world.restore(saved)) << "step " << i;
    ASSERT_EQ(world.snapshot(), saved) << "step " << i;
  }
}

TEST(Snapshot, damagedBytesAreRefusedAndChangeNothing) {
  WorldModel world;
  addHeap(world, 12);
  for (int i = 0; i < 60; ++i) world.update(kDt);
  const std::vector<std::byte> good = world.snapshot();
  for (int i = 0; i < 5; ++i) world.update(kDt);
  const Hash128 before = wholeHash(world);
  Random random{99};
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::byte> bad = good;
    const auto where = static_cast<std::size_t>(random.next() * static_cast<double>(bad.size()));
    if (i % 3 == 0) {
      bad.resize(where);
    } else if (i % 3 == 1) {
      bad[where] ^= static_cast<std::byte>(1 << (i % 8));
    } else {
      bad.insert(bad.begin() + static_cast<std::ptrdiff_t>(where), std::byte{7});
    }
    EXPECT_THROW(world.restore(bad), std::invalid_argument);
  }
  EXPECT_THROW(world.restore({}), std::invalid_argument);
  EXPECT_EQ(wholeHash(world), before);
  world.restore(good);
}

TEST(Snapshot, ofAnotherWorldIsRefused) {
  WorldModel a, b;
  addHeap(a, 10);
  addHeap(b, 11);
  EXPECT_THROW(b.restore(a.snapshot()), std::invalid_argument);
  WorldModel c;
  addWall(c, 2, 2);
  EXPECT_THROW(c.restore(a.snapshot()), std::invalid_argument);
}

TEST(StateHash, isReportedPerStepWhenAsked) {
  Settings settings;
  settings.hashEveryStep = true;
  WorldModel world{settings};
  addWall(world, 2, 2);
  const StepReport first = world.update(kDt);
  EXPECT_EQ(first.hash, world.stateHash());
  EXPECT_NE(world.update(kDt).hash, first.hash);
}

}  // namespace
}  // namespace msd_sim::test
