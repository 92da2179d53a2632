// A step that fails or throws leaves the world as it was: the snapshots before and after are the same bytes, and
// the world goes on like one that never failed.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <tuple>

#include "Scenes.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Physics/Constraints/Constraint.hpp"
#include "msd-sim/src/Physics/PotentialEnergy/PotentialEnergy.hpp"

namespace msd_sim::test {
namespace {

constexpr double kDt = 1.0 / 60.0;

/// When the code of a user throws: at the call that brings the number down to zero.
struct Fuse {
  std::atomic<long> calls{std::numeric_limits<long>::max()};
  void burn() {
    if (--calls == 0) throw std::runtime_error("fuse");
  }
};

/// A weak wind that throws when its fuse has burnt down.
class Wind final : public PotentialEnergy {
 public:
  explicit Wind(Fuse& fuse) : fuse_{fuse} {}
  [[nodiscard]] Force computeForce(const InertialState&, double mass) const override {
    fuse_.burn();
    return {0.1 * mass, 0.0, 0.0};
  }
  [[nodiscard]] double computeEnergy(const InertialState& state, double mass) const override {
    fuse_.burn();
    return -0.1 * mass * state.position.x();
  }

 private:
  Fuse& fuse_;
};

/// Holds a body's centre at its height.
class Height final : public Constraint {
 public:
  Height(Fuse& fuse, double height) : fuse_{fuse}, height_{height} {}
  using Constraint::evaluate;
  using Constraint::jacobian;
  [[nodiscard]] int dimension() const override { return 1; }
  [[nodiscard]] Eigen::VectorXd evaluate(const InertialState& a, const InertialState&,
                                         double) const override {
    fuse_.burn();
    return Eigen::VectorXd::Constant(1, a.position.z() - height_);
  }
  [[nodiscard]] Eigen::MatrixXd jacobian(const InertialState&, const InertialState&,
                                         double) const override {
    fuse_.burn();
    Eigen::MatrixXd row = Eigen::MatrixXd::Zero(1, kOneBodyColumns);
    row(0, 2) = 1.0;
    return row;
  }
  [[nodiscard]] LambdaBounds lambdaBounds() const override { return LambdaBounds::bilateral(); }
  [[nodiscard]] std::string typeName() const override { return "Height"; }

 private:
  Fuse& fuse_;
  double height_;
};

/// A heap that falls, with a field, a constraint and a rule for materials of the user's own.
WorldModel worldOfTheUser(Fuse& fuse, Method method, int threads, int bodies) {
  Settings settings;
  settings.method = method;
  settings.threads = threads;
  settings.combine = [&fuse](const SurfaceMaterial& a, const SurfaceMaterial& b) {
    fuse.burn();
    return SurfaceMaterial{std::sqrt(a.friction * b.friction), 0.2};
  };
  WorldModel world{settings};
  addHeap(world, bodies);
  const BodyId held = world.spawn(InertialDescription{
      .shape = Sphere{0.2}, .position = {0.0, 0.0, 1.0}, .linearVelocity = {0.5, 0.0, 0.0}});
  world.addPotential(std::make_unique<Wind>(fuse));
  world.addConstraint(std::make_unique<Height>(fuse, 1.0), held);
  return world;
}

TEST(FailedStep, whatTheUsersCodeThrowsLeavesTheWorldAsItWas) {
  struct Case {
    Method method;
    int threads, bodies;
  };
  // 256 bodies and more are shared among threads.
  for (const auto& [method, threads, bodies] :
       {Case{Method::kFast, 1, 12}, Case{Method::kFast, 3, 300}, Case{Method::kReference, 1, 12}}) {
    SCOPED_TRACE(methodName(method));
    Fuse fuse, other;
    WorldModel world = worldOfTheUser(fuse, method, threads, bodies);
    WorldModel calm = worldOfTheUser(other, method, threads, bodies);
    for (int i = 0; i < 50; ++i) {
      world.update(kDt);
      calm.update(kDt);
    }
    const std::vector<std::byte> before = world.snapshot();
    const long left = other.calls;
    calm.update(kDt);
    const long calls = left - other.calls;  // of the step that is to fail
    ASSERT_GT(calls, 10);
    calm.restore(before);
    const StepReport report = world.lastReport();
    for (long n = 1; n <= calls; n += 1 + calls / 23) {
      fuse.calls = n;
      EXPECT_THROW(world.update(kDt), std::runtime_error) << n << " of " << calls;
      ASSERT_EQ(world.snapshot(), before) << n << " of " << calls;
      EXPECT_EQ(world.lastReport().step, report.step);
    }
    fuse.calls = std::numeric_limits<long>::max();
    for (int i = 0; i < 20; ++i) {
      world.update(kDt);
      calm.update(kDt);
      ASSERT_EQ(world.snapshot(), calm.snapshot()) << "step " << i;
    }
  }
}

/// Fails in every step while `bad` is set: a force that is no number.
class Poison final : public PotentialEnergy {
 public:
  explicit Poison(const bool& bad) : bad_{bad} {}
  [[nodiscard]] Force computeForce(const InertialState&, double) const override {
    return {bad_ ? std::numeric_limits<double>::quiet_NaN() : 0.0, 0.0, 0.0};
  }
  [[nodiscard]] double computeEnergy(const InertialState&, double) const override { return 0.0; }

