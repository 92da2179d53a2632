// Contacts whose surfaces move by themselves or give way (docs/theory/surfaces.md), and what the user's own function
// makes of contacts.
#include <algorithm>
#include <cmath>

#include "msd-sim/src/Environment/Stages/RowPasses.hpp"
#include "msd-sim/src/Physics/RigidBody/Validation.hpp"
#include "msd-sim/src/Physics/Solver/SettledSpeed.hpp"

namespace msd_sim {

namespace {

constexpr double kMostFriction = 1000.0;

template <class Triple>
Vector3D lane3(const Triple& values, int lane) {
  return {values[0][lane], values[1][lane], values[2][lane]};
}

const SurfaceMaterial& materialOf(const BodySlot& slot) {
  return slot.inertial ? slot.inertial->material() : slot.environment->material();
}

/// Velocity of the surface of a body in the world [m/s].
Vector3D surfaceVelocityOf(const Simulation& sim, std::uint32_t body) {
  const BodySlot& slot = sim.slots[body];
  if (slot.surfaceVelocity.isZero(0.0)) return Vector3D::Zero();
  if (!slot.inertial) return slot.environment->pose().orientation * slot.surfaceVelocity;
  const double* q = sim.solver.pose[body].q;
  return Quaternion{q[0], q[1], q[2], q[3]} * slot.surfaceVelocity;
}

/// Springs, or dampers, in a row; infinity is rigid.
double inRow(double a, double b) {
  if (std::isinf(a)) return b;
  return std::isinf(b) ? a : a * b / std::max(a + b, std::numeric_limits<double>::min());
}

/// Nothing of a lane moves any more in this step.
template <int kPoints>
void silence(ContactRows<kPoints>& rows, int lane) {
  for (ContactPointRows& p : rows.points) {
    p.normalMass[lane] = 0.0;
    for (auto& impulse : p.impulse) impulse[lane] = 0.0;
  }
  for (auto& entry : rows.inverse) entry[lane] = 0.0;
  auto& t = rows.tangential;
  if constexpr (kPoints > 1) {
    for (auto& entry : t.stick) entry[lane] = 0.0;
  } else {
    for (double* mass : {t.stick11, t.stick12, t.stick22, t.slipMass}) mass[lane] = 0.0;
  }
}

/// What differs from other contacts: stiffness (infinite where rigid), damping, motion of the surfaces.
struct SurfaceLaw {
  double stiffness, damping;
  Vector3D carry;
};

SurfaceLaw lawOf(const Simulation& sim, std::uint32_t body0, std::uint32_t body1) {
  const SurfaceMaterial& m0 = materialOf(sim.slots[body0]);
  const SurfaceMaterial& m1 = materialOf(sim.slots[body1]);
  const double rigid = std::numeric_limits<double>::infinity();
  const auto damping = [&](const SurfaceMaterial& m) { return std::isinf(m.stiffness) ? rigid : m.damping; };
  const double c = inRow(damping(m0), damping(m1));
  return {inRow(m0.stiffness, m1.stiffness), std::isinf(c) ? 0.0 : c,
          surfaceVelocityOf(sim, body1) - surfaceVelocityOf(sim, body0)};
}

template <int kPoints>
SurfaceRow makeRow(std::uint32_t id, LaneBodies bodyPair, ContactRows<kPoints>& rows, ContactSums& sums, int lane) {
  SurfaceRow row;
  row.contact = id;
  row.body0 = bodyPair.body0;
  row.body1 = bodyPair.body1;
  row.friction = rows.friction[lane];
  row.size = rows.size[lane];
  row.normal = lane3(rows.normal, lane);
  row.tangent1 = lane3(rows.tangent, lane);
  row.tangent2 = row.normal.cross(row.tangent1);
  row.lane = lane;
  row.normalWork = sums.normalWork + lane;
  row.frictionWork = sums.frictionWork + lane;
  row.drivenWork = sums.drivenWork + lane;
  row.localResidual = sums.localResidual + lane;
  const Vector3D arm0 = lane3(rows.arm0, lane), arm1 = lane3(rows.arm1, lane);
  for (int i = 0; i < kPoints; ++i) {
    if (!(rows.points[i].normalMass[lane] > 0.0)) continue;
    Vector3D across = Vector3D::Zero();
    if constexpr (kPoints > 1) across = rows.tangential.x[i][lane] * row.tangent1 + rows.tangential.y[i][lane] * row.tangent2;
    const int k = row.pointCount++;
    row.points[k] = &rows.points[i];
    row.arm0[k] = arm0 + across;
    row.arm1[k] = arm1 + across;
    row.core0[k] = row.arm0[k] - rows.rounding0[lane] * row.normal;
    row.core1[k] = row.arm1[k] + rows.rounding1[lane] * row.normal;
    row.startGap[k] = row.normal.dot(arm0) - rows.points[i].gapOffset[lane];
  }
  return row;
}

}  // namespace

// Contacts whose law is not that of rigid surfaces at rest keep their lanes, for gaps and records, but their rows do
// nothing: soft ones lose the whole row, moving ones their friction, and what is left out is done by a row here (S-1, S-2).
// The stiffness and damping of a contact are shared by its points.
void prepareSurfaces(Simulation& sim, std::size_t pack) {
  SurfaceRows& list = sim.packScratch[pack]->surfaces;
  list.velocities = false;
  if (sim.specialBodies == 0) return;
  const ContactCache& contacts = sim.collision.contacts();
  sim.table.forContacts(pack, [&](std::uint32_t id, LaneBodies bodyPair, auto& rows, ContactSums& sums, int lane) {
    if (!contacts.resistance(id).special) return;
    const SurfaceLaw law = lawOf(sim, bodyPair.body0, bodyPair.body1);
    const bool soft = !std::isinf(law.stiffness);
    if (!soft && law.carry.isZero(0.0)) return;
    SurfaceRow row = makeRow(id, bodyPair, rows, sums, lane);
    if (row.pointCount == 0) return;
    row.carry = law.carry;
    if (soft) {
      row.stiffness = law.stiffness / row.pointCount;
      row.damping = law.damping / row.pointCount;
      silence(rows, lane);
    }
    rows.friction[lane] = 0.0;
    row.before = surfaceEnergy(sim.solver, row);
    list.rows.push_back(row);
  });
}

std::uint32_t sweepSurfaces(Simulation& sim, std::size_t pack, const ContactPass& pass, double speed) {
  SurfaceRows& list = sim.packScratch[pack]->surfaces;
  SolverBodies& solver = sim.solver;
  list.h = pass.h;
  std::uint32_t unsettled = 0;
  for (SurfaceRow& row : list.rows) {
    if (pass.first && !list.velocities) openSurface(solver, row);
    row.change = visitSurface(solver, row, pass.h, list.velocities);
    const double localResidual = row.change / speed;
    const bool moves0 = solver.motion[row.body0].inverseMass > 0.0;
    const bool moves1 = solver.motion[row.body1].inverseMass > 0.0;
    const SweepBudget& budget = solver.budget[moves0 ? row.body0 : row.body1];
    if (!(localResidual > static_cast<double>(budget.limit(pass.number)))) continue;
    if (moves0) solver.dirty[row.body0] = pass.stamp;
    if (moves1) solver.dirty[row.body1] = pass.stamp;
    ++unsettled;
  }
  return unsettled;
}

void concludeSurfaces(Simulation& sim, std::size_t pack, const PhaseEnd& end) {
  SurfaceRows& list = sim.packScratch[pack]->surfaces;
  const SettledSpeed settled{list.h, sim.settings.gravity.norm()};
  for (SurfaceRow& row : list.rows) {
    *row.localResidual = std::max(*row.localResidual, row.change / settled.of(row.size));
    concludeSurface(sim.solver, row, list.h, list.velocities, end);
  }
  list.velocities = !list.velocities;
}

/// By island, and islands in their order: whichever packs these were in.
SurfaceSums auditSurfaces(Simulation& sim) {
  SurfaceSums all;
  if (sim.specialBodies == 0) return all;
  std::vector<SurfaceSums> islands(sim.islands.count());
  for (std::size_t i = 0; i < sim.packs.packs.size(); ++i) {
    for (const SurfaceRow& row : sim.packScratch[i]->surfaces.rows) {
      SurfaceSums& sums = islands[sim.islands.islandOf[sim.pushable[row.body0] != 0 ? row.body0 : row.body1]];
      const double potential = surfaceEnergy(sim.solver, row);
      sums.potential += potential;
      sums.stored += potential - row.before;
      sums.carried += row.carried;
      sums.scheme += row.scheme;
    }
  }
  for (const SurfaceSums& sums : islands) {
    all.potential += sums.potential;
    all.stored += sums.stored;
    all.carried += sums.carried;
    all.scheme += sums.scheme;
  }
  return all;
}

void changeContacts(Simulation& sim) {
  ContactCache& contacts = sim.collision.contacts();
  sim.table.forEach([&](std::uint32_t id, LaneBodies bodyPair, auto& rows, ContactSums& sums, int lane) {
    const auto [body0, body1] = bodyPair;
    const SurfaceRow row = makeRow(id, bodyPair, rows, sums, lane);
    if (row.pointCount == 0) return;
    const auto deepest = std::min_element(row.startGap, row.startGap + row.pointCount) - row.startGap;
    const double* const x1 = sim.solver.pose[body1].x;
    const bool swapped = body1 < body0;
    const ContactMaterial material = sim.collision.materialOf(contacts.contact(id).pair);
    ContactChange change{.bodyA = sim.idOf(swapped ? body1 : body0),
                         .bodyB = sim.idOf(swapped ? body0 : body1),
                         .point = Coordinate{x1[0], x1[1], x1[2]} + row.arm1[deepest],
                         .normal = swapped ? Vector3D{-row.normal} : row.normal,
                         .gap = row.startGap[deepest],
                         .friction = material.friction,
                         .restitution = material.restitution};
    sim.contactCallback(change);
    requireRange(change.friction, "friction", "", 0.0, kMostFriction);
    requireRange(change.restitution, "restitution", "", 0.0, 1.0);
    contacts.setCoefficients(id, change.friction, change.restitution);
    rows.friction[lane] = change.friction;
    rows.restitution[lane] = change.restitution;
    if (!change.enabled) silence(rows, lane);
  });
}

}  // namespace msd_sim
