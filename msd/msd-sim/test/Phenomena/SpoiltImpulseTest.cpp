// The energy ledger proves something: where one impulse of one phase is not what acted, its entries
// do not close (docs/theory/energy.md). The kernels of a world are replaced by ones that lie once.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "../Environment/Scenes.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim::test {
namespace {

constexpr double kDt = 1.0 / 60.0;
constexpr int kSteps = 40;
constexpr int kSpoilt = 25;      // the step in which something lies
constexpr double kLimit = 1e-9;  // of the scale; 1.1e-16 in the worst honest step
constexpr double kFar = 1e3;     // times the limit; the least found is 4.4e4

enum class Lie {
  kNone,
  kNormal,    ///< a row says a hundredth more than it gave, along the normal; the boxes fall
  kFriction,  ///< the same along a tangent
  kVelocity,  ///< a body gets an impulse that no row knows of
  kDrift,     ///< a body loses energy while it drifts
};

/// Kernels that lie in the last phase of one step.
class LyingKernels {
 public:
  LyingKernels(Simulation& sim, Lie lie) : sim_{sim}, whole_{*sim.kernels}, lying_{*sim.kernels} {
    whole = &whole_;
    inside = &sim;
    told = lie;
    left = 1;
    lying_.patch.conclude = [](SolverBodies& bodies, const BundleRun<4>& run,
                               const ContactPass& pass) {
      whole->patch.conclude(bodies, run, pass);
      const int entry = told == Lie::kNormal ? 0 : told == Lie::kFriction ? 1 : -1;
      if (entry < 0 || run.count == 0 || !(run.rows[0].points[0].impulse[0][0] > 0.0) || !isTime())
        return;
      run.rows[0].points[0].impulse[entry][0] += 0.01 * run.rows[0].points[0].impulse[0][0];
    };
    lying_.body.finish = [](SolverBodies& bodies, BodyList list, const PhaseKick& kicked) {
      if (told == Lie::kVelocity && isTime())
        bodies.motion[static_cast<std::size_t>(list[0])].v[0] *= 1.001;
      whole->body.finish(bodies, list, kicked);
    };
    lying_.body.drift = [](SolverBodies& bodies, BodyList list, const DriftStep& step) {
      whole->body.drift(bodies, list, step);
      if (told == Lie::kDrift && isTime())
        bodies.before[static_cast<std::size_t>(list[0])].v[0] *= 0.99;
    };
    sim_.kernels = &lying_;
  }
  ~LyingKernels() { sim_.kernels = &whole_; }
  LyingKernels(const LyingKernels&) = delete;
  LyingKernels& operator=(const LyingKernels&) = delete;

 private:
  static bool isTime() { return inside->step == kSpoilt && left-- > 0; }
  static inline const Kernels* whole{nullptr};
  static inline const Simulation* inside{nullptr};
  static inline Lie told{Lie::kNone};
  static inline int left{0};
  Simulation& sim_;
  const Kernels& whole_;
  Kernels lying_;
};

/// Largest closure of a step against the scale, of the steps that are honest and of the one that is
/// not.
struct Closures {
  double honest{0.0}, spoilt{0.0};
};

/// A box that slides over the floor, turning, or lands on it in the step that is spoilt; and one
/// that hangs on a hinge and drags along.
void addBoxes(WorldModel& world, bool falls, bool jointed) {
  const double height = falls ? 0.985 : 0.1;
  addFloor(world);
  const BodyId box =
      world.spawn(InertialDescription{.shape = Box{{0.3, 0.2, 0.1}},
                                      .position = {0.0, 0.0, height},
                                      .linearVelocity = {5.0, falls ? 0.0 : 0.5, 0.0},
                                      .angularVelocity = {0.0, 0.0, falls ? 0.0 : 2.0}});
  if (!jointed) return;
  const BodyId trailer = world.spawn(InertialDescription{.shape = Box{{0.3, 0.2, 0.1}},
                                                         .position = {-0.8, 0.0, height},
                                                         .linearVelocity = {5.0, 0.0, 0.0}});
  world.spawn(JointDescription{
      .kind = JointKind::kHinge, .bodyA = box, .bodyB = trailer, .anchor = {-0.4, 0.0, height}});
}

Closures run(Lie lie, Method method, bool jointed) {
  WorldModel world{awake(method)};
  addBoxes(world, lie == Lie::kNormal, jointed);
  const LyingKernels kernels{WorldAccess::of(world), lie};
  Closures closures;
  for (int i = 0; i < kSteps; ++i) {
    const EnergyLedger e = world.update(kDt).energy;
    const double closure = std::abs(e.closure()) / e.scale;
    double& worst = i == kSpoilt ? closures.spoilt : closures.honest;
    worst = std::max(worst, closure);
  }
  return closures;
}

void expectCaught(Lie lie, Method method, bool jointed) {
  const Closures c = run(lie, method, jointed);
  EXPECT_LE(c.honest, kLimit);
  EXPECT_GE(c.spoilt, kFar * kLimit) << "lie " << static_cast<int>(lie) << ", jointed " << jointed;
}

TEST(Ledger, closesWhereNothingLies) {
  for (const Method method : {Method::kFast, Method::kExact}) {
    for (const bool jointed : {false, true}) {
      const Closures c = run(Lie::kNone, method, jointed);
      EXPECT_LE(std::max(c.honest, c.spoilt), kLimit);
    }
  }
}

TEST(Ledger, showsAnImpulseThatDidNotAct) {
  for (const bool jointed : {false, true}) {
    expectCaught(Lie::kNormal, Method::kFast, jointed);
    expectCaught(Lie::kFriction, Method::kFast, jointed);
  }
}

TEST(Ledger, showsAPushThatNoRowKnowsOf) {
  for (const Method method : {Method::kFast, Method::kExact}) {
    for (const bool jointed : {false, true}) expectCaught(Lie::kVelocity, method, jointed);
  }
}

TEST(Ledger, showsEnergyLostInADrift) {
  for (const bool jointed : {false, true}) expectCaught(Lie::kDrift, Method::kFast, jointed);
}

}  // namespace
}  // namespace msd_sim::test
