#pragma once

#include <array>
#include <cstdint>

#include "msd-sim/src/Diagnostics/SolveGroup.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/SolverBodies.hpp"

namespace msd_sim {

/// How the islands of a step are solved (docs/theory/plan.md): facts of one island in, its schedule out. Nothing
/// outside of the island enters, so that what happens elsewhere in the world changes no bit of it.

/// What is known of an island before it is solved.
struct IslandCensus {
  std::uint32_t bodies{0};
  std::uint32_t manifolds{0};
  std::uint32_t fresh{0};     ///< manifolds made in this step
  std::uint32_t joints{0};
  double fastest{0.0};        ///< largest speed of a point of a body [m/s]
  double motion{0.0};         ///< of a mechanism: largest way of a body in a step, in its own size, where it touches
                              ///< something, or turn of a joint or contact [rad]
  double finest{0.0};         ///< inverse size of its smallest body [1/m]
  bool struck{false};         ///< a heavy body meets a light one fast
  bool bounces{false};        ///< some pair has a restitution
  bool lossy{false};          ///< some pair has friction, or a restitution below 1
  bool resists{false};        ///< some contact resists rolling or spinning
  bool rolls{false};          ///< some body touches with a round surface: nothing keeps it from rolling
  bool driven{false};         ///< kinematic bodies, motors, springs or user constraints act
  bool guided{false};         ///< of these, kinematic bodies, motors that hold a place or speed, or user constraints
  bool forced{false};         ///< the user pushes a body in this step
  bool held{true};            ///< something that cannot be pushed holds it, by contacts or joints
  bool sweptJoints{false};    ///< joints are too many to be solved at once
  bool plainJoints{true};     ///< its joints hold, and do nothing else
  bool treeJoints{true};      ///< these form trees, which are solved with their contacts (J-49)
  bool jointsRest{true};      ///< no joint had to be solved in the last step
};

/// What is the same for all islands of a step.
struct PlanSettings {
  int substeps{0};         ///< asked for by the user, 0: ours to choose
  int iterations{1};       ///< least number of sweeps of a phase
  double kickSpeed{0.0};   ///< what gravity adds in half a step [m/s]
  bool fields{false};      ///< fields of force act
};

struct IslandPlan {
  SolveGroup group{SolveGroup::kFull};
  SweepBudget budget{};
  bool extrapolates{false};  ///< Nesterov's extrapolation between its sweeps (G-9)
};

/// Sweeps of a cold start at most: what is smaller than a small island gets no more than that.
[[nodiscard]] int mostColdSweeps();

[[nodiscard]] IslandPlan planIsland(const IslandCensus& island, const PlanSettings& settings);

/// Substeps of a group, for the number that the user asked for.
[[nodiscard]] int substepsOf(SolveGroup group, int asked);

}  // namespace msd_sim
