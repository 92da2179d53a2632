#include "msd-sim/src/Environment/WorldCopy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Physics/PotentialEnergy/CopyablePotential.hpp"

namespace msd_sim {

namespace {

BodySlot copyOf(const BodySlot& slot) {
  BodySlot copy;
  copy.generation = slot.generation;
  if (slot.inertial) copy.inertial = std::make_unique<AssetInertial>(*slot.inertial);
  if (slot.environment) copy.environment = std::make_unique<AssetEnvironment>(*slot.environment);
  copy.name = slot.name;
  copy.firstCollider = slot.firstCollider;
  copy.kinematic = slot.kinematic;
  copy.maySleep = slot.maySleep;
  copy.continuous = slot.continuous;
  copy.forced = slot.forced;
  copy.target = slot.target;
  copy.stopsAfterward = slot.stopsAfterward;
  return copy;
}

void copyBodies(const Simulation& from, Simulation& to) {
  to.slots.clear();
  to.slots.reserve(from.slots.size());
  for (const BodySlot& slot : from.slots) to.slots.push_back(copyOf(slot));
  to.freeSlots = from.freeSlots;
  to.order = from.order;
  to.byName = from.byName;
  to.solver = from.solver;
  to.travel = from.travel;
  to.pushable = from.pushable;
  to.moving = from.moving;
  to.sleepers = from.sleepers;
  to.damped = from.damped;
  to.kinematicCount = from.kinematicCount;
  to.continuous = from.continuous;
  to.collision = from.collision;
  to.islands = from.islands;
}

void copyJoints(const Simulation& from, Simulation& to) {
  to.joints = from.joints;
  to.jointSlots = from.jointSlots;
  to.freeJointSlots = from.freeJointSlots;
  to.jointOrder = from.jointOrder;
  to.jointByName = from.jointByName;
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

const Simulation& inside(const WorldModel& world) {
  return WorldAccess::of(const_cast<WorldModel&>(world));
}

}  // namespace

/// What a snapshot expects to find is copied; what it holds is then restored from one, which also puts
/// everything that follows from the state in order.
WorldModel cloneWorld(const WorldModel& world) {
  const Simulation& from = inside(world);
  const auto constraints = std::count_if(from.constraints.begin(), from.constraints.end(),
                                         [](const UserConstraint& user) { return user.constraint != nullptr; });
  if (constraints > 0) {
    throw std::logic_error(
        fmt::format("the world has {} constraints of the user's own; expected none in a world that "
                    "is copied",
                    constraints));
  }
  WorldModel copy{from.settings};
  Simulation& to = WorldAccess::of(copy);
  to.kernels = from.kernels;
  copyBodies(from, to);
  copyJoints(from, to);
  copyPotentials(from, to);
  copy.restore(world.snapshot());
  to.reference = from.reference;
  to.report = from.report;
  to.events = from.events;
  to.eventScratch.removed = from.eventScratch.removed;
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
