#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "msd-sim/src/DataTypes/WorkTeam.hpp"
#include "msd-sim/src/Diagnostics/StepReport.hpp"
#include "msd-sim/src/Environment/ContactRecord.hpp"
#include "msd-sim/src/Environment/Descriptions.hpp"
#include "msd-sim/src/Environment/Settings.hpp"
#include "msd-sim/src/Physics/Collision/CollisionPipeline.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/Kernels.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/SolverBodies.hpp"
#include "msd-sim/src/Physics/PotentialEnergy/PotentialEnergy.hpp"
#include "msd-sim/src/Physics/RigidBody/AssetEnvironment.hpp"
#include "msd-sim/src/Physics/RigidBody/AssetInertial.hpp"

namespace msd_sim {

/// One place for a body. Slot 0 stays empty: it is what unused solver lanes point to.
struct BodySlot {
  std::uint32_t generation{0};
  std::unique_ptr<AssetInertial> inertial;
  std::unique_ptr<AssetEnvironment> environment;
  std::string name;
  std::uint32_t firstCollider{Collider::kNone};
  bool kinematic{false};
  bool maySleep{true};
  bool continuous{false};
  bool forced{false};  ///< has a user force or torque for the next step
  [[nodiscard]] bool isUsed() const { return inertial != nullptr || environment != nullptr; }
};

/// What an island rests on, which decides how the energy guard may act on it.
enum class IslandHold : std::uint8_t {
  kNothing,  ///< its momenta are conserved
  kStatic,   ///< touches something that never moves
  kDriven,   ///< touches a kinematic body or has a motor: work comes in from outside
};

/// Groups of bodies that push each other, as index lists into the body slots.
struct Islands {
  std::vector<std::uint32_t> parent;      ///< union-find over slots
  std::vector<std::uint32_t> islandOf;    ///< per slot, or kNone
  std::vector<std::uint32_t> bodies;      ///< slots, island by island, ascending inside
  std::vector<std::uint32_t> start;       ///< first entry of each island, and the end
  std::vector<std::uint32_t> label;       ///< scratch: island number of a root
  std::vector<std::uint32_t> degree;      ///< scratch of the search for levels
  std::vector<std::uint32_t> neighbours;
  std::vector<std::uint32_t> queue;
  std::vector<IslandHold> hold;           ///< per island
  std::vector<double> scale;              ///< per island: of the running drift, 1 where it is free
  std::uint64_t version{~std::uint64_t{0}};  ///< of the contacts they were made from
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  [[nodiscard]] std::size_t count() const { return start.empty() ? 0 : start.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> bodiesOf(std::size_t island) const {
    return std::span{bodies}.subspan(start[island], start[island + 1] - start[island]);
  }
};

/// Everything inside a WorldModel. The stages of a step are functions on it, one file each.
struct Simulation {
  explicit Simulation(const Settings& settings);

  Settings settings;
  const Kernels* kernels;
  std::unique_ptr<WorkTeam> team;

  std::vector<BodySlot> slots;
  std::vector<std::uint32_t> freeSlots;
  std::vector<BodyId> order;  ///< bodies as they were made
  std::unordered_map<std::string, BodyId> byName;

  // Per body slot.
  SolverBodies solver;
  std::vector<BodyTravel> travel;
  std::vector<double> comingTravel;          ///< most a body moves in the step on its own [m]
  std::vector<std::uint8_t> pushable;        ///< forces move it, and it is awake
  std::vector<std::uint8_t> moving;          ///< pushable or kinematic: the body kernels take it
  std::vector<double> factorOfBody;          ///< energy guard's scratch, 1 by default

  AlignedVector<double> sweepScratch;  ///< impulses and velocities of the sweep before

  CollisionPipeline collision;
  Islands islands;
  std::vector<std::uint32_t> activeBlocks;   ///< blocks of eight slots with a moving body
  std::vector<std::unique_ptr<PotentialEnergy>> potentials;

  std::vector<ContactEvent> events;
  std::vector<ContactRecord> records;
  bool recordsValid{false};

  StepReport report;
  double time{0.0};
  std::uint64_t step{0};
  double lastSubstep{0.0};  ///< h that the stored impulses belong to [s]
  std::uint32_t guardedSubsteps{0};  ///< islands the energy guard had to hold back in this step

  [[nodiscard]] BodySlot& slot(BodyId id);
  [[nodiscard]] const BodySlot& slot(BodyId id) const;
  [[nodiscard]] BodyId idOf(std::uint32_t slot) const { return {slot, slots[slot].generation}; }
};

// The stages, in order (docs/life-of-a-step.md).
void gatherBodies(Simulation& sim, double dt);
void findPairs(Simulation& sim);
void findContacts(Simulation& sim);
void prepareRows(Simulation& sim, double dt);
void buildIslands(Simulation& sim);
void solveSubsteps(Simulation& sim, double dt);
/// (T-13), before the drift: an island held by something static climbs no higher than its kinetic
/// energy can lift it.
void holdDrift(Simulation& sim, double h);
/// (T-13), after a substep: no island has more energy than it had and the loads gave it. What a solve
/// that has not converged adds is taken out of the motion again.
void guardEnergy(Simulation& sim, double h);
void correctPositions(Simulation& sim, double dt);
bool scatterBodies(Simulation& sim);
void auditStep(Simulation& sim, double dt);

/// Undoes the motion of a step that failed.
void rollBack(Simulation& sim);

}  // namespace msd_sim
