// A step says how far its promises hold: ok, degraded with the reason, or failed.
#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "msd-sim/src/Diagnostics/FaultText.hpp"
#include "msd-sim/src/Environment/WorldModel.hpp"
#include "msd-sim/src/Physics/PotentialEnergy/PotentialEnergy.hpp"

namespace msd_sim {
namespace {

constexpr double kDt = 1.0 / 60.0;

/// A bar on a rope of 1 m at the origin.
struct Pendulum {
  WorldModel world{Settings{.sleeping = false}};
  BodyId bar = world.spawn(InertialDescription{
      .name = "bar", .shape = Box{{0.5, 0.1, 0.1}}, .position = {0.9, 0, 0}, .collides = false});
  JointId joint = world.spawn(JointDescription{.kind = JointKind::kRope,
                                               .bodyB = bar,
                                               .anchor = {0, 0, 0},
                                               .anchorB = Coordinate{0.9, 0, 0},
                                               .length = 1.0});

  void moveTo(const Coordinate& place) {
    InertialState state = world.inertial(bar).getInertialState();
    state.position = place;
    world.setState(bar, state);
  }
};

TEST(StepStatus, ofAMechanismThatHoldsIsOk) {
  Pendulum p;
  for (int i = 0; i < 60; ++i) {
    const StepReport r = p.world.update(kDt);
    ASSERT_EQ(r.status, StepStatus::kOk) << faultText(r.faults);
    ASSERT_EQ(r.tornJoints, 0u);
    ASSERT_TRUE(r.faults.isEmpty());
  }
}

// A rope that is 1.5 m too long comes back at correctionSpeed body sizes a second: torn until then.
TEST(StepStatus, ofATornMechanismIsDegradedUntilItHasClosed) {
  Pendulum p;
  ASSERT_EQ(p.world.update(kDt).status, StepStatus::kOk);
  p.moveTo({2.5, 0, 0});
  StepReport r = p.world.update(kDt);
  EXPECT_EQ(r.status, StepStatus::kDegraded);
  EXPECT_TRUE(r.faults.has(StepFault::kTornJoint));
  EXPECT_EQ(r.tornJoints, 1u);
  EXPECT_GT(r.jointError, 0.1);
  for (int i = 0; i < 600 && r.tornJoints > 0; ++i) r = p.world.update(kDt);
  EXPECT_FALSE(r.faults.has(StepFault::kTornJoint));
  EXPECT_LT(r.jointError, 0.01 * 0.52);  // a hundredth of the bar's radius, 0.52 m
}

TEST(StepStatus, ofAnExactStepThatStaysAboveItsToleranceIsDegraded) {
  Settings settings{.method = Method::kExact};
  settings.exactTolerance = 1e-15;
  settings.exactIterations = 1;
  WorldModel world{settings};
  world.spawn(EnvironmentDescription{.shape = Box{{5, 5, 0.5}}, .position = {0, 0, -0.5}});
  for (int i = 0; i < 6; ++i) {
    world.spawn(InertialDescription{.shape = Box{{0.5, 0.4, 0.5}},
                                    .position = {0.07 * i, 0.02 * i, 0.5 + i},
                                    .linearVelocity = {1.0, 0.3, -1.0},
                                    .angularVelocity = {0.1, 0.2, 0.3}});
  }
  StepReport worst;
  for (int i = 0; i < 20; ++i) {
    const StepReport r = world.update(kDt);
    EXPECT_EQ(r.status == StepStatus::kOk, r.faults.isEmpty());
    EXPECT_EQ(r.faults.has(StepFault::kNotConverged), r.unsolvedIslands > 0);
    if (r.unsolvedIslands > worst.unsolvedIslands) worst = r;
  }
  EXPECT_EQ(worst.status, StepStatus::kDegraded);
  EXPECT_GT(worst.certificate.naturalMap, 1e-15);
}

TEST(StepStatus, ofAStepThatCannotBeTakenIsFailed) {
  class Bad final : public PotentialEnergy {
    [[nodiscard]] Force computeForce(const InertialState&, double) const override {
      return {std::numeric_limits<double>::infinity(), 0, 0};
    }
    [[nodiscard]] double computeEnergy(const InertialState&, double) const override { return 0.0; }
  };
  WorldModel world;
  world.addPotential(std::make_unique<Bad>());
  const BodyId ball = world.spawn(InertialDescription{.shape = Sphere{0.1}});
  const StepReport r = world.update(kDt);
  EXPECT_EQ(r.status, StepStatus::kFailed);
  EXPECT_TRUE(r.faults.has(StepFault::kNonFinite));
  EXPECT_EQ(r.failedBody, ball);
}

TEST(FaultText, isReadBack) {
  StepFaults faults;
  EXPECT_EQ(faultText(faults), "");
  faults.add(StepFault::kNotConverged);
  faults.add(StepFault::kGuarded);
  EXPECT_EQ(faultText(faults), "not converged, guarded");
  EXPECT_EQ(readFaults(faultText(faults)), faults);
  EXPECT_EQ(readFaults("")->bits(), 0u);
  EXPECT_FALSE(readFaults("not converged, bored"));
  EXPECT_FALSE(readFaults(", "));
}

}  // namespace
}  // namespace msd_sim
