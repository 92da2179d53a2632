// The report says what a step cost and what it left: shape tests, visits of manifolds against those
// the plans allowed, groups of islands, and what has not settled (docs/theory/warm-start.md, G-8).
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "msd-sim/src/Environment/WorldModel.hpp"

namespace msd_sim {
namespace {

constexpr double kDt = 1.0 / 60.0;

void addFloor(WorldModel& world) {
  world.spawn(EnvironmentDescription{
      .name = "floor", .shape = Box{{50, 50, 0.5}}, .position = {0, 0, -0.5}});
}

BodyId addBox(WorldModel& world, const Coordinate& position, double half = 0.5) {
  return world.spawn(InertialDescription{.shape = Box{{half, half, half}}, .position = position});
}

std::uint64_t sumOf(const StepReport& report, std::uint64_t GroupReport::*entry) {
  std::uint64_t sum = 0;
  for (const GroupReport& group : report.groups) sum += group.*entry;
  return sum;
}

// One box on the floor, one in free flight: one pair, one manifold of four points, one island. Once
// it rests the island takes one substep of two phases, in which its one manifold is visited once
// each; nothing is tested again.
TEST(SolveReport, ofABoxAtRestAndOneInFlightIsWhatCountingGives) {
  WorldModel world{Settings{.sleeping = false, .threads = 1}};
  addFloor(world);
  addBox(world, {0, 0, 0.5});
  const BodyId flier = world.spawn(InertialDescription{
      .shape = Box{{0.5, 0.5, 0.5}}, .position = {10, 0, 100}, .linearVelocity = {0, 0, 20}});
  StepReport report = world.update(kDt);
  EXPECT_EQ(report.shapeTests, 1u);
  EXPECT_EQ(report.pairs, 1u);
  for (int i = 0; i < 30; ++i) report = world.update(kDt);
  EXPECT_EQ(report.shapeTests, 0u);
  EXPECT_EQ(report.unsettled, 0u);
  EXPECT_LE(report.localResidual, 1.0);
  const GroupReport& still = report.group(SolveGroup::kStill);
  EXPECT_EQ(still.islands, 1u);
  EXPECT_EQ(still.bodies, 2u);  // what flies without turning takes one substep, too
  EXPECT_EQ(still.manifolds, 1u);
  EXPECT_EQ(still.substeps, 1u);
  EXPECT_EQ(still.sweeps, 2u);
  EXPECT_EQ(still.visits, 2u);
  EXPECT_EQ(still.unsettled, 0u);
  EXPECT_EQ(report.visits, 2u);
  EXPECT_EQ(report.visitsAllowed, still.visitsAllowed);
  for (const SolveGroup other : {SolveGroup::kSlow, SolveGroup::kJoined, SolveGroup::kFull}) {
    EXPECT_EQ(report.group(other).bodies, 0u);
    EXPECT_EQ(report.group(other).visitsAllowed, 0u);
  }
  EXPECT_GT(world.inertial(flier).getInertialState().position.z(), 100.0);
}

// Two boxes that slide in two islands: four substeps of two phases, one manifold each.
TEST(SolveReport, countsIslandsThatMoveByTheirGroup) {
  WorldModel world{Settings{.sleeping = false, .threads = 1}};
  addFloor(world);
  for (const double y : {0.0, 5.0}) {
    world.spawn(InertialDescription{
        .shape = Box{{0.5, 0.5, 0.5}}, .position = {0, y, 0.5}, .linearVelocity = {3, 0, 0}});
  }
  StepReport report;
  for (int i = 0; i < 5; ++i) report = world.update(kDt);
  const GroupReport& full = report.group(SolveGroup::kFull);
  EXPECT_EQ(full.islands, 2u);
  EXPECT_EQ(full.bodies, 2u);
  EXPECT_EQ(full.manifolds, 2u);
  EXPECT_EQ(full.substeps, 4u);
  EXPECT_GE(full.sweeps, 8u);       // a sweep a phase at least
  EXPECT_GE(full.visits, 2u * 8u);  // of both manifolds
  EXPECT_LE(full.visits, full.visitsAllowed);
  EXPECT_EQ(full.visitsAllowed % (2 * 8), 0u);  // two manifolds, eight phases, sweeps of the plan
  EXPECT_EQ(report.visits, full.visits);
  EXPECT_EQ(report.iterations, full.sweeps);
}

// A block of 20 tonnes on a tower of 24 light ones: the load has to pass through all, and the
// plan's sweeps do not bring it there in the step in which it lands.
TEST(SolveReport, saysThatWhatCannotSettleHasNot) {
  WorldModel world{Settings{.sleeping = false, .threads = 1}};
  addFloor(world);
  constexpr int kStories = 24;
  for (int i = 0; i < kStories; ++i) addBox(world, {0, 0, 0.5 + i});
  world.spawn(InertialDescription{.shape = Box{{0.5, 0.5, 0.5}},
                                  .mass = 2e7,
                                  .position = {0, 0, kStories + 0.52},
                                  .linearVelocity = {0, 0, -2}});
  std::uint32_t most = 0;
  double worst = 0.0, change = 0.0;
  for (int i = 0; i < 20; ++i) {
    const StepReport report = world.update(kDt);
    EXPECT_LE(report.visits, report.visitsAllowed);
    EXPECT_EQ(report.unsettled > 0, report.localResidual > 1.0);
    EXPECT_EQ(report.unsettled, sumOf(report, &GroupReport::visits) > 0 ? [&] {
      std::uint32_t sum = 0;
      for (const GroupReport& group : report.groups) sum += group.unsettled;
      return sum;
    }() : 0u);
    most = std::max(most, report.unsettled);
    worst = std::max(worst, report.localResidual);
    change = std::max(change, report.lastChange);
  }
  EXPECT_GT(most, 0u);
  EXPECT_LE(most, kStories + 1u);  // manifolds
  EXPECT_GT(worst, 1.0);
  // What counts as settled is a tenth of gravity's half kick in a substep, 2 mm/s.
  EXPECT_GT(change, 0.1 * 0.5 * (kDt / 4) * 9.81);
}

/// A heap that falls: islands of several kinds, and many packs.
StepReport lastOfAHeap(int threads, std::vector<StepReport>& all) {
  WorldModel world{Settings{.sleeping = false, .threads = threads}};
  addFloor(world);
  for (int x = 0; x < 12; ++x) {
    for (int y = 0; y < 12; ++y) {
      for (int z = 0; z < 3; ++z) {
        addBox(world, {1.3 * x + 0.05 * z, 1.3 * y, 0.6 + 1.1 * z + 0.02 * ((x + y) % 5)}, 0.5);
      }
    }
  }
  StepReport report;
  for (int i = 0; i < 40; ++i) all.push_back(report = world.update(kDt));
  return report;
}

TEST(SolveReport, doesNotDependOnTheNumberOfThreads) {
  std::vector<StepReport> one, four;
  (void)lastOfAHeap(1, one);
  (void)lastOfAHeap(4, four);
  ASSERT_EQ(one.size(), four.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    const StepReport& a = one[i];
    const StepReport& b = four[i];
    EXPECT_EQ(a.shapeTests, b.shapeTests) << i;
    EXPECT_EQ(a.iterations, b.iterations) << i;
    EXPECT_EQ(a.visits, b.visits) << i;
    EXPECT_EQ(a.visitsAllowed, b.visitsAllowed) << i;
    EXPECT_EQ(a.unsettled, b.unsettled) << i;
    EXPECT_EQ(a.localResidual, b.localResidual) << i;
    EXPECT_EQ(a.lastChange, b.lastChange) << i;
    for (std::size_t g = 0; g < kSolveGroups; ++g) {
      EXPECT_EQ(a.groups[g].islands, b.groups[g].islands) << i;
      EXPECT_EQ(a.groups[g].bodies, b.groups[g].bodies) << i;
      EXPECT_EQ(a.groups[g].sweeps, b.groups[g].sweeps) << i;
      EXPECT_EQ(a.groups[g].visits, b.groups[g].visits) << i;
      EXPECT_EQ(a.groups[g].unsettled, b.groups[g].unsettled) << i;
    }
    EXPECT_LE(a.visits, a.visitsAllowed) << i;
  }
}

// A chain that hangs is solved at once: nothing has to agree with it, and it counts as settled.
// Where it lies on the floor, contacts and joints have to agree.
TEST(SolveReport, countsMechanismsWhereContactsHaveToAgreeWithThem) {
  const auto chain = [](double height, int steps) {
    WorldModel world{Settings{.sleeping = false, .threads = 1}};
    addFloor(world);
    BodyId last{};
    for (int i = 0; i < 8; ++i) {
      const BodyId link =
          world.spawn(InertialDescription{.shape = Sphere{0.2}, .position = {0.5 * i, 0, height}});
      if (i > 0) {
        world.spawn(JointDescription{.kind = JointKind::kBall,
                                     .bodyA = last,
                                     .bodyB = link,
                                     .anchor = {0.5 * i - 0.25, 0, height}});
      }
      last = link;
    }
    StepReport report;
    std::uint32_t unsettled = 0;
    for (int i = 0; i < steps; ++i) {
      report = world.update(kDt);
      unsettled += report.unsettled;
    }
    return std::pair{report, unsettled};
  };
  EXPECT_EQ(chain(50.0, 60).second, 0u);
  const auto [report, unsettled] = chain(0.2, 60);
  EXPECT_EQ(report.unsettled, 0u);
  EXPECT_GT(report.visits, 0u);
}

}  // namespace
}  // namespace msd_sim