 private:
  const bool& bad_;
};

TEST(FailedStep, aFieldThatGivesNoNumberFailsInGather) {
  bool bad = false;
  WorldModel world;
  addHeap(world, 10);
  world.addPotential(std::make_unique<Poison>(bad));
  for (int i = 0; i < 40; ++i) world.update(kDt);
  const std::vector<std::byte> before = world.snapshot();
  bad = true;
  const StepReport report = world.update(kDt);
  EXPECT_EQ(report.status, StepStatus::kNonFinite);
  EXPECT_EQ(report.failedStage, Stage::kGather);
  EXPECT_EQ(world.snapshot(), before);
  bad = false;
  EXPECT_EQ(world.update(kDt).status, StepStatus::kOk);
}

// The state is kept once in 192 steps; whatever number of steps has gone by since, the way back is exact, through
// sleep, waking, joints that break and bodies that come and go.
TEST(FailedStep, comesBackToTheSameBytesFromAnyStep) {
  for (const auto& [method, threads, most] : {std::tuple{Method::kFast, 1, 200}, std::tuple{Method::kFast, 2, 200},
                                             std::tuple{Method::kReference, 1, 7}}) {
    SCOPED_TRACE(methodName(method));
    Settings settings;
    settings.threads = threads;
    settings.method = method;
    WorldModel world{settings};
    Simulation& inside = WorldAccess::of(world);
    addHeap(world, 25);
    BodyId above{};
    for (int i = 0; i < 5; ++i) {
      const BodyId link = world.spawn(InertialDescription{
          .shape = Capsule{0.05, 0.15}, .position = {3.0, 0.0, 3.0 - 0.4 * i}, .linearVelocity = {0.5 * i, 0, 0}});
      world.spawn(JointDescription{.kind = JointKind::kBall,
                                   .bodyA = above,
                                   .bodyB = link,
                                   .anchor = {3.0, 0.0, 3.2 - 0.4 * i},
                                   .breakingForce = i == 2 ? 60.0 : 1e9});
      above = link;
    }
    const BodyId shot = world.spawn(
        InertialDescription{.shape = Sphere{0.1}, .position = {9.0, 9.0, 5.0}, .collides = false, .maySleep = false});
    for (const int steps : {0, 1, 7, 100, 127, 128, 129, 200}) {
      if (steps > most) break;
      for (int i = 0; i < steps; ++i) world.update(kDt);
      world.setVelocity(shot, {1.0, 2.0, 3.0}, AngularRate::Zero());
      world.wake(world.bodies()[3]);
      const std::vector<std::byte> before = world.snapshot();
      world.update(0.0);  // keeps the state, and finds contacts
      const std::vector<std::byte> looked = world.snapshot();
      inside.solver.motion[shot.index].v[1] = std::numeric_limits<double>::infinity();
      const StepReport report = world.update(kDt);
      EXPECT_EQ(report.status, StepStatus::kNonFinite);
      EXPECT_EQ(report.failedBody, shot);
      EXPECT_EQ(world.snapshot(), looked);
      world.restore(before);
      EXPECT_EQ(world.snapshot(), before);
    }
  }
}

/// The kernels of a world, of which the drift of one step leaves a velocity that is no number.
class BrokenKernels {
 public:
  BrokenKernels(Simulation& sim, std::uint64_t step) : sim_{sim}, whole_{*sim.kernels}, broken_{*sim.kernels} {
    whole = &whole_;
    inside = &sim;
    at = step;
    broken_.body.drift = [](SolverBodies& bodies, BodyList list, const DriftStep& drift) {
      whole->body.drift(bodies, list, drift);
      const bool isIts = std::find(list.begin(), list.end(), 5) != list.end();  // others are of other threads
      if (isIts && inside->step == at) bodies.motion[5].v[0] = std::numeric_limits<double>::quiet_NaN();
    };
    sim_.kernels = &broken_;
  }
  ~BrokenKernels() { sim_.kernels = &whole_; }
  BrokenKernels(const BrokenKernels&) = delete;
  BrokenKernels& operator=(const BrokenKernels&) = delete;

