#include "msd-sim/src/Environment/WorldCopy.hpp"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Physics/Constraints/CopyableConstraint.hpp"
#include "msd-sim/src/Physics/PotentialEnergy/CopyablePotential.hpp"

namespace msd_sim {

namespace {

/// Names all members: a new one does not compile until it is copied here too.
BodySlot copyOf(const BodySlot& from) {
  const auto& [generation, inertial, environment, name, firstCollider, joints, kinematic, maySleep, continuous,
               forced, target, stopsAfterward, surfaceVelocity, special] = from;
  return {.generation = generation,
          .inertial = inertial ? std::make_unique<AssetInertial>(*inertial) : nullptr,
          .environment = environment ? std::make_unique<AssetEnvironment>(*environment) : nullptr,
          .name = name,
          .firstCollider = firstCollider,
          .joints = joints,
          .kinematic = kinematic,
          .maySleep = maySleep,
          .continuous = continuous,
          .forced = forced,
          .target = target,
          .stopsAfterward = stopsAfterward,
          .surfaceVelocity = surfaceVelocity,
          .special = special};
}

void copyPotentials(const Simulation& from, Simulation& to) {
  for (std::size_t i = 0; i < from.potentials.size(); ++i) {
    const auto* copyable = dynamic_cast<const CopyablePotential*>(from.potentials[i].potential.get());
    if (copyable == nullptr) {
      throw std::logic_error(fmt::format(
          "potential {} is no CopyablePotential; expected one in a world that is copied", i));
    }
    to.potentials.push_back({copyable->clone(), from.potentials[i].bodies});
  }
}

/// The user's own, and the rows that point to them.
void copyConstraints(const Simulation& from, Simulation& to) {
  std::unordered_map<const Constraint*, const Constraint*> copyOf;
  for (std::size_t i = 0; i < from.constraints.size(); ++i) {
    const UserConstraint& user = from.constraints[i];
    if (user.constraint == nullptr) {  // removed
      to.constraints.emplace_back();
      continue;
    }
    const auto* copyable = dynamic_cast<const CopyableConstraint*>(user.constraint.get());
    if (copyable == nullptr) {
      throw std::logic_error(
          fmt::format("constraint {} ({}) is no CopyableConstraint; expected one in a world that is copied", i,
                      user.constraint->typeName()));
    }
    std::unique_ptr<Constraint> copy = copyable->clone();
    copyOf.emplace(user.constraint.get(), copy.get());
    to.constraints.push_back({.constraint = std::move(copy),
                              .bodyA = user.bodyA,
                              .bodyB = user.bodyB,
                              .rows = user.rows,
                              .impulse = user.impulse});
  }
  for (JointRecord& record : to.joints.records()) {
    const Constraint*& constraint = record.definition.constraint;
    if (record.used && constraint != nullptr) constraint = copyOf.at(constraint);
  }
}

/// What WorldModel::frictionProblem asks of the last step; the rest of the workspace is made anew by the next.
void copyProblems(const ExactStep& from, ExactStep& to) {
  for (std::size_t k = 0; k + 1 < from.start.size(); ++k) {
    to.islands.push_back(std::make_unique<ExactIsland>());
    to.islands.back()->problem = from.islands[k]->problem;
    to.islands.back()->multiplier = from.islands[k]->multiplier;
  }
  to.start = from.start;
}

/// Copies what a world holds, but for the snapshot's part. Names all members: a new one does not compile until
/// it has a name here. It then needs a line among those that are copied, or its place in one of the two lists of
/// those that are not.
void copyMembers(const Simulation& from, Simulation& to) {
  const auto& [settings, kernels, team, threadTimes, slots, freeSlots, order, byName, solver, travel, pushable, moving, sleepers,
               damped, kinematicCount, continuous, impactScratch, fields, mechanismPoints, walks, collision, islands,
               packs, table, packScratch, potentials, joints, constraints, jointSlots, freeJointSlots, jointOrder, jointByName,
               joinedPairs, pendingWork, auditSums, contactTotals, events, records,
               recordsValid, eventScratch, loose, looseValid, exact, specialBodies,
               contactCallback, reference, report, settled, undo, stepping, watching, firstBad, shareFrom, shareFromExact,
               lazy, time, step, returnedCorrectionEnergy, rowTurns, corrected, deepContacts, guardedSubsteps,
               guardedEnergy] = from;
  // Work space, which every step or question fills before it reads it: threadTimes, impactScratch, fields,
  // mechanismPoints, walks, table, packScratch, auditSums, contactTotals, records, recordsValid, loose, looseValid, undo,
  // stepping, watching, firstBad, lazy, returnedCorrectionEnergy, deepContacts, guardedSubsteps, guardedEnergy.
  // The world's own, made with it from the settings: settings, team.
  // Restored from the snapshot: joinedPairs, pendingWork, settled, time, step, rowTurns.
  to.kernels = kernels;
  to.slots.clear();
  for (const BodySlot& slot : slots) to.slots.push_back(copyOf(slot));
  to.freeSlots = freeSlots;
  to.order = order;
  to.byName = byName;
  to.solver = solver;
  to.travel = travel;
  to.pushable = pushable;
  to.moving = moving;
  to.sleepers = sleepers;
  to.damped = damped;
  to.kinematicCount = kinematicCount;
  to.continuous = continuous;
  to.collision = collision;
  to.islands = islands;
  to.packs = packs;
  to.joints = joints;
  to.jointSlots = jointSlots;
  to.freeJointSlots = freeJointSlots;
  to.jointOrder = jointOrder;
  to.jointByName = jointByName;
  to.specialBodies = specialBodies;
  to.contactCallback = contactCallback;
  to.shareFrom = shareFrom;
  to.shareFromExact = shareFromExact;
  to.corrected = corrected;
  copyPotentials(from, to);
  copyConstraints(from, to);
}

const Simulation& inside(const WorldModel& world) {
  return WorldAccess::of(world);
}

}  // namespace

/// What a snapshot expects to find is copied; what it holds is then restored from one, which also puts
/// everything that follows from the state in order. Answers about the last step come last.
WorldModel cloneWorld(const WorldModel& world) {
  const Simulation& from = inside(world);
  WorldModel copy{from.settings};
  Simulation& to = WorldAccess::of(copy);
  copyMembers(from, to);
  const std::vector<JointSlot> described = to.jointSlots;
  copy.restore(world.snapshot());
  to.jointSlots = described;
  to.reference = from.reference;
  to.report = from.report;
  to.events = from.events;
  to.eventScratch.removed = from.eventScratch.removed;
  copyProblems(from.exact, to.exact);
  return copy;
}

BodyArrays bodyArrays(const WorldModel& world) {
  const Simulation& sim = inside(world);
  constexpr std::size_t kPose = sizeof(BodyPose) / sizeof(double);
  constexpr std::size_t kMotion = sizeof(BodyMotion) / sizeof(double);
  const BodyPose* pose = sim.solver.pose.data() + 1;  // slot 0 is never used
  const BodyMotion* motion = sim.solver.motion.data() + 1;
  return {.rows = sim.slots.size() - 1,
          .position = {pose->x, kPose},
          .orientation = {pose->q, kPose},
          .velocity = {motion->v, kMotion},
          .angularVelocity = {motion->w, kMotion}};
}

std::shared_ptr<const void> replaceBodyArrays(WorldModel& world) {
  struct Replaced {
    AlignedVector<BodyPose> pose;
    AlignedVector<BodyMotion> motion;
  };
  SolverBodies& solver = WorldAccess::of(world).solver;
  auto old = std::make_shared<Replaced>(solver.pose, solver.motion);
  // The copies stay with the world; what was exported keeps its place.
  std::swap(old->pose, solver.pose);
  std::swap(old->motion, solver.motion);
  return old;
}

bool isKinematic(const WorldModel& world, BodyId body) {
  return inside(world).slot(body).kinematic;
}

}  // namespace msd_sim