 private:
  static inline const Kernels* whole{nullptr};
  static inline const Simulation* inside{nullptr};
  static inline std::uint64_t at{0};
  Simulation& sim_;
  const Kernels& whole_;
  Kernels broken_;
};

// As above, but nothing has touched the world from outside for many steps: it has to take them again. The state is
// kept at steps 0, 16 and 208, and contacts are put in order at every sixteenth.
TEST(FailedStep, takesTheStepsSinceThenAgain) {
  for (const int threads : {1, 2}) {
    for (const std::uint64_t steps : {0, 1, 15, 16, 17, 31, 32, 33, 48, 64, 100, 160, 207, 208, 209, 224, 230}) {
      Settings settings = awake();
      settings.threads = threads;
      WorldModel world{settings};
      addHeap(world, 20);
      Simulation& inside = WorldAccess::of(world);
      inside.shareFrom = 0;
      for (std::uint64_t i = 0; i < steps; ++i) world.update(i % 7 == 3 ? 0.5 * kDt : kDt);
      const std::vector<std::byte> before = world.snapshot();
      {
        const BrokenKernels broken{inside, steps};
        const StepReport report = world.update(kDt);
        EXPECT_EQ(report.status, StepStatus::kNonFinite);
        EXPECT_EQ(report.failedStage, Stage::kSolve);
      }
      EXPECT_EQ(world.snapshot(), before) << "after " << steps << " steps, threads " << threads;
      EXPECT_EQ(world.update(kDt).status, StepStatus::kOk);
    }
  }
}

// A world that is controlled gets forces, targets and poses before every step. They are given again on the way back,
// and do not make every step keep the state.
TEST(FailedStep, givesForcesAndTargetsAgain) {
  for (const std::uint64_t steps : {1, 16, 17, 40, 130}) {
    WorldModel world;  // bodies may sleep, and are woken
    addHeap(world, 40);  // inputs that outweigh the state make it be kept again
    const BodyId lift = world.spawn(
        InertialDescription{.shape = Box{{0.5, 0.5, 0.1}}, .position = {0.0, 0.0, -0.3}, .kinematic = true});
    const BodyId arm = world.spawn(InertialDescription{.shape = Capsule{0.1, 0.3}, .position = {4.0, 0.0, 2.0}});
    const JointId hinge = world.spawn(JointDescription{.kind = JointKind::kHinge,
                                                       .bodyB = arm,
                                                       .anchor = {4.0, 0.0, 2.4},
                                                       .axis = {0.0, 1.0, 0.0},
                                                       .motor = JointMotor{.mode = MotorMode::kPosition}});
    Simulation& inside = WorldAccess::of(world);
    const std::vector<BodyId> bodies{world.bodies().begin(), world.bodies().end()};
    const auto control = [&](std::uint64_t step) {
      const double s = 0.1 * static_cast<double>(step);
      world.setMotorTarget(hinge, std::sin(s), 0.1);
      if (step % 3 == 0) world.moveTo(lift, Pose{{0.0, 0.0, -0.3 + 0.01 * s}, Quaternion::Identity()}, kDt);
      if (step % 2 == 0) world.applyForce(bodies[2], {3.0 * std::cos(s), 0.0, 1.0});
      if (step % 5 == 0) world.applyForceAt(bodies[4], {0.0, 2.0, 0.0}, {0.0, 0.0, 0.5});
      if (step % 7 == 0) world.applyTorque(bodies[5], {0.0, 0.0, 0.4});
    };
    for (std::uint64_t i = 0; i < steps; ++i) {
      control(i);
      world.update(kDt);
    }
    control(steps);
    const std::size_t since = inside.undo.steps.size();
    EXPECT_TRUE(inside.undo.valid);
    EXPECT_EQ(since, steps <= 16 ? steps : steps - 16) << "the state was kept more often than it need be";
    const std::vector<std::byte> before = world.snapshot();
    {
      const BrokenKernels broken{inside, steps};
      EXPECT_EQ(world.update(kDt).status, StepStatus::kFailed);
    }
    EXPECT_EQ(world.snapshot(), before) << "after " << steps << " steps";
    EXPECT_EQ(world.joint(hinge).motor->target, std::sin(0.1 * static_cast<double>(steps)));
    EXPECT_NE(world.update(kDt).status, StepStatus::kFailed);
  }
}

// Inputs without end take no more room than the state.
TEST(FailedStep, keepsTheStateAnewWhereInputsAreMany) {
  WorldModel world;
  addHeap(world, 5);
  Simulation& inside = WorldAccess::of(world);
  world.update(kDt);
  const std::size_t most = inside.undo.state.bytes().size() / sizeof(WorldInput);
  for (std::size_t i = 0; i < 3 * most; ++i) world.applyForce(world.bodies()[2], {1e-3, 0.0, 0.0});
  EXPECT_LE(inside.undo.inputs.size(), most + 1);
  const std::vector<std::byte> before = world.snapshot();
  {
    const BrokenKernels broken{inside, 1};
    EXPECT_EQ(world.update(kDt).status, StepStatus::kFailed);
  }
  EXPECT_EQ(world.snapshot(), before);
}

TEST(FailedStep, codeOfTheUserMayReadBodiesButNotAskOrChangeTheWorld) {
  class Nosy final : public PotentialEnergy {
   public:
    Nosy(WorldModel*& world, int& what) : world_{world}, what_{what} {}
    [[nodiscard]] Force computeForce(const InertialState&, double) const override {
      if (world_ == nullptr) return Force::Zero();
      const BodyId body = world_->bodies().back();
      (void)world_->inertial(body).getInertialState();
      (void)world_->time();
      switch (what_) {
        case 1: world_->update(kDt); break;
        case 2: world_->setVelocity(body, {1, 0, 0}, {0, 0, 0}); break;
        case 3: world_->remove(body); break;
        case 4: (void)world_->contacts(); break;
        case 5: (void)world_->snapshot(); break;
        case 6: (void)world_->rayCast(Ray{{0, 0, 5}, {0, 0, -1}, 10.0}); break;
        case 7: world_->spawn(InertialDescription{.shape = Sphere{0.1}}); break;
        default: break;
      }
      return Force::Zero();
    }
    [[nodiscard]] double computeEnergy(const InertialState&, double) const override { return 0.0; }

   private:
    WorldModel*& world_;
    int& what_;
  };
  WorldModel world;
  WorldModel* seen = nullptr;
  int what = 0;
  addHeap(world, 8);
  world.addPotential(std::make_unique<Nosy>(seen, what));
  for (int i = 0; i < 30; ++i) world.update(kDt);
  seen = &world;
  EXPECT_EQ(world.update(kDt).status, StepStatus::kOk);
  const std::vector<std::byte> before = world.snapshot();
  for (what = 1; what <= 7; ++what) {
    EXPECT_THROW(world.update(kDt), std::logic_error) << what;
    EXPECT_EQ(world.snapshot(), before) << what;
  }
  what = 0;
  EXPECT_EQ(world.update(kDt).status, StepStatus::kOk);
}

TEST(FailedStep, aFailedRestoreLeavesTheWorldAsItWas) {
  WorldModel world;
  addHeap(world, 12);
  for (int i = 0; i < 60; ++i) world.update(kDt);
  const std::vector<std::byte> good = world.snapshot();
  for (int i = 0; i < 60; ++i) world.update(kDt);
  const std::vector<std::byte> before = world.snapshot();
  EXPECT_THROW(world.restore(std::span{good}.first(good.size() - 1)), std::invalid_argument);
  EXPECT_EQ(world.snapshot(), before);
  world.restore(good);
  EXPECT_EQ(world.snapshot(), good);
}

}  // namespace
}  // namespace msd_sim::test
